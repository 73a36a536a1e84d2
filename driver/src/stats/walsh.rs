//! Walsh averages: the n(n+1)/2 means of a value with itself and with each other value. Their median is the
//! Hodges–Lehmann estimate, their order statistics are the ends of Wilcoxon's interval.
//!
//! They are never all written out: a night of rounds would have hundreds of millions. The k-th smallest is closed in on by
//! halving, counting the averages below by two pointers; the few that are left are sorted, so the result is exact.

/// Number of Walsh averages of `n` values.
pub fn count(n: usize) -> usize {
    n * (n + 1) / 2
}

/// The `k`-th smallest Walsh average, from 1, of values in ascending order. All values are finite, `k` is in range.
pub fn kth(sorted: &[f64], k: usize) -> f64 {
    // more than `low`, `up_to_low` averages being at most that; at most `high`
    let (mut low, mut up_to_low) = (sorted[0].next_down(), 0);
    let (mut high, mut up_to_high) = (sorted[sorted.len() - 1], count(sorted.len()));
    while up_to_high - up_to_low > 2 * sorted.len() {
        let middle = low.midpoint(high);
        if middle <= low || middle >= high {
            // no number between them: all that are left are equal
            return high;
        }
        let up_to_middle = count_up_to(sorted, middle);
        if up_to_middle >= k {
            (high, up_to_high) = (middle, up_to_middle);
        } else {
            (low, up_to_low) = (middle, up_to_middle);
        }
    }
    let mut left = between(sorted, low, high);
    left.sort_unstable_by(f64::total_cmp);
    left[k - up_to_low - 1]
}

/// How many Walsh averages are at most `bound`.
fn count_up_to(sorted: &[f64], bound: f64) -> usize {
    let mut partners = sorted.len();
    let mut total = 0;
    for first in 0..sorted.len() {
        partners = partners_up_to(sorted, first, partners, bound);
        if partners <= first {
            break;
        }
        total += partners - first;
    }
    total
}

/// The Walsh averages above `low` and at most `high`.
fn between(sorted: &[f64], low: f64, high: f64) -> Vec<f64> {
    let (mut from, mut to) = (sorted.len(), sorted.len());
    let mut found = Vec::new();
    for first in 0..sorted.len() {
        to = partners_up_to(sorted, first, to, high);
        if to <= first {
            break;
        }
        from = partners_up_to(sorted, first, from, low);
        found.extend(sorted[from.max(first)..to].iter().map(|partner| (sorted[first] + partner) / 2.0));
    }
    found
}

/// The end of the partners, `most` at most, with which the `first` value averages `bound` at most. It falls as the first
/// value rises, since rounding keeps the order of sums.
fn partners_up_to(sorted: &[f64], first: usize, most: usize, bound: f64) -> usize {
    let mut end = most;
    while end > first && (sorted[first] + sorted[end - 1]) / 2.0 > bound {
        end -= 1;
    }
    end
}
