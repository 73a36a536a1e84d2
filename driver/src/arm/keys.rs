//! The keys of a client in a block: the same for every arm.

use select_loop_keys::{Distribution, KeySequence, mix};

use super::Lookup;

/// Where in a run a client is; call by call it gives the seeds.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    pub run: i64,
    pub epoch: u64,
    pub round: u64,
    pub client: u64,
}

impl Seeds {
    pub fn of_call(self, call: u64) -> i64 {
        mix(self.run, self.epoch, self.round, self.client, call)
    }
}

/// The keys of a wire arm: select i takes key i mod n of call i div n, n being the selects of a layer's call.
#[derive(Clone, Debug)]
pub struct Keys {
    seeds: Seeds,
    per_call: i64,
    /// Looked-up key = drawn key (from 1) plus this.
    offset: i64,
    rows: i64,
    distribution: Distribution,
    call: u64,
    i: i64,
    sequence: KeySequence,
}

impl Keys {
    pub fn new(seeds: Seeds, per_call: i64, lookup: &Lookup, distribution: Distribution) -> Self {
        let sequence = KeySequence::new(seeds.of_call(0), lookup.rows, distribution);
        let offset = lookup.min.wrapping_sub(1);
        Self { seeds, per_call: per_call.max(1), offset, rows: lookup.rows, distribution, call: 0, i: 0, sequence }
    }

    /// Is the next key a call's first?
    #[inline]
    pub fn between_calls(&self) -> bool {
        self.i == self.per_call || self.i == 0
    }

    #[inline]
    pub fn draw(&mut self) -> i64 {
        if self.i == self.per_call {
            self.i = 0;
            self.call += 1;
            self.sequence = KeySequence::new(self.seeds.of_call(self.call), self.rows, self.distribution);
        }
        let key = self.sequence.key(self.i);
        self.i += 1;
        self.offset.wrapping_add(key)
    }
}
