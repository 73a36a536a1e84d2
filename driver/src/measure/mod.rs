//! The measuring engine: epochs of rounds of blocks.

use crate::error::Result;
use crate::record::Block;

/// What to do after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Continue,
    Stop,
}

/// Where measurements go as they are made: a record, a progress bar, a stop rule.
pub trait Sink {
    /// A finished block, in the order of measuring.
    fn block(&mut self, block: Block) -> Result<()>;
    /// All blocks of round `round` (from 0, through the run) are in; `epoch_done` when it was the epoch's last.
    fn round(&mut self, round: u64, epoch: u64, epoch_done: bool) -> Result<Next>;
    /// Something the reader of the result has to know.
    fn warn(&mut self, warning: String);
}
