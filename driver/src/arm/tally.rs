//! What a client counted over a block.

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
