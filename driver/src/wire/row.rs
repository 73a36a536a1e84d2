//! One DataRow message, read in place.

use crate::error::{Error, Result};

/// The body of a DataRow: a count of columns, then each with its length (-1 for NULL) before it.
#[derive(Clone, Copy)]
pub struct Row<'a>(&'a [u8]);

impl<'a> Row<'a> {
    pub fn new(body: &'a [u8]) -> Self {
        Self(body)
    }

    /// The columns in order, None for NULL; ends early where the message is shorter than it says.
    pub fn columns(self) -> impl Iterator<Item = Option<&'a [u8]>> {
        let mut rest = self.0.get(2..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk::<4>()?;
            match usize::try_from(i32::from_be_bytes(*length)) {
                Err(_) => {
                    rest = after;
                    Some(None)
                }
                Ok(length) => {
                    let (column, after) = after.split_at_checked(length)?;
                    rest = after;
                    Some(Some(column))
                }
            }
        })
    }

    /// The first column as a number in text format; None for NULL.
    ///
    /// # Errors
    /// When it is something else, or there is no column.
    #[inline]
    pub fn integer(self) -> Result<Option<i64>> {
        match self.columns().next() {
            None => Err(Error::failed("the server sent a row without a column")),
            Some(None) => Ok(None),
            Some(Some(text)) => integer(text).map(Some),
        }
    }
}

/// A decimal number as the server writes int2, int4 and int8.
#[inline]
pub fn integer(text: &[u8]) -> Result<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let mut value: i64 = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        // built downwards: the smallest bigint has no positive counterpart
        value = match value.checked_mul(10).and_then(|value| value.checked_sub(i64::from(digit))) {
            Some(value) if digit <= 9 => value,
            _ => return Err(not_integer(text)),
        };
    }
    let value = if negative { Some(value) } else { value.checked_neg() };
    value.filter(|_| !digits.is_empty()).ok_or_else(|| not_integer(text))
}

#[cold]
fn not_integer(text: &[u8]) -> Error {
    Error::failed(format!("\"{}\" is not an integer", String::from_utf8_lossy(text)))
        .hint("the value column must be of type smallint, integer or bigint")
}
