//! The centre of what rounds gave, with the wider of two intervals: what every estimate of this project is made of.
//!
//! Wilcoxon's interval takes rounds as independent; the t interval over epochs takes only epochs so, and catches what a
//! backend carries from round to round (memory layout, cache colour). Choosing one by a pre-test undercovers, so the wider
//! one is given, always.

use super::{Interval, epoch_t, hodges_lehmann, wilcoxon};

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
    /// None below six rounds, or where so few cannot give the confidence.
    pub interval: Option<Interval>,
    pub source: Option<Source>,
}

/// Estimates the centre of finite `values` (logs, or differences), each given with its epoch, epochs in order; None of
/// nothing.
pub fn center(values: &[(u64, f64)], confidence: f64) -> Option<Estimate> {
    let plain: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let value = hodges_lehmann::estimate(&plain)?;
    let rounds = wilcoxon::accepted(&plain, confidence);
    let epochs = rounds.and_then(|accepted| epoch_t::interval(values, value, accepted, confidence));
    let (interval, source) = match (rounds, epochs) {
        (Some(rounds), Some(epochs)) if epochs.width() > rounds.interval.width() => {
            (Some(epochs), Some(Source::EpochT))
        }
        (Some(rounds), _) => (Some(rounds.interval), Some(Source::Wilcoxon)),
        (None, _) => (None, None),
    };
    Some(Estimate { value, interval, source })
}
