//! Rates and their ratios: Hodges–Lehmann on the logs, with the wider of two intervals.

use super::center::center;
pub use super::center::{Estimate, Source};
use super::ratio_of_totals::{self, Amount, Pair};
use super::{CONFIDENCE, Interval, student_t, wilcoxon};

/// The ratio of two arms, test over base, by the estimator and by the two that a reader may check it with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub estimate: Estimate,
    /// All selects over all time.
    pub total: f64,
    pub total_interval: Option<Interval>,
    /// The plain t interval on the logs of the rounds' ratios.
    pub t_interval: Option<Interval>,
    pub skewed: bool,
}

/// Estimates the centre of positive `values`, each given with its epoch, epochs in order; None of nothing.
pub fn location(values: &[(u64, f64)], confidence: f64) -> Option<Estimate> {
    let logs: Vec<(u64, f64)> = values.iter().map(|(epoch, value)| (*epoch, value.ln())).collect();
    let found = center(&logs, confidence)?;
    Some(Estimate { value: found.value.exp(), interval: found.interval.map(|ends| ends.map(f64::exp)), ..found })
}

/// The typical ratio of paired blocks, each pair given with its epoch, epochs in order; None of nothing.
pub fn typical(pairs: &[(u64, Pair)], confidence: f64) -> Option<Estimate> {
    location(&ratios(pairs), confidence)
}

/// The ratio of paired blocks by all estimators; None of nothing.
pub fn ratio(pairs: &[(u64, Pair)]) -> Option<Ratio> {
    let amounts: Vec<Pair> = pairs.iter().map(|(_, pair)| *pair).collect();
    let logs = logs(pairs);
    let estimate = typical(pairs, CONFIDENCE)?;
    let total = ratio_of_totals::log_estimate(&amounts)?.exp();
    let total_interval = ratio_of_totals::log_interval(&amounts, CONFIDENCE);
    let t_interval = student_t::interval(&logs, CONFIDENCE);
    let skewed = match (wilcoxon::interval(&logs, CONFIDENCE), estimate.interval, total_interval, t_interval) {
        (Some(ranks), Some(given), Some(totals), Some(plain)) => {
            let (center, total) = (estimate.value.ln(), total.ln());
            outside(totals, center)
                || outside(plain, center)
                || outside(given.map(f64::ln), total)
                || by_half(ranks, totals)
                || by_half(ranks, plain)
        }
        _ => false,
    };
    Some(Ratio {
        estimate,
        total,
        total_interval: total_interval.map(|found| found.map(f64::exp)),
        t_interval: t_interval.map(|found| found.map(f64::exp)),
        skewed,
    })
}

/// The rate of one arm by itself.
pub fn rate(blocks: &[(u64, Amount)]) -> Option<Estimate> {
    location(&blocks.iter().map(|(epoch, amount)| (*epoch, amount.rate())).collect::<Vec<_>>(), CONFIDENCE)
}

fn ratios(pairs: &[(u64, Pair)]) -> Vec<(u64, f64)> {
    pairs.iter().map(|(epoch, pair)| (*epoch, pair.test.rate() / pair.base.rate())).collect()
}

/// Logs of the rounds' ratios, in their order.
pub fn logs(pairs: &[(u64, Pair)]) -> Vec<f64> {
    ratios(pairs).into_iter().map(|(_, ratio)| ratio.ln()).collect()
}

/// Differences of logs that rounding makes; no skew is smaller.
const ROUNDING: f64 = 1e-9;

fn outside(interval: Interval, value: f64) -> bool {
    value < interval.low - ROUNDING || value > interval.high + ROUNDING
}

/// Is one interval more than half as wide again as the other?
fn by_half(a: Interval, b: Interval) -> bool {
    a.width().max(b.width()) > 1.5 * a.width().min(b.width()) + ROUNDING
}
