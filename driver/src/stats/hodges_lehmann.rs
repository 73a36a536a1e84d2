//! The Hodges–Lehmann estimate: the median of all pairwise means. Nearly as precise as the mean where noise is normal
//! (95.5 %), and unmoved by the few slow rounds that every machine has.

use super::walsh;

/// The pseudomedian of `values`; None of nothing. All values are finite.
///
/// Hodges, Lehmann: Estimates of location based on rank tests. Annals of Mathematical Statistics 34 (1963), 598–611.
pub fn estimate(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let pairs = walsh::count(sorted.len());
    let low = walsh::kth(&sorted, pairs.div_ceil(2));
    let high = if pairs.is_multiple_of(2) { walsh::kth(&sorted, pairs / 2 + 1) } else { low };
    Some((low + high) / 2.0)
}
