//! Does a round depend on the one before? Intervals over rounds take them as independent; where they are not, the reader is
//! told, and the interval over epochs is what holds.

use statrs::distribution::{ContinuousCDF, Normal};

use super::rank::ranks;

/// Rounds below which nothing is said.
const FEWEST: usize = 20;

/// Significance of the test: one comparison of independent rounds in a hundred is called dependent.
const LEVEL: f64 = 0.01;

/// Dependence of neighbouring rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lag {
    /// Lag-1 rank correlation, about 0 where rounds are independent.
    pub correlation: f64,
    /// Is it more than chance would make it?
    pub clear: bool,
}

/// How much each of `series`, in its order of time, depends on the one before; None below 20 values, or where all are
/// equal.
///
/// Bartels: The rank version of von Neumann's ratio test for randomness. Journal of the American Statistical Association 77
/// (1982), 40–46: the sum of squared differences of neighbouring ranks over the ranks' sum of squares is 2 in the mean
/// and 2 (1 - correlation) under dependence. Ranks, so that a stalled round counts as one; ties share their ranks; the
/// normal approximation.
pub fn lag1(series: &[f64]) -> Option<Lag> {
    if series.len() < FEWEST {
        return None;
    }
    let ranks = ranks(series);
    let n = series.len() as f64;
    let middle = (n + 1.0) / 2.0;
    let squares: f64 = ranks.iter().map(|rank| (rank - middle).powi(2)).sum();
    if squares == 0.0 {
        return None;
    }
    let ratio = ranks.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f64>() / squares;
    let variance = 4.0 * (n - 2.0) * (5.0 * n * n - 2.0 * n - 9.0) / (5.0 * n * (n + 1.0) * (n - 1.0).powi(2));
    let clear = (ratio - 2.0).abs() > variance.sqrt() * Normal::standard().inverse_cdf(1.0 - LEVEL / 2.0);
    Some(Lag { correlation: 1.0 - ratio / 2.0, clear })
}
