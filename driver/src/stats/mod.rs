//! Statistics: pure functions of numbers, a citation above each. `METHODOLOGY.md` says why these.

pub mod center;
pub mod difference;
pub mod epoch_t;
pub mod estimate;
pub mod hodges_lehmann;
pub mod lag;
pub mod outlier;
pub mod rank;
pub mod ratio_of_totals;
pub mod spread;
pub mod steady;
pub mod student_t;
pub mod verdict;
pub mod walsh;
pub mod welch;
pub mod wilcoxon;

/// Share of intervals that are meant to hold the truth.
pub const CONFIDENCE: f64 = 0.95;

/// A confidence interval, `low <= high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The same interval with a monotonically rising function applied to its ends.
    pub fn map(self, rising: impl Fn(f64) -> f64) -> Self {
        Self { low: rising(self.low), high: rising(self.high) }
    }
}

/// The arithmetic mean; NaN of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

/// The sample variance, n - 1 below; NaN of fewer than two values.
pub fn variance(values: &[f64]) -> f64 {
    let center = mean(values);
    values.iter().map(|value| (value - center).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}
