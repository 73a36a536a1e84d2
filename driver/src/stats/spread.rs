//! What repeats of one run gave: their centre, how far they lie apart, and where the mean may lie.

use serde::{Deserialize, Serialize};

use super::{CONFIDENCE, Interval, mean, student_t, variance};

/// Repeats summed up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub n: usize,
    pub mean: f64,
    pub median: f64,
    /// The sample's, n - 1 below; None of one repeat.
    pub sd: Option<f64>,
    /// `sd` as a share of `mean`.
    pub cv: Option<f64>,
    /// The 95 % interval of the mean; None of one repeat.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub min: f64,
    pub max: f64,
}

impl Spread {
    /// Of finite `values`, taken as independent; None of nothing.
    ///
    /// The interval is Student's (The probable error of a mean. Biometrika 6 (1908), 1–25), the coefficient of variation
    /// Pearson's (Mathematical contributions to the theory of evolution III. Phil. Trans. R. Soc. A 187 (1896), 253–318).
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let mean = mean(values);
        let sd = (values.len() > 1).then(|| variance(values).sqrt());
        let interval = student_t::interval(values, CONFIDENCE);
        Some(Self {
            n: values.len(),
            mean,
            median: (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0,
            sd,
            cv: sd.map(|sd| sd / mean).filter(|share| share.is_finite()),
            low: interval.map(|ends| ends.low),
            high: interval.map(|ends| ends.high),
            min,
            max,
        })
    }

    pub fn interval(&self) -> Option<Interval> {
        Some(Interval { low: self.low?, high: self.high? })
    }
}
