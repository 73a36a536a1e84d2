//! The remainder of a hash divided by the number of rows, by multiplication: a division takes many times as long, and the divisor stays
//! the same through a run.
//!
//! Source: Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994, theorem 4.2. Numbers
//! below 2^63 need a multiplier of 64 bits only.

/// Divides numbers of 63 bits by one divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remainder {
    divisor: u64,
    /// ceil(2^(63 + l) / divisor), where 2^l is the smallest power of two from the divisor on; below 2^64
    multiplier: u64,
    /// l - 1: the product's upper half is shifted by so much. None where l is 0: everything divides by 1.
    shift: Option<u32>,
}

impl Remainder {
    /// `divisor` is at least 1.
    pub fn new(divisor: i64) -> Self {
        let divisor = divisor.max(1) as u64;
        let power = divisor.next_power_of_two().trailing_zeros();
        let multiplier = (1_u128 << (63 + power)).div_ceil(u128::from(divisor)) as u64;
        Self { divisor, multiplier, shift: power.checked_sub(1) }
    }

    /// `hash` without its sign, divided: what is left, from 0 to divisor - 1.
    #[inline(always)]
    pub fn of(self, hash: i64) -> i64 {
        let Some(shift) = self.shift else { return 0 };
        let number = (hash & i64::MAX) as u64;
        let upper = ((u128::from(number) * u128::from(self.multiplier)) >> 64) as u64;
        let quotient = upper.wrapping_shr(shift);
        number.wrapping_sub(quotient.wrapping_mul(self.divisor)) as i64
    }
}

#[cfg(test)]
mod test {
    use super::Remainder;

    #[test]
    fn is_what_division_gives() {
        let edges = |n: u64| [n.wrapping_sub(1), n, n.wrapping_add(1)];
        let powers = (0..63).flat_map(|bit| edges(1 << bit));
        let numbers: Vec<u64> = powers.chain(edges(100_000)).chain(edges(i64::MAX as u64)).collect();
        for &divisor in numbers.iter().filter(|&&n| n >= 1 && n <= i64::MAX as u64) {
            let remainder = Remainder::new(divisor as i64);
            let multiples = numbers.iter().flat_map(|n| edges(n.wrapping_mul(divisor)));
            for number in numbers.iter().copied().chain(multiples) {
                let expected = (number & i64::MAX as u64) % divisor;
                assert_eq!(remainder.of(number as i64) as u64, expected, "{number} by {divisor}");
            }
        }
    }
}
