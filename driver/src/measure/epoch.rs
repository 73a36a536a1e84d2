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

/// An epoch's start, and no more of it; what is to be known of it.
pub fn verify(measurement: &Measurement<'_>) -> Result<Vec<String>> {
    let gate = Gate::new(measurement)?;
    let seen = start(measurement, &gate, 0)?.seen;
    let of = |(arm, gates): (&Arm, Option<Gates>)| {
        let named = |note| format!("{}: {note}", arm.info.name);
        gates.map(|gates| notes(&gates, &gate).map(named).collect::<Vec<_>>())
    };
    Ok(measurement.arms.iter().zip(seen).filter_map(of).flatten().collect())
}

/// Measures epoch after epoch until the sink has enough.
pub fn run(measurement: &Measurement<'_>, sink: &mut dyn Sink) -> Result<()> {
    let gate = Gate::new(measurement)?;
    let arms = &measurement.arms;
    let mut losses = Losses::new(arms.len());
    let mut round = 0;
    for epoch in 0.. {
        let mut started = match epoch {
            0 => start(measurement, &gate, epoch)?,
            _ => loss::patiently(|| start(measurement, &gate, epoch))?,
        };
        sink.ready(epoch)?;
        for in_epoch in 1..=measurement.plan.rounds_per_epoch.max(1) {
            for (position, arm) in (0..).zip(schedule::order(measurement.plan.seed, round, arms.len())) {
                interrupt::check()?;
                let at = Position { epoch, round, position };
                let mut block = match one(measurement, &mut started, arm, at) {
                    Ok(block) => block,
                    // selects that are counted have to be whole
                    Err(error) if measurement.plan.per_client.is_some() => return Err(error),
                    Err(error) => {
                        sink.lost(losses.add(error, arm, &arms[arm].info.name, at)?)?;
                        started.connections = None;
                        started = loss::patiently(|| start(measurement, &gate, epoch))?;
                        continue;
                    }
                };
                losses.none(arm);
                let arm = &arms[arm];
                note(&mut block, arm, &gate);
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

/// Notes on `block` what its reader has to know.
fn note(block: &mut Block, arm: &Arm, gate: &Gate) {
    let gap = (block.driver_ns - block.elapsed_ns) as f64 / block.driver_ns.max(1) as f64;
    // a control's calls are over at once, and their set-up is all there is to see
    if block.calls.is_some() && !arm.info.control && gap.abs() > CLOCK_GAP {
        let text = "the server's clock and the driver's differ by over 1 %; rates of layers are by the server's";
        block.notes.push(text.into());
    }
    if let Some(gates) = &block.gates {
        block.notes.extend(notes(gates, gate).map(str::to_owned));
    }
}

/// What the gates could not see, or saw and let pass.
fn notes(gates: &Gates, gate: &Gate) -> impl Iterator<Item = &'static str> {
    let uncounted = gate.not_checked().filter(|_| gates.plan.is_some());
    let custom = matches!((gates.generic_plans, gates.custom_plans), (Some(0), Some(1..)));
    uncounted.into_iter().chain(custom.then_some("planned anew for every select: see plan_cache_mode"))
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
fn start(measurement: &Measurement<'_>, gate: &Gate, epoch: u64) -> Result<Started> {
    let mut connections = Vec::with_capacity(measurement.arms.len());
    let mut connect_ns = Vec::with_capacity(measurement.arms.len());
    for arm in &measurement.arms {
        let begun = Instant::now();
        connections.push(Connections::new(measurement, arm, epoch).map_err(|error| named(error, arm))?);
        let ours = !matches!(arm.kind, Kind::Pgbench(..));
        connect_ns.push(ours.then(|| begun.elapsed().as_nanos() as i64));
    }
    if measurement.warm {
        warm::data(measurement.target, measurement.lookup)?;
    }
    for (arm, connections) in measurement.arms.iter().zip(&mut connections) {
        warm::statements(measurement, arm, connections, epoch).map_err(|error| named(error, arm))?;
    }
    let seen = agreement::check(measurement, gate, &mut connections, epoch)?;
    let connections = (!has_pgbench(&measurement.arms)).then_some(connections);
    Ok(Started { connections, seen, connect_ns })
}

fn named(error: Error, arm: &Arm) -> Error {
    match error.exit {
        crate::error::Exit::Interrupted => error,
        _ => error.context(&arm.info.name),
    }
}
