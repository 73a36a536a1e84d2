//! The centre of what rounds gave, with the wider of two intervals: what every estimate of this project is made of.
//!
//! Wilcoxon's interval takes rounds as independent; the t interval on epoch means takes only epochs so, and catches
//! what a backend carries from round to round (memory layout, cache colour). Choosing one by a pre-test undercovers,
//! so the wider one is given, always.

use super::{CONFIDENCE, Interval, hodges_lehmann, mean, student_t, wilcoxon};

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

/// A quantity with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// None below six rounds.
    pub interval: Option<Interval>,
    pub source: Option<Source>,
}

/// Estimates the centre of finite `values` (logs, or differences), each given with its epoch, epochs in order; None of
/// nothing.
pub fn center(values: &[(u64, f64)]) -> Option<Estimate> {
    let plain: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let value = hodges_lehmann::estimate(&plain)?;
    let rounds = wilcoxon::interval(&plain, CONFIDENCE);
    let epochs = rounds.and_then(|_| student_t::interval(&epoch_means(values), CONFIDENCE));
    let (interval, source) = match (rounds, epochs) {
        (Some(rounds), Some(epochs)) if epochs.width() > rounds.width() => (Some(epochs), Some(Source::EpochT)),
        (Some(rounds), _) => (Some(rounds), Some(Source::Wilcoxon)),
        (None, _) => (None, None),
    };
    // the t interval lies round the mean: where noise is skewed it may miss the estimate that it is given for
    let interval = interval.map(|found| Interval { low: found.low.min(value), high: found.high.max(value) });
    Some(Estimate { value, interval, source })
}

/// Means by epoch. An epoch that was cut short after less than half its rounds is left out: its mean would be noisier
/// than the others', which the t interval takes as equals.
fn epoch_means(values: &[(u64, f64)]) -> Vec<f64> {
    let epochs: Vec<&[(u64, f64)]> = values.chunk_by(|a, b| a.0 == b.0).collect();
    let longest = epochs.iter().map(|epoch| epoch.len()).max().unwrap_or(0);
    epochs
        .into_iter()
        .filter(|epoch| epoch.len() * 2 >= longest)
        .map(|epoch| mean(&epoch.iter().map(|(_, value)| *value).collect::<Vec<_>>()))
        .collect()
}
