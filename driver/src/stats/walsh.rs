//! Walsh averages: the n(n+1)/2 means of a value with itself and with each other value. Their median is the
//! Hodges–Lehmann estimate, their order statistics are the ends of Wilcoxon's interval.
//!
//! They are never written out: a night of rounds would have hundreds of millions. The k-th smallest is found by
//! bisection over the representable numbers, counting the averages below by two pointers, so the result is exact.

/// Number of Walsh averages of `n` values.
pub fn count(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The `k`-th smallest Walsh average, from 1, of values in ascending order. All values are finite, `k` is in range.
pub fn kth(sorted: &[f64], k: usize) -> f64 {
    let (mut below, mut reached) = (rank(sorted[0]), rank(sorted[sorted.len() - 1]));
    while below < reached {
        let middle = ((i128::from(below) + i128::from(reached)) >> 1) as i64;
        if count_up_to(sorted, value(middle)) >= k {
            reached = middle;
        } else {
            below = middle + 1;
        }
    }
    value(below)
}

/// How many Walsh averages are at most `bound`.
fn count_up_to(sorted: &[f64], bound: f64) -> usize {
    let mut partners = sorted.len();
    let mut total = 0;
    for (first, &low) in sorted.iter().enumerate() {
        // partners fall as the first value rises, since rounding keeps the order of sums
        while partners > first && (low + sorted[partners - 1]) / 2.0 > bound {
            partners -= 1;
        }
        if partners <= first {
            break;
        }
        total += partners - first;
    }
    total
}

/// Numbers the doubles in their order, so that halving an interval of numbers halves the doubles in it.
fn rank(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

fn value(rank: i64) -> f64 {
    let bits = if rank < 0 { i64::MIN.wrapping_sub(rank) } else { rank };
    f64::from_bits(bits as u64)
}
