//! The difference of two arms' times per select: what one rung of the ladder costs more than the next.

use super::CONFIDENCE;
use super::center::{Estimate, center};
use super::ratio_of_totals::{Amount, Pair};

/// Nanoseconds per select that `base` takes more than `test`: paired by round, each pair given with its epoch, epochs in
/// order; None of nothing.
///
/// Hodges and Lehmann's estimate of a shift from paired differences, with Wilcoxon's signed-rank interval (Hollander,
/// Wolfe: Nonparametric statistical methods, 2nd edition, 1999, sections 3.2 and 3.3) or Student's over epochs, the
/// wider. Differences, not logs: times of parts add up, and what a part costs does not depend on what is below it.
/// The signed-rank interval takes the differences as symmetric about their centre. That holds where both arms' noise is
/// of the same shape, and pairing by round takes away what both share.
pub fn estimate(pairs: &[(u64, Pair)]) -> Option<Estimate> {
    let differences: Vec<(u64, f64)> =
        pairs.iter().map(|(epoch, pair)| (*epoch, time(pair.base) - time(pair.test))).collect();
    center(&differences, CONFIDENCE)
}

/// Nanoseconds per select.
fn time(amount: Amount) -> f64 {
    amount.elapsed / amount.selects
}
