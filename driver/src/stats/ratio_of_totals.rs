//! The ratio of two arms' total rates, all selects over all time: the estimate that a reader would make by hand. It
//! weighs slow rounds fully, so it parts from Hodges–Lehmann where noise is skewed.

use super::student_t;
use super::{Interval, mean, variance};

/// What one block counted: selects and the nanoseconds that they took, both above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    pub selects: f64,
    pub elapsed: f64,
}

impl Amount {
    /// Selects per second.
    pub fn rate(self) -> f64 {
        self.selects * 1e9 / self.elapsed
    }
}

/// A round's blocks of the two arms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub base: Amount,
    pub test: Amount,
}

/// ln of the ratio of total rates, test over base; None of nothing.
pub fn log_estimate(pairs: &[Pair]) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }
    let sum = |part: fn(&Pair) -> f64| pairs.iter().map(part).sum::<f64>();
    let test = sum(|pair| pair.test.selects) / sum(|pair| pair.test.elapsed);
    let base = sum(|pair| pair.base.selects) / sum(|pair| pair.base.elapsed);
    Some((test / base).ln())
}

/// The interval of `confidence` for [`log_estimate`]; None below two rounds.
///
/// Delta method on the logs of the four totals (Casella, Berger: Statistical inference, 2nd edition, 2002, section
/// 5.5.4; for ratios of paired sums Cochran: Sampling techniques, 3rd edition, 1977, section 6.4). The variance is that
/// of each round's linear part, which holds every covariance within a round: a slow moment slows both arms and must
/// not count twice. The quantile is Student's with n - 1 degrees of freedom.
pub fn log_interval(pairs: &[Pair], confidence: f64) -> Option<Interval> {
    let center = log_estimate(pairs)?;
    let means = |part: fn(&Pair) -> f64| mean(&pairs.iter().map(part).collect::<Vec<_>>());
    let test_selects = means(|pair| pair.test.selects);
    let test_elapsed = means(|pair| pair.test.elapsed);
    let base_selects = means(|pair| pair.base.selects);
    let base_elapsed = means(|pair| pair.base.elapsed);
    let linear: Vec<f64> = pairs
        .iter()
        .map(|pair| {
            pair.test.selects / test_selects - pair.test.elapsed / test_elapsed - pair.base.selects / base_selects
                + pair.base.elapsed / base_elapsed
        })
        .collect();
    let half = student_t::quantile(pairs.len(), confidence)? * (variance(&linear) / pairs.len() as f64).sqrt();
    Some(Interval { low: center - half, high: center + half })
}
