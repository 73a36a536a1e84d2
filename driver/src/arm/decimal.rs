//! A number as text on the stack: parameters are text as libpq's and pgbench's are, without an allocation each.

/// Digits of the longest bigint, with its sign.
const LENGTH: usize = 20;

pub struct Decimal {
    digits: [u8; LENGTH],
    start: usize,
}

impl Decimal {
    #[inline]
    pub fn new(value: i64) -> Self {
        let mut decimal = Self { digits: [0; LENGTH], start: LENGTH };
        let mut rest = value.unsigned_abs();
        loop {
            decimal.push(b'0' + (rest % 10) as u8);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            decimal.push(b'-');
        }
        decimal
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.digits[self.start] = byte;
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.digits[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        for value in [0, 1, -1, 9, 10, 4711, -100_000, i64::MAX, i64::MIN] {
            assert_eq!(Decimal::new(value).bytes(), value.to_string().as_bytes());
        }
    }
}
