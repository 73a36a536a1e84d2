//! What a client counted over a block.

use crate::error::{Error, Result};
use crate::wire::Script;

/// Sums over one client's units, or over all clients of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub selects: i64,
    /// None where the arm does not say.
    pub found: Option<i64>,
    pub checksum: Option<i64>,
    /// Calls of a layer; None for wire arms.
    pub calls: Option<i64>,
    /// By the server's clock, summed over calls; None for wire arms.
    pub server_ns: Option<i64>,
}

impl Tally {
    /// Adds another call or client: selects and times as sums, checksums wrapping, since over a block they are only a
    /// fingerprint.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let both = |a: Option<i64>, b: Option<i64>| Some(a?.wrapping_add(b?));
        Self {
            selects: self.selects + other.selects,
            found: both(self.found, other.found),
            checksum: both(self.checksum, other.checksum),
            calls: both(self.calls, other.calls),
            server_ns: both(self.server_ns, other.server_ns),
        }
    }
}

/// A script that can say what it has done.
pub trait Counting: Script + Send {
    fn tally(&self) -> Tally;
}

/// Rows that a client was sent, and the sum of their values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    pub found: i64,
    /// Of the call under way; as in a layer, it must fit a bigint.
    sum: i64,
    /// Of the calls before: a fingerprint, which may wrap.
    total: i64,
}

impl Sums {
    /// What comes next belongs to another call.
    #[inline]
    pub fn next_call(&mut self) {
        self.total = self.total.wrapping_add(self.sum);
        self.sum = 0;
    }

    /// A row with this value; NULL counts as 0.
    ///
    /// # Errors
    /// 22003, as in every layer, where a call's sum does not fit a bigint.
    #[inline]
    pub fn add(&mut self, value: Option<i64>) -> Result<()> {
        self.found += 1;
        self.sum = self.sum.checked_add(value.unwrap_or(0)).ok_or_else(out_of_range)?;
        Ok(())
    }

    pub fn checksum(&self) -> i64 {
        self.total.wrapping_add(self.sum)
    }
}

#[cold]
fn out_of_range() -> Error {
    Error::failed("bigint out of range (SQLSTATE 22003)")
        .hint("the sum of the values does not fit a bigint: use a table with smaller values")
}
