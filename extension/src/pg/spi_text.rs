//! `SPI_execute` of a text whose key is written anew for each select.
//!
//! Counterpart: src/backend/executor/spi.c (`SPI_execute`).

use pgrx::pg_sys;

use crate::error::Result;
use crate::pg::spi::{Connection, add_rows, check};
use crate::pg::timed_loop::{Step, Tally};
use crate::pg::{encoding, raw};

/// Room for a quoted bigint, the longest being '-9223372036854775808', and the end of the text.
const LITERAL: usize = 24;

pub struct ExecuteText<'a, const UNUSED: u32> {
    /// The text before the key, then room for the key, zero to the end.
    text: Box<[u8]>,
    /// Where the key starts.
    start: usize,
    failure: i32,
    _connection: &'a Connection,
}

impl<'a, const UNUSED: u32> ExecuteText<'a, UNUSED> {
    /// `before` is the statement up to its key; its first column's type leaves `UNUSED` bits of a Datum unused.
    pub fn new(connection: &'a Connection, before: &str) -> Result<Self> {
        let mut text = encoding::to_server(before)?.into_bytes();
        let start = text.len();
        text.resize(start + LITERAL, 0);
        Ok(Self { text: text.into(), start, failure: 0, _connection: connection })
    }

    /// An error where SPI refused a select with a result code.
    pub fn check(&self) -> Result<()> {
        check("SPI_execute", self.failure)
    }

    /// Writes `key` as pgbench writes it, digits alone; a negative one quoted, so that the smallest bigint is no numeric.
    #[inline(always)]
    fn write(&mut self, key: i64) {
        let mut digits = [0_u8; 20];
        let mut rest = key.unsigned_abs();
        let mut at = digits.len();
        let negative = key < 0;
        // SAFETY: 20 digits hold any u64, and LITERAL bytes a sign, two quotes, 20 digits and the closing zero; `start` is where
        // LITERAL bytes were appended
        unsafe {
            loop {
                at = at.wrapping_sub(1);
                *digits.as_mut_ptr().add(at) = b'0' + (rest % 10) as u8;
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
            let mut to = self.text.as_mut_ptr().add(self.start);
            if negative {
                *to = b'\'';
                *to.add(1) = b'-';
                to = to.add(2);
            }
            let length = digits.len().wrapping_sub(at);
            std::ptr::copy_nonoverlapping(digits.as_ptr().add(at), to, length);
            to = to.add(length);
            if negative {
                *to = b'\'';
                to = to.add(1);
            }
            *to = 0;
        }
    }
}

// SAFETY: the text is written in place; rows belong to SPI's contexts and are freed
unsafe impl<const UNUSED: u32> Step for ExecuteText<'_, UNUSED> {
    #[inline(always)]
    unsafe fn step(&mut self, key: i64, tally: &mut Tally) {
        self.write(key);
        // SAFETY: connected; the text ends in zero, and its rows have one column of the type given
        unsafe {
            let code = raw::SPI_execute(self.text.as_ptr().cast(), false, 0);
            if code != pg_sys::SPI_OK_SELECT as i32 {
                self.failure = code.min(-1);
                return;
            }
            add_rows::<UNUSED>(tally);
        }
    }
}
