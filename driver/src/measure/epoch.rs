//! Epochs: fresh connections for every arm, made warm and found to agree; then rounds, every arm a block each.

use std::time::Instant;

use crate::error::{Error, Result};
use crate::interrupt;
use crate::record::{Block, Gates};
use crate::schedule;

use super::block::{self, Position};
use super::connections::Connections;
use super::gate::Gate;
use super::loss::{self, Losses};
use super::plan::{Arm, Kind, has_pgbench};
use super::{Measurement, Next, Sink, agreement, warm};

/// Clocks of driver and server may differ by this share of a layer's time before it is worth a warning.
const CLOCK_GAP: f64 = 0.01;

/// An epoch's start, and no more of it.
pub fn verify(measurement: &Measurement<'_>, sink: &mut dyn Sink) -> Result<()> {
    start(measurement, &gate(measurement, sink)?, 0, sink).map(drop)
}

fn gate(measurement: &Measurement<'_>, sink: &mut dyn Sink) -> Result<Gate> {
    let gate = Gate::new(measurement)?;
    if let Some(note) = gate.not_checked() {
        sink.warn(note.to_owned());
    }
    Ok(gate)
}

/// Measures epoch after epoch until the sink has enough.
pub fn run(measurement: &Measurement<'_>, sink: &mut dyn Sink) -> Result<()> {
    let gate = gate(measurement, sink)?;
    let arms = &measurement.arms;
    let mut losses = Losses::new(arms.len());
    let mut warned_of_clock = false;
    let mut round = 0;
    for epoch in 0.. {
        let mut started = match epoch {
            0 => start(measurement, &gate, epoch, sink)?,
            _ => loss::patiently(|| start(measurement, &gate, epoch, sink))?,
        };
        sink.ready(epoch)?;
        for in_epoch in 1..=measurement.plan.rounds_per_epoch.max(1) {
            for (position, arm) in (0..).zip(schedule::order(measurement.plan.seed, round, arms.len())) {
                interrupt::check()?;
                let at = Position { epoch, round, position };
                let block = match one(measurement, &mut started, arm, at) {
                    Ok(block) => block,
                    // selects that are counted have to be whole
                    Err(error) if measurement.plan.per_client.is_some() => return Err(error),
                    Err(error) => {
                        sink.lost(losses.add(error, arm, &arms[arm].info.name, at)?)?;
                        started.connections = None;
                        started = loss::patiently(|| start(measurement, &gate, epoch, sink))?;
                        continue;
                    }
                };
                losses.none(arm);
                let arm = &arms[arm];
                let gap = (block.driver_ns - block.elapsed_ns) as f64 / block.driver_ns.max(1) as f64;
                // a control's calls are over at once, and their set-up is all there is to see
                if !warned_of_clock && block.calls.is_some() && !arm.info.control && gap.abs() > CLOCK_GAP {
                    warned_of_clock = true;
                    sink.warn(format!(
                        "{}: the server's clock and the driver's differ by {:.1} % of a block; rates of layers are by \
                         the server's",
                        block.arm,
                        gap * 100.0
                    ));
                }
                sink.block(block)?;
            }
            round += 1;
            let epoch_done = in_epoch >= measurement.plan.rounds_per_epoch;
            let next = sink.round(round - 1, epoch, epoch_done)?;
            if next == Next::Stop || measurement.plan.max_rounds.is_some_and(|most| round >= most) {
                return losses.finish();
            }
        }
    }
    Ok(())
}

/// A block of one arm, with what its epoch's start brought.
fn one(measurement: &Measurement<'_>, started: &mut Started, arm: usize, at: Position) -> Result<Block> {
    let Started { connections, seen, connect_ns } = started;
    let info = &measurement.arms[arm];
    let mut fresh;
    let connected = match connections.as_mut() {
        Some(connections) => &mut connections[arm],
        None => {
            fresh = Connections::new(measurement, info, at.epoch)?;
            &mut fresh
        }
    };
    let mut block = block::run(measurement, info, connected, at).map_err(|error| {
        connected.cancel();
        if interrupt::requested() { Error::interrupted() } else { named(error, info) }
    })?;
    (block.gates, block.connect_ns) = (seen[arm].take(), connect_ns[arm].take());
    Ok(block)
}

/// An epoch that can be measured.
struct Started {
    /// Every arm's; None where each block needs its own (beside pgbench, whose backends are new in every block).
    connections: Option<Vec<Connections>>,
    /// What the gates saw of each arm.
    seen: Vec<Option<Gates>>,
    /// How long each arm's took to connect; None of arms that connect themselves.
    connect_ns: Vec<Option<i64>>,
}

/// Connects, warms and checks every arm.
fn start(measurement: &Measurement<'_>, gate: &Gate, epoch: u64, sink: &mut dyn Sink) -> Result<Started> {
    let mut connections = Vec::with_capacity(measurement.arms.len());
    let mut connect_ns = Vec::with_capacity(measurement.arms.len());
    for arm in &measurement.arms {
        let begun = Instant::now();
        connections.push(Connections::new(measurement, arm, epoch).map_err(|error| named(error, arm))?);
        let ours = !matches!(arm.kind, Kind::Pgbench(_));
        connect_ns.push(ours.then(|| begun.elapsed().as_nanos() as i64));
    }
    if measurement.warm {
        warm::data(measurement.target, measurement.lookup)?;
    }
    for (arm, connections) in measurement.arms.iter().zip(&mut connections) {
        warm::statements(measurement, arm, connections, epoch).map_err(|error| named(error, arm))?;
    }
    let seen = agreement::check(measurement, gate, &mut connections, epoch, sink)?;
    let connections = (!has_pgbench(&measurement.arms)).then_some(connections);
    Ok(Started { connections, seen, connect_ns })
}

fn named(error: Error, arm: &Arm) -> Error {
    match error.exit {
        crate::error::Exit::Interrupted => error,
        _ => error.context(&arm.info.name),
    }
}
