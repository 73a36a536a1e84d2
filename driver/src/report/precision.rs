//! How precise a run is, by the comparisons that precision is asked of.

use super::comparison::comparisons_of;
use crate::arm::Placement;
use crate::record::{ArmInfo, ArmSummary, Comparison, Header, Side};

/// What the wanted half-width is asked of.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// (test, base) of comparisons.
    Comparisons(Vec<(String, String)>),
    /// The rates of single arms, where nothing is compared.
    Rates(Vec<String>),
}

impl Asked {
    /// Precision is asked of comparisons between same-core arms and layers: the scheduler makes the other placements
    /// noisier than any number of rounds could mend. Only where nothing else is compared are those asked, too. Controls
    /// never are. The ladder asks it of every rung's time.
    pub fn of(header: &Header) -> Self {
        if header.command == super::ladder::COMMAND {
            return Self::Rates(super::rungs(header).map(|info| info.name.clone()).collect());
        }
        Self::among(&header.arms, &comparisons_of(header))
    }

    /// The same of `arms` of which these `comparisons`, (test, base), are made.
    pub fn among(arms: &[ArmInfo], comparisons: &[(String, String)]) -> Self {
        let info = |name: &str| arms.iter().find(|info| info.name == name);
        let calm = |info: &ArmInfo| info.side == Side::Server || info.placement == Placement::Same;
        let both = |rule: &dyn Fn(&ArmInfo) -> bool| -> Vec<(String, String)> {
            let fits = |name: &str| info(name).is_some_and(|info| !info.control && rule(info));
            comparisons.iter().filter(|(test, base)| fits(test) && fits(base)).cloned().collect()
        };
        let asked = both(&calm);
        let asked = if asked.is_empty() { both(&|_| true) } else { asked };
        if asked.is_empty() {
            Self::Rates(arms.iter().map(|info| info.name.clone()).collect())
        } else {
            Self::Comparisons(asked)
        }
    }

    /// Is precision asked of anything that `arm` has a part in?
    pub fn names(&self, arm: &str) -> bool {
        match self {
            Self::Comparisons(pairs) => pairs.iter().any(|(test, base)| test == arm || base == arm),
            Self::Rates(names) => names.iter().any(|name| name == arm),
        }
    }

    /// The largest half-width, as a share of the estimate; None where one of those asked has no interval yet.
    pub fn precision(&self, arms: &[ArmSummary], comparisons: &[Comparison]) -> Option<f64> {
        let widths: Option<Vec<f64>> = match self {
            Self::Comparisons(asked) => {
                let find = |test: &str, base: &str| comparisons.iter().find(|c| c.test == test && c.base == base);
                asked.iter().map(|(test, base)| find(test, base).and_then(|c| share(c.low, c.high, c.ratio))).collect()
            }
            Self::Rates(asked) => {
                let find = |name: &str| arms.iter().find(|arm| arm.name == name);
                asked.iter().map(|name| find(name).and_then(|arm| share(arm.sps_low, arm.sps_high, arm.sps))).collect()
            }
        };
        widths?.into_iter().reduce(f64::max)
    }
}

fn share(low: Option<f64>, high: Option<f64>, center: f64) -> Option<f64> {
    Some((high? - low?) / 2.0 / center)
}

/// `0.0123` as `1.2 %`; two digits that count.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = if percent >= 10.0 || percent.fract() == 0.0 {
        0
    } else if percent >= 1.0 {
        1
    } else {
        2
    };
    format!("{percent:.digits$} %")
}

/// A share as `1%` or `0.01`. A bare number from 1 on is refused: it could be meant either way.
pub fn share_of(text: &str) -> std::result::Result<f64, String> {
    let number = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => text.trim().parse(),
    };
    match number {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("write a share between 0 and 1, as 1% or 0.01".into()),
    }
}
