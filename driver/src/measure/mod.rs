//! The measuring engine: epochs of rounds of blocks.
//!
//! [`Measurement::prepare`] turns the arms asked for into concrete ones (placement, side, what the server can do);
//! [`Measurement::run`] measures and hands every block to a [`Sink`], which decides after each round whether to go on.

mod agreement;
mod block;
mod connections;
mod epoch;
mod gate;
mod loss;
mod pgbench_block;
mod placing;
mod plan;
mod probe;
mod room;
mod round_trip;
mod single;
mod thread;
mod usage;
mod warm;

use std::collections::BTreeMap;

use select_loop_keys::Distribution;

use crate::arm::{ArmSpec, Lookup, Placement};
use crate::error::{Error, Result};
use crate::record::{ArmInfo, Block, Dataset, Lost, Plan};
use crate::server::Target;

pub use block::Done;
pub use placing::Pin;
pub use plan::beside_pgbench;
pub use single::Single;
pub use usage::Used;

/// What to do after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Continue,
    Stop,
}

/// Where measurements go as they are made: a record, a progress bar, a stop rule.
pub trait Sink {
    /// Everything is connected, warm and found to agree: the rounds of `epoch` come next.
    fn ready(&mut self, _epoch: u64) -> Result<()> {
        Ok(())
    }
    /// A finished block, in the order of measuring.
    fn block(&mut self, block: Block) -> Result<()>;
    /// A block that came to nothing, since a connection was lost.
    fn lost(&mut self, lost: Lost) -> Result<()>;
    /// All blocks of round `round` (from 0, through the run) are in; `epoch_done` when it was the epoch's last.
    fn round(&mut self, round: u64, epoch: u64, epoch_done: bool) -> Result<Next>;
}

/// The placements in which a wire arm runs that does not name its own; `pin` as in [`Measurement::prepare`].
pub fn wire_placements(target: &Target, pin: Option<Pin>) -> Result<Vec<Placement>> {
    Ok(placing::Placing::new(target, pin)?.of_wire().to_vec())
}

/// Finds out whether this server can measure `specs` at all, without looking at any table.
///
/// # Errors
/// A usage error for an unknown arm, with the valid ones, or an impossible placement.
pub fn check_arms(target: &Target, specs: &[ArmSpec], plan: &Plan) -> Result<()> {
    plan::resolve(target, specs, &placing::Placing::new(target, None)?, plan).map(drop)
}

/// Reads the table and its index into shared buffers and sets hint bits.
pub fn warm_data(target: &Target, lookup: &Lookup) -> Result<()> {
    warm::data(target, lookup)
}

/// Arms that are ready to be measured on one server and data set.
pub struct Measurement<'a> {
    target: &'a Target,
    dataset: &'a Dataset,
    lookup: &'a Lookup,
    plan: Plan,
    arms: Vec<plan::Arm>,
    placing: placing::Placing,
    distribution: Distribution,
    warm: bool,
}

impl<'a> Measurement<'a> {
    /// Resolves `specs` in their order; `pin` None means both placements where this process may pin, else free.
    ///
    /// The plan comes back through [`Measurement::plan`]: with the `pgbench` arm in the list, blocks become whole
    /// seconds. An unknown arm is a usage error that lists the valid ones.
    pub fn prepare(
        target: &'a Target,
        dataset: &'a Dataset,
        lookup: &'a Lookup,
        specs: &[ArmSpec],
        pin: Option<Pin>,
        plan: Plan,
    ) -> Result<Self> {
        let placing = placing::Placing::new(target, pin)?;
        let distribution = Distribution::new(&plan.distribution, plan.skew)
            .map_err(|error| Error::usage(error.to_string()).hint(error.hint()))?;
        let arms = plan::resolve(target, specs, &placing, &plan)?;
        let plan = plan::fit(plan, &arms);
        room::check(target, &arms, plan.clients)?;
        Ok(Self { target, dataset, lookup, plan, arms, placing, distribution, warm: true })
    }

    /// Leaves out the arms that this server, role or table refuses, with a warning for each that says why.
    ///
    /// # Errors
    /// Where nothing is left, and on anything that is no refusal.
    pub fn leave_out_refused(&mut self) -> Result<Vec<String>> {
        probe::leave_out_refused(self)
    }

    /// Leaves the data where they are, in shared buffers or not, instead of reading them at the start of each epoch.
    pub fn leave_data(&mut self) {
        self.warm = false;
    }

    /// The concrete arms, in order; the header's `arms`.
    pub fn arms(&self) -> Vec<ArmInfo> {
        self.arms.iter().map(|arm| arm.info.clone()).collect()
    }

    /// The plan as it will be followed.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Median round trip of an empty message over a unix socket between two threads, in microseconds: `same` core,
    /// `split` over two where that is possible. The header's `round_trip_us`.
    pub fn round_trip_us(&self) -> Result<BTreeMap<String, f64>> {
        round_trip::measure()
    }

    /// Does every arm what it says? Connects, warms and checks as at an epoch's start, and measures nothing; says what is to
    /// be known of it.
    ///
    /// # Errors
    /// A failed check, with what was found.
    pub fn verify(&self) -> Result<Vec<String>> {
        epoch::verify(self)
    }

    /// Measures until the sink says stop, `max_rounds` is reached, or the user interrupts
    /// ([`crate::error::Error::interrupted`], after the finished blocks have been handed over).
    pub fn run(&self, sink: &mut dyn Sink) -> Result<()> {
        epoch::run(self, sink)
    }
}
