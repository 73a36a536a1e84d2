//! When a run has enough.

use crate::measure::Next;
use crate::record::{Block, Header};
use crate::report;
use crate::schedule::{first_look, is_look};

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
        let seconds = |block: &Block| block.driver_ns as f64 / 1e9;
        let spent: f64 = blocks.iter().map(seconds).sum();
        let last: f64 = blocks.iter().rev().take_while(|block| block.round + 1 == rounds).map(seconds).sum();
        // the round that would end beyond the limit, were it as long as the last one, is not begun
        let no_time = spent + last > plan.time_limit_s;
        let no_round = plan.max_rounds.is_some_and(|most| rounds >= most);
        if no_time || no_round || (self == Self::Precise && precise(rounds, header, blocks)) {
            Next::Stop
        } else {
            Next::Continue
        }
    }
}

fn precise(rounds: u64, header: &Header, blocks: &[Block]) -> bool {
    let plan = &header.plan;
    let enough = rounds >= first_look(plan.min_epochs, plan.rounds_per_epoch, plan.block_ms);
    enough && is_look(rounds) && report::precision(header, blocks).is_some_and(|found| found <= plan.half_width)
}
