//! When a run has enough.

use crate::measure::Next;
use crate::record::{Block, Header};
use crate::report;
use crate::schedule::is_look;

/// A rule that ends a run after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the wanted precision, looked at only at the schedule's looks, else at the plan's limits. A rule that looked
    /// after every round would stop on luck more often than the intervals say.
    Precise,
    /// At the plan's limits only.
    Limits,
}

impl Stop {
    /// Decides after `rounds` rounds with all their blocks.
    pub fn after(self, rounds: u64, header: &Header, blocks: &[Block]) -> Next {
        let plan = &header.plan;
        let spent = blocks.iter().map(|block| block.driver_ns as f64).sum::<f64>() / 1e9;
        // the round that would end beyond the limit is not begun
        let no_time = spent * (rounds + 1) as f64 / rounds as f64 > plan.time_limit_s;
        let no_round = plan.max_rounds.is_some_and(|most| rounds >= most);
        if no_time || no_round || (self == Self::Precise && precise(rounds, header, blocks)) {
            Next::Stop
        } else {
            Next::Continue
        }
    }
}

fn precise(rounds: u64, header: &Header, blocks: &[Block]) -> bool {
    let enough = rounds >= header.plan.min_epochs.saturating_mul(header.plan.rounds_per_epoch);
    enough && is_look(rounds) && report::precision(header, blocks).is_some_and(|found| found <= header.plan.half_width)
}
