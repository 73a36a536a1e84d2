//! Student's t interval for a mean.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Interval, mean, variance};

/// The interval of `confidence` for the mean of `values`, taken as independent and normal; None below two values.
///
/// Student: The probable error of a mean. Biometrika 6 (1908), 1–25.
pub fn interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let half = quantile(values.len(), confidence)? * (variance(values) / values.len() as f64).sqrt();
    let center = mean(values);
    Some(Interval { low: center - half, high: center + half })
}

/// The two-sided quantile of t with `n - 1` degrees of freedom; None below two values.
pub fn quantile(n: usize, confidence: f64) -> Option<f64> {
    with_freedom(n.checked_sub(1)? as f64, confidence)
}

/// The two-sided quantile of t with so many degrees of freedom, whole or not; None of none.
pub fn with_freedom(freedom: f64, confidence: f64) -> Option<f64> {
    Some(StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(1.0 - (1.0 - confidence) / 2.0))
}
