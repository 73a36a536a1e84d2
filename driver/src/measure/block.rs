//! One block: all clients of one arm, from a common start until the time is up.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use crate::arm::{Counting, Keys, LayerScript, LoopScript, Placement, Seeds, Tally, Text, WireScript};
use crate::error::{Error, Result};
use crate::record::Block;
use crate::wire::{Client, LeanConnection, Outcome, Until, drive};

use super::Measurement;
use super::placing::Placing;
use super::plan::{Arm, Kind};
use super::usage::{self, Used};

/// Where in the run a block is.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub epoch: u64,
    pub round: u64,
    pub position: u32,
}

/// What all clients of a block did together.
pub struct Done {
    pub tally: Tally,
    pub driver_ns: i64,
    pub used: Option<Used>,
}

/// Measures one block of `arm` over `connections`, one a client.
pub fn run(
    measurement: &Measurement<'_>,
    arm: &Arm,
    connections: &mut [LeanConnection],
    at: Position,
) -> Result<Block> {
    let plan = &measurement.plan;
    let until = match measurement.limit {
        Some(units) => Until::Units(units),
        None => Until::Elapsed(Duration::from_millis(plan.block_ms)),
    };
    let backends: Vec<i32> = connections.iter().map(LeanConnection::backend).collect();
    let backend_cpu = || {
        let local = measurement.target.info.local && !backends.is_empty();
        local.then(|| usage::of_processes(backends.iter().copied())).flatten()
    };
    let (cpu_before, steal_before) = (backend_cpu(), usage::steal());
    let done = match &arm.kind {
        Kind::Pgbench(pgbench) => super::pgbench_block::run(measurement, pgbench, arm.info.placement)?,
        _ => clients(measurement, arm, connections, at.epoch, at.round, plan.selects_per_call, until)?,
    };
    let (cpu_after, steal_after) = (backend_cpu(), usage::steal());
    let difference = |after: Option<i64>, before: Option<i64>| Some(after? - before?);
    let Done { tally, driver_ns, used } = done;
    Ok(Block {
        epoch: at.epoch,
        round: at.round,
        position: at.position,
        arm: arm.info.name.clone(),
        placement: arm.info.placement,
        selects: tally.selects,
        found: tally.found,
        checksum: tally.checksum,
        calls: tally.calls,
        elapsed_ns: tally.server_ns.map_or(driver_ns, |sum| sum / plan.clients.max(1) as i64).max(1),
        driver_ns,
        client_cpu_ns: used.map(|used| used.cpu_ns),
        backend_cpu_ns: difference(cpu_after, cpu_before),
        involuntary_switches: used.map(|used| used.involuntary_switches),
        steal_ns: difference(steal_after, steal_before),
        notes: Vec::new(),
    })
}

/// Runs `arm` on `connections` until `until`, over the plan's threads; also used untimed, to warm up.
pub fn clients(
    measurement: &Measurement<'_>,
    arm: &Arm,
    connections: &mut [LeanConnection],
    epoch: u64,
    round: u64,
    per_call: i64,
    until: Until,
) -> Result<Done> {
    let Measurement { target, lookup, plan, distribution, .. } = measurement;
    let seeds = |client: usize| Seeds { run: plan.seed, epoch, round, client: client as u64 };
    match &arm.kind {
        Kind::Wire(wire) => {
            let text = Text::new(lookup);
            let script =
                |client| WireScript::new(*wire, &text, Keys::new(seeds(client), per_call, lookup, *distribution));
            threads(measurement, arm, connections, script, until)
        }
        Kind::Layer(layer) => {
            let schema = target.extension_schema.as_deref().unwrap_or_default();
            let script = |client| {
                let (distribution, skew) = (plan.distribution.as_str(), plan.skew);
                LayerScript::new(schema, layer, per_call, lookup, seeds(client), distribution, skew)
            };
            threads(measurement, arm, connections, script, until)
        }
        Kind::Loop => threads(measurement, arm, connections, |c| LoopScript::new(per_call, lookup, seeds(c)), until),
        Kind::Pgbench(_) => Err(Error::failed("pgbench drives its own clients")),
    }
}

/// Clients spread over threads as evenly as they go; any number of either.
fn threads<S: Counting>(
    measurement: &Measurement<'_>,
    arm: &Arm,
    connections: &mut [LeanConnection],
    script: impl Fn(usize) -> S,
    until: Until,
) -> Result<Done> {
    let mut clients: Vec<Client<'_, S>> = connections
        .iter_mut()
        .enumerate()
        .map(|(client, connection)| Client { connection, script: script(client) })
        .collect();
    let threads = measurement.plan.threads.clamp(1, clients.len().max(1));
    let (placing, placement) = (&measurement.placing, arm.info.placement);
    let barrier = Barrier::new(threads);
    let mut rest = clients.as_mut_slice();
    let results = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                let share = rest.len().div_ceil(threads - thread);
                let mine = std::mem::take(&mut rest);
                let (mine, others) = mine.split_at_mut(share);
                rest = others;
                let barrier = &barrier;
                scope.spawn(move || one_thread(placing, placement, mine, barrier, until))
            })
            .collect();
        running.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut done: Option<(Instant, Instant, Option<Used>)> = None;
    for result in results {
        let (Outcome { start, end }, used) =
            result.map_err(|_| Error::failed("a client thread ended unexpectedly"))??;
        done = Some(match done {
            None => (start, end, used),
            Some((first, last, sum)) => (first.min(start), last.max(end), sum.zip(used).map(|(a, b)| a.plus(b))),
        });
    }
    let tally = clients.iter().map(|client| client.script.tally()).reduce(Tally::plus);
    match (done, tally) {
        (Some((start, end, used)), Some(tally)) => {
            Ok(Done { tally, driver_ns: end.duration_since(start).as_nanos() as i64, used })
        }
        _ => Err(Error::usage("there is no client").hint("use -c 1 or more")),
    }
}

fn one_thread<S: Counting>(
    placing: &Placing,
    placement: Placement,
    clients: &mut [Client<'_, S>],
    barrier: &Barrier,
    until: Until,
) -> Result<(Outcome, Option<Used>)> {
    let pinned = placing.pin_client(placement);
    // everyone waits here, errors included: a missing thread would hold up the others for ever
    barrier.wait();
    pinned?;
    let before = Used::by_thread();
    let outcome = drive(clients, until)?;
    let used = Used::by_thread().zip(before).map(|(after, before)| after.since(before));
    Ok((outcome, used))
}
