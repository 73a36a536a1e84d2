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
mod remainder;
mod template;

pub use distribution::{Distribution, DistributionError};
use hash::Seeded;
use remainder::Remainder;

pub use hash::hashint8extended;
pub use mix::mix;
pub use template::fill;

/// Keys 1 to `rows` in an order that `seed` decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeySequence {
    seed: i64,
    seeded: Seeded,
    rows: i64,
    by_rows: Remainder,
    distribution: Distribution,
}

impl KeySequence {
    /// `rows` below 1 counts as 1: callers refuse an empty table before they get here.
    pub fn new(seed: i64, rows: i64, distribution: Distribution) -> Self {
        let rows = rows.max(1);
        Self { seed, seeded: Seeded::new(seed), rows, by_rows: Remainder::new(rows), distribution }
    }

    /// Key number `i`, counted from 0; from 1 to `rows`. Any `i` is allowed.
    pub fn key(&self, i: i64) -> i64 {
        match self.distribution {
            Distribution::Uniform => self.by_rows.of(self.seeded.hash(i)).wrapping_add(1),
            skewed => skewed.draw(i, self.seed, self.rows),
        }
    }

    /// `base + key` for keys `first`, `first + 1`, … Many at once cost a fraction of the same one by one: the hashes are
    /// computed in vector registers, in those that the calling function may use. A caller's loop keeps its registers where it
    /// calls this from a function of its own that is not inlined.
    #[inline(always)]
    pub fn draw<const N: usize>(&self, first: i64, base: i64, keys: &mut [i64; N]) {
        if self.distribution == Distribution::Uniform {
            let (mut upper, mut lower) = ([0; N], [0; N]);
            self.seeded.halves(first, &mut upper, &mut lower);
            let base = base.wrapping_add(1);
            for (key, (upper, lower)) in keys.iter_mut().zip(upper.iter().zip(&lower)) {
                *key = self.by_rows.of(hash::join(*upper, *lower)).wrapping_add(base);
            }
        } else {
            self.draw_skewed(first, base, keys);
        }
    }

    #[inline(never)]
    fn draw_skewed(&self, first: i64, base: i64, keys: &mut [i64]) {
        let mut i = first;
        for key in keys {
            *key = self.distribution.draw(i, self.seed, self.rows).wrapping_add(base);
            i = i.wrapping_add(1);
        }
    }

    pub fn rows(&self) -> i64 {
        self.rows
    }
}
