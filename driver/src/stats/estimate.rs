//! The estimator of this project: Hodges–Lehmann on the logs, with the wider of two intervals.
//!
//! Wilcoxon's interval takes rounds as independent; the t interval on epoch means takes only epochs so, and catches
//! what a backend carries from round to round (memory layout, cache colour). Choosing one by a pre-test undercovers,
//! so the wider one is given, always.

use super::ratio_of_totals::{self, Amount, Pair};
use super::{Interval, hodges_lehmann, mean, student_t, wilcoxon};

/// Which interval was the wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Wilcoxon,
    EpochT,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Self::Wilcoxon => "wilcoxon",
            Self::EpochT => "epoch-t",
        }
    }
}

/// A positive quantity (a ratio, a rate) with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// None below six rounds.
    pub interval: Option<Interval>,
    pub source: Option<Source>,
}

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
pub fn location(values: &[(u64, f64)]) -> Option<Estimate> {
    let logs: Vec<f64> = values.iter().map(|(_, value)| value.ln()).collect();
    let value = hodges_lehmann::estimate(&logs)?;
    let rounds = wilcoxon::interval(&logs, super::CONFIDENCE);
    let epochs = rounds.and_then(|_| student_t::interval(&epoch_means(values), super::CONFIDENCE));
    let (interval, source) = match (rounds, epochs) {
        (Some(rounds), Some(epochs)) if epochs.width() > rounds.width() => (Some(epochs), Some(Source::EpochT)),
        (Some(rounds), _) => (Some(rounds), Some(Source::Wilcoxon)),
        (None, _) => (None, None),
    };
    // the t interval lies round the mean: where noise is skewed it may miss the estimate that it is given for
    let interval = interval.map(|found| Interval { low: found.low.min(value), high: found.high.max(value) });
    Some(Estimate { value: value.exp(), interval: interval.map(|found| found.map(f64::exp)), source })
}

/// Estimates the ratio of paired blocks, each pair given with its epoch, epochs in order; None of nothing.
pub fn ratio(pairs: &[(u64, Pair)]) -> Option<Ratio> {
    let ratios: Vec<(u64, f64)> =
        pairs.iter().map(|(epoch, pair)| (*epoch, pair.test.rate() / pair.base.rate())).collect();
    let amounts: Vec<Pair> = pairs.iter().map(|(_, pair)| *pair).collect();
    let logs: Vec<f64> = ratios.iter().map(|(_, ratio)| ratio.ln()).collect();
    let estimate = location(&ratios)?;
    let total = ratio_of_totals::log_estimate(&amounts)?.exp();
    let total_interval = ratio_of_totals::log_interval(&amounts, super::CONFIDENCE);
    let t_interval = student_t::interval(&logs, super::CONFIDENCE);
    let skewed = match (wilcoxon::interval(&logs, super::CONFIDENCE), estimate.interval, total_interval, t_interval) {
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
    location(&blocks.iter().map(|(epoch, amount)| (*epoch, amount.rate())).collect::<Vec<_>>())
}

/// Means of the logs by epoch. An epoch that was cut short after less than half its rounds is left out: its mean would
/// be noisier than the others', which the t interval takes as equals.
fn epoch_means(values: &[(u64, f64)]) -> Vec<f64> {
    let epochs: Vec<&[(u64, f64)]> = values.chunk_by(|a, b| a.0 == b.0).collect();
    let longest = epochs.iter().map(|epoch| epoch.len()).max().unwrap_or(0);
    epochs
        .into_iter()
        .filter(|epoch| epoch.len() * 2 >= longest)
        .map(|epoch| mean(&epoch.iter().map(|(_, value)| value.ln()).collect::<Vec<_>>()))
        .collect()
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
