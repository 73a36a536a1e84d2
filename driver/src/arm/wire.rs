//! The script of a wire arm: one select a request, rows counted and summed.

use bytes::BytesMut;

use super::tally::Sums;
use super::{Counting, Keys, Tally, Text, WireArm};
use crate::error::Result;
use crate::wire::{Row, Rows, Script};

pub struct WireScript<'a> {
    arm: &'static dyn WireArm,
    text: &'a Text,
    keys: Keys,
    selects: i64,
    sums: Sums,
}

impl<'a> WireScript<'a> {
    pub fn new(arm: &'static dyn WireArm, text: &'a Text, keys: Keys) -> Self {
        Self { arm, text, keys, selects: 0, sums: Sums::default() }
    }
}

impl Rows for WireScript<'_> {
    #[inline]
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        self.sums.add(row.integer()?)
    }
}

impl Script for WireScript<'_> {
    fn in_flight(&self) -> usize {
        self.arm.in_flight()
    }

    #[inline]
    fn request(&mut self, out: &mut BytesMut) -> Result<()> {
        if self.keys.between_calls() {
            self.sums.next_call();
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
            found: lookups.then_some(self.sums.found),
            checksum: lookups.then_some(self.sums.checksum()),
            calls: None,
            server_ns: None,
        }
    }
}
