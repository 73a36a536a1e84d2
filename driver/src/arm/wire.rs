//! The script of a wire arm: one select a request, rows counted and summed.

use bytes::BytesMut;

use super::{Counting, Keys, Tally, Text, WireArm};
use crate::error::{Error, Result};
use crate::wire::{Row, Rows, Script};

pub struct WireScript<'a> {
    arm: &'static dyn WireArm,
    text: &'a Text,
    keys: Keys,
    selects: i64,
    found: i64,
    /// Of the call under way; as in a layer, it must fit a bigint.
    sum: i64,
    /// Of the calls before: a fingerprint, which may wrap.
    total: i64,
}

impl<'a> WireScript<'a> {
    pub fn new(arm: &'static dyn WireArm, text: &'a Text, keys: Keys) -> Self {
        Self { arm, text, keys, selects: 0, found: 0, sum: 0, total: 0 }
    }
}

impl Rows for WireScript<'_> {
    #[inline]
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        self.found += 1;
        self.sum = self.sum.checked_add(row.integer()?.unwrap_or(0)).ok_or_else(out_of_range)?;
        Ok(())
    }
}

#[cold]
fn out_of_range() -> Error {
    Error::failed("bigint out of range (SQLSTATE 22003)")
        .hint("the sum of the values does not fit a bigint: use a table with smaller values")
}

impl Script for WireScript<'_> {
    fn in_flight(&self) -> usize {
        self.arm.in_flight()
    }

    #[inline]
    fn request(&mut self, out: &mut BytesMut) -> Result<()> {
        if self.keys.between_calls() {
            self.total = self.total.wrapping_add(self.sum);
            self.sum = 0;
        }
        self.arm.request(self.text, self.keys.draw(), out)
    }

    #[inline]
    fn answered(&mut self) -> Result<bool> {
        self.selects += 1;
        Ok(true)
    }
}

impl Counting for WireScript<'_> {
    fn tally(&self) -> Tally {
        let lookups = !self.arm.control();
        Tally {
            selects: self.selects,
            found: lookups.then_some(self.found),
            checksum: lookups.then_some(self.total.wrapping_add(self.sum)),
            calls: None,
            server_ns: None,
        }
    }
}
