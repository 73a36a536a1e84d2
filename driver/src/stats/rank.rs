//! Ranks.

/// The rank of each of `values`, from 1 for the smallest; ties share the mean of theirs.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        for &at in tied {
            ranks[at] = below as f64 + (tied.len() as f64 + 1.0) / 2.0;
        }
        below += tied.len();
    }
    ranks
}
