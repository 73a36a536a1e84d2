//! Verdicts: from the whole interval, never from an estimate alone.

use serde::{Deserialize, Serialize};

use super::{CONFIDENCE, Interval};

/// Confidence of each of the intervals that `verdicts` are given from, so that all of them hold together as often as one
/// alone would: Bonferroni's share of the error for each (Dunn: Multiple comparisons among means. Journal of the American
/// Statistical Association 56 (1961), 52–64).
pub fn confidence(verdicts: usize) -> f64 {
    if verdicts <= 1 { CONFIDENCE } else { 1.0 - (1.0 - CONFIDENCE) / verdicts as f64 }
}

/// What became of a rate, by the interval of its ratio, new over old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Slower by more than what is tolerated.
    Regression,
    /// Not slower by more than what is tolerated.
    NoRegression,
    /// Faster.
    Improvement,
    /// The interval, or its absence, leaves it open.
    Inconclusive,
}

impl Change {
    /// `tolerance` is the share by which a rate may fall, 0 to 1.
    pub fn of(interval: Option<Interval>, tolerance: f64) -> Self {
        match interval {
            Some(found) if found.high < 1.0 - tolerance => Self::Regression,
            Some(found) if found.low > 1.0 => Self::Improvement,
            Some(found) if found.low >= 1.0 - tolerance => Self::NoRegression,
            _ => Self::Inconclusive,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::NoRegression => "no regression",
            Self::Improvement => "improvement",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// How a quantity is to lie to its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = "<=")]
    AtMost,
    #[serde(rename = ">")]
    Above,
    #[serde(rename = "<")]
    Below,
}

impl Relation {
    pub const ALL: [Self; 4] = [Self::AtLeast, Self::AtMost, Self::Above, Self::Below];

    pub fn sign(self) -> &'static str {
        match self {
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::Below => "<",
        }
    }

    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::AtLeast => value >= bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::Below => value < bound,
        }
    }
}

/// What became of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All of the interval is as expected.
    Confirmed,
    /// None of it is.
    Refuted,
    /// Some of it is, or there is no interval.
    Inconclusive,
}

impl Verdict {
    pub fn of(interval: Option<Interval>, relation: Relation, bound: f64) -> Self {
        let ends = interval.map(|found| (relation.holds(found.low, bound), relation.holds(found.high, bound)));
        match ends {
            Some((true, true)) => Self::Confirmed,
            Some((false, false)) => Self::Refuted,
            _ => Self::Inconclusive,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Inconclusive => "inconclusive",
        }
    }
}
