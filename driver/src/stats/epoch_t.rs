//! Student's t interval over epochs, for the Hodges–Lehmann estimate: what fresh backends change is the same for all rounds
//! of an epoch, so epochs are what is independent.
//!
//! Not the t interval of epoch *means*: that lies round the mean, which a few stalled rounds of one arm drag away from the
//! estimate. In simulation (tests/no_server/coverage.rs has the machines) it holds the estimate's target in 74 of 100 runs
//! of such a machine, and is six times as wide as it need be where both arms stall.

use super::rank::ranks;
use super::wilcoxon::Accepted;
use super::{Interval, student_t};

/// The interval of `confidence` round `center`, the Hodges–Lehmann estimate of `values`, each given with its epoch, epochs
/// in order; `accepted` is Wilcoxon's of the same values. None below two epochs.
///
/// The estimate is where the signed-rank sum is 0, so its variance is that of the rank sum over the square of the sum's
/// slope. The variance is taken between the epochs' sums (Rosner, Glynn, Lee: The Wilcoxon signed rank test for paired
/// comparisons of clustered data. Biometrics 62 (2006), 185–192), with the covariance of neighbouring epochs where it is
/// above 0, since slow changes of the machine reach over epochs (Hansen, Hodrick: Forward exchange rates as optimal
/// predictors of future spot rates. Journal of Political Economy 88 (1980), 829–853, of one lag). The slope is that
/// between the ends of Wilcoxon's interval; the quantile is Student's with one degree of freedom less than epochs.
///
/// Noise that lasts longer than two epochs is seen in neighbours put together to batches of the same number of epochs each
/// (Schmeiser: Batch size effects in the analysis of simulation output. Operations Research 30 (1982), 556–568, who finds 10
/// to 30 batches enough). So the widest of three is taken: that of epochs, of 20 batches or some more, of 10 or some more.
///
/// An epoch or batch that was cut short after less than half its rounds does not count as one.
pub fn interval(values: &[(u64, f64)], center: f64, accepted: Accepted, confidence: f64) -> Option<Interval> {
    let scores = signed_ranks(values, center);
    let epochs = values.chunk_by(|a, b| a.0 == b.0).count() as u64;
    let sizes = [1, epochs / 20, epochs / 10];
    let half = |epochs| half_rank_sum(values, &scores, epochs, confidence);
    let widest = sizes.into_iter().filter_map(half).reduce(f64::max)?;
    // a step over one Walsh average moves the sum of signed ranks by 2
    let half = widest * accepted.interval.width() / (2.0 * accepted.averages as f64);
    Some(Interval { low: center - half, high: center + half })
}

/// How far the sum of `scores` may be from 0, by batches of so many epochs. None below two batches.
fn half_rank_sum(values: &[(u64, f64)], scores: &[f64], epochs: u64, confidence: f64) -> Option<f64> {
    let first = values.first()?.0;
    let batch_of = |value: &(u64, f64)| (value.0 - first) / epochs.max(1);
    let mut sums = Vec::new();
    let mut lengths = Vec::new();
    let mut start = 0;
    for batch in values.chunk_by(|a, b| batch_of(a) == batch_of(b)) {
        sums.push(scores[start..start + batch.len()].iter().sum::<f64>());
        lengths.push(batch.len());
        start += batch.len();
    }
    let longest = lengths.iter().max()?;
    let batches = lengths.iter().filter(|&length| length * 2 >= *longest).count();
    let quantile = student_t::quantile(batches, confidence)?;
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let neighbours: f64 = sums.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let variance = (squares + 2.0 * neighbours.max(0.0)) * batches as f64 / (batches as f64 - 1.0);
    Some(quantile * variance.sqrt())
}

/// Each value's rank by its distance from `center`, with the sign of its side.
fn signed_ranks(values: &[(u64, f64)], center: f64) -> Vec<f64> {
    let sides: Vec<f64> = values.iter().map(|(_, value)| value - center).collect();
    let distances: Vec<f64> = sides.iter().map(|side| side.abs()).collect();
    let signed = |(rank, side): (f64, &f64)| if *side == 0.0 { 0.0 } else { rank.copysign(*side) };
    ranks(&distances).into_iter().zip(&sides).map(signed).collect()
}
