//! The interval that belongs to the Hodges–Lehmann estimate: all centres that Wilcoxon's signed-rank test accepts.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{Interval, walsh};

/// Rounds below which no interval is given: five have only 32 sign patterns, none of them rarer than 1 in 32.
pub const FEWEST: usize = 6;

/// Rounds from which the normal approximation replaces the exact distribution.
pub const APPROXIMATE_FROM: usize = 15;

/// The centres that the test accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accepted {
    pub interval: Interval,
    /// Walsh averages within the interval: how far the rank sum moves from one end to the other.
    pub averages: usize,
}

/// The interval of `confidence` for the centre of `values`; None as for [`accepted`].
pub fn interval(values: &[f64], confidence: f64) -> Option<Interval> {
    accepted(values, confidence).map(|found| found.interval)
}

/// What Wilcoxon's test of level 1 - `confidence` accepts of `values`; None below [`FEWEST`], or where even the widest
/// interval covers less than `confidence`.
///
/// The ends are the k-th Walsh averages from below and above (Hollander, Wolfe: Nonparametric statistical methods, 2nd
/// edition, 1999, section 3.3), k being one more than the largest signed-rank sum that the test rejects on either
/// side. Below 15 values the distribution is exact, ties counted as if there were none; from 15 on it is normal with
/// continuity correction and the variance corrected for ties, as `wilcoxon(correction=True, method="asymptotic")` of
/// scipy and `wilcox.test(exact = FALSE)` of R have it. Exact intervals cover at least `confidence`.
pub fn accepted(values: &[f64], confidence: f64) -> Option<Accepted> {
    if values.len() < FEWEST {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    let rejected = if sorted.len() < APPROXIMATE_FROM {
        rejected_exactly(sorted.len(), tail)?
    } else {
        rejected_approximately(&sorted, tail)?
    };
    let pairs = walsh::count(sorted.len());
    let interval = Interval { low: walsh::kth(&sorted, rejected + 1), high: walsh::kth(&sorted, pairs - rejected) };
    Some(Accepted { interval, averages: pairs - 2 * rejected })
}

/// The largest rank sum whose probability, smaller ones included, is at most `tail`.
fn rejected_exactly(n: usize, tail: f64) -> Option<usize> {
    // ways[s]: how many sets of the ranks so far sum to s
    let mut ways = vec![0_u64; walsh::count(n) + 1];
    ways[0] = 1;
    for rank in 1..=n {
        for sum in (rank..ways.len()).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let all = (1_u64 << n) as f64;
    let mut seen = 0;
    let accepted = ways.iter().position(|&count| {
        seen += count;
        seen as f64 / all > tail
    })?;
    accepted.checked_sub(1)
}

/// The same by the normal distribution.
fn rejected_approximately(sorted: &[f64], tail: f64) -> Option<usize> {
    let n = sorted.len() as f64;
    // values that are equal stay tied whatever the centre; other ties come at single points only
    let ties: f64 = sorted.chunk_by(|a, b| a == b).map(|group| (group.len() as f64).powi(3) - group.len() as f64).sum();
    let deviation = ((n * (n + 1.0) * (2.0 * n + 1.0) - ties / 2.0) / 24.0).sqrt();
    let quantile = Normal::standard().inverse_cdf(1.0 - tail);
    let bound = n * (n + 1.0) / 4.0 - 0.5 - quantile * deviation;
    (bound >= 0.0).then_some(bound as usize)
}
