//! The ratio of two rates that were measured apart from each other: no rounds pair them.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Interval, mean, variance};

/// A ratio of geometric means with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub value: f64,
    /// None below two values on either side.
    pub interval: Option<Interval>,
}

/// `test` over `base`, all positive and independent, by the t interval on the difference of their logs; None of nothing.
///
/// Welch: The generalization of "Student's" problem when several different population variances are involved. Biometrika 34
/// (1947), 28–35.
pub fn ratio(test: &[f64], base: &[f64], confidence: f64) -> Option<Ratio> {
    if test.is_empty() || base.is_empty() {
        return None;
    }
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    let (test, base) = (logs(test), logs(base));
    let center = mean(&test) - mean(&base);
    let interval = half_width(&test, &base, confidence)
        .map(|half| Interval { low: center - half, high: center + half }.map(f64::exp));
    Some(Ratio { value: center.exp(), interval })
}

fn half_width(test: &[f64], base: &[f64], confidence: f64) -> Option<f64> {
    let freedom = |values: &[f64]| values.len().checked_sub(1).filter(|&freedom| freedom > 0).map(|it| it as f64);
    let (test_freedom, base_freedom) = (freedom(test)?, freedom(base)?);
    let (test_part, base_part) = (variance(test) / test.len() as f64, variance(base) / base.len() as f64);
    let sum = test_part + base_part;
    if sum == 0.0 {
        return Some(0.0);
    }
    let freedom = sum.powi(2) / (test_part.powi(2) / test_freedom + base_part.powi(2) / base_freedom);
    let quantile = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(1.0 - (1.0 - confidence) / 2.0);
    Some(quantile * sum.sqrt())
}
