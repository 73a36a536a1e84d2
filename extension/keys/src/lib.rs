//! The key sequence: which key select `i` looks up.
//!
//! Extension and driver share this crate, so that an arm on the wire and a layer in the server look up the same rows
//! in the same order. Uniform keys need nothing but PostgreSQL's own functions, so PL/pgSQL draws them too:
//!
//! ```sql
//! 1 + (hashint8extended(i, seed) & 9223372036854775807) % rows
//! ```
//!
//! The crate knows nothing of PostgreSQL and never panics: the extension draws keys inside its error guard.
#![forbid(unsafe_code)]

mod distribution;
mod hash;
mod mix;
mod template;

pub use distribution::{Distribution, DistributionError};
pub use hash::hashint8extended;
pub use mix::mix;
pub use template::fill;

/// Keys 1 to `rows` in an order that `seed` decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeySequence {
    seed: i64,
    rows: i64,
    distribution: Distribution,
}

impl KeySequence {
    /// `rows` below 1 counts as 1: callers refuse an empty table before they get here.
    pub fn new(seed: i64, rows: i64, distribution: Distribution) -> Self {
        Self { seed, rows: rows.max(1), distribution }
    }

    /// Key number `i`, counted from 0; from 1 to `rows`. Any `i` is allowed.
    #[inline(always)]
    pub fn key(&self, i: i64) -> i64 {
        match self.distribution {
            Distribution::Uniform => {
                let positive = hashint8extended(i, self.seed) & i64::MAX;
                // rows >= 1, so neither the remainder nor the sum can overflow
                positive.wrapping_rem(self.rows).wrapping_add(1)
            }
            skewed => skewed.draw(i, self.seed, self.rows),
        }
    }

    pub fn rows(&self) -> i64 {
        self.rows
    }
}
