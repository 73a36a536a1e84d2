//! A block of a pgbench arm: the binary placed as the driver's own clients are.

use crate::arm::pgbench::{Length, Pgbench};
use crate::arm::{Placement, Tally};
use crate::error::{Error, Result};

use super::Measurement;
use super::block::Done;
use super::usage::Used;

/// Runs it for the plan's block length.
pub fn run(measurement: &Measurement<'_>, (pgbench, protocol): (&Pgbench, &str), placement: Placement) -> Result<Done> {
    let (config, lookup, plan) = (&measurement.target.config, measurement.lookup, &measurement.plan);
    let placing = &measurement.placing;
    let length = match plan.per_client {
        Some(count) => Length::Transactions(count),
        None => Length::Seconds(plan.block_ms.div_ceil(1000)),
    };
    let _placed = placing.postmaster(placement)?;
    let before = Used::by_children();
    // it inherits the cores of the thread that starts it
    let report = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            placing.pin_client(placement, 0)?;
            pgbench.run(protocol, config, lookup, plan.clients, plan.threads, length)
        });
        thread.join().map_err(|_| Error::failed("the thread that runs pgbench ended unexpectedly"))?
    })?;
    let used = Used::by_children().zip(before).map(|(after, before)| after.since(before));
    let tally = Tally {
        selects: report.transactions,
        server_ns: Some(report.elapsed_ns.saturating_mul(plan.clients as i64)),
        ..Tally::default()
    };
    Ok(Done { tally, driver_ns: report.elapsed_ns, used, waits: None })
}
