//! One block: all clients of one arm, from a common start until the time is up.

use std::time::Duration;

use crate::arm::{Counting, Keys, LayerScript, LoopScript, Placement, Seeds, Tally, Text, WireScript, tokio};
use crate::error::{Error, Result};
use crate::record::{Block, Unit, Waits};
use crate::wire::{Arrivals, Client, LeanConnection, Terms, Until, drive};

use super::Measurement;
use super::connections::{Connections, shares};
use super::plan::{Arm, Kind};
use super::usage::{self, Used};
use super::{thread, warm};

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
    /// None where the arm does not tell them.
    pub waits: Option<Waits>,
}

/// Measures one block of `arm` over `connections`, one a client.
pub fn run(measurement: &Measurement<'_>, arm: &Arm, connections: &mut Connections, at: Position) -> Result<Block> {
    let plan = &measurement.plan;
    let until = match plan.per_client {
        Some(units) => Until::Units(units),
        None => Until::Elapsed(Duration::from_millis(plan.block_ms)),
    };
    let backends = connections.backends();
    let backend_cpu = || {
        // by a postmaster that was seen here: behind a pooler or in a container these ids are other processes'
        let local = measurement.target.postmaster.is_some() && !backends.is_empty();
        local.then(|| usage::of_processes(backends.iter().copied())).flatten()
    };
    if arm.in_transaction() {
        connections.on_each("BEGIN")?;
    }
    if plan.lead_in_ms > 0 {
        warm::lead_in(measurement, arm, connections, at)?;
    }
    let (cpu_before, steal_before) = (backend_cpu(), usage::steal());
    let done = match &arm.kind {
        Kind::Pgbench(pgbench, protocol) => {
            super::pgbench_block::run(measurement, (pgbench, protocol), arm.info.placement)?
        }
        _ => {
            let Position { epoch, round, .. } = at;
            let (clients, per_call) = (plan.clients, plan.selects_per_call);
            let limit = plan.latency_limit_ms.map(|limit| Duration::from_secs_f64(limit / 1e3));
            let paced = plan.rate.is_some();
            stretch(measurement, arm, connections, Stretch { epoch, round, clients, per_call, until, limit, paced })?
        }
    };
    let (cpu_after, steal_after) = (backend_cpu(), usage::steal());
    if arm.in_transaction() {
        connections.on_each("COMMIT")?;
    }
    let difference = |after: Option<i64>, before: Option<i64>| Some(after? - before?);
    let Done { tally, driver_ns, used, waits } = done;
    let unit = if tally.calls.is_some() { Unit::Call } else { Unit::Select };
    let cpus = measurement.placing.cpus(arm.info.placement, plan.clients, plan.threads).unzip();
    Ok(Block {
        epoch: at.epoch,
        round: at.round,
        position: at.position,
        arm: arm.info.name.clone(),
        placement: arm.info.placement,
        block_ms: plan.per_client.is_none().then_some(plan.block_ms),
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
        latency: waits.and_then(|waits| waits.latency(unit)),
        client_cpus: cpus.0,
        backend_cpus: cpus.1,
        connect_ns: None,
        gates: None,
        notes: Vec::new(),
    })
}

/// What clients do together, timed or not.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub epoch: u64,
    pub round: u64,
    /// Only the first so many of them.
    pub clients: usize,
    /// Selects of a layer's call.
    pub per_call: i64,
    pub until: Until,
    /// Longer waits are late.
    pub limit: Option<Duration>,
    /// At the plan's rate, or each client as soon as it was answered?
    pub paced: bool,
}

impl Stretch {
    /// Of selects that are not timed.
    pub fn untimed(epoch: u64, round: u64, clients: usize, per_call: i64, until: Until) -> Self {
        Self { epoch, round, clients, per_call, until, limit: None, paced: false }
    }
}

/// Runs `arm` on `connections`, over the plan's threads; also used untimed, to warm up.
pub fn stretch(
    measurement: &Measurement<'_>,
    arm: &Arm,
    connections: &mut Connections,
    stretch: Stretch,
) -> Result<Done> {
    let Measurement { target, lookup, plan, distribution, .. } = measurement;
    let Stretch { epoch, round, per_call, .. } = stretch;
    let seeds = |client: usize| Seeds { run: plan.seed, epoch, round, client: client as u64 };
    let keys = |client| Keys::new(seeds(client), per_call, lookup, *distribution);
    match (&arm.kind, connections) {
        (Kind::Wire(wire), Connections::Lean { connections, arrivals }) => {
            let text = Text::new(lookup);
            lean(measurement, arm, (connections, arrivals), stretch, |client| {
                WireScript::new(*wire, &text, keys(client))
            })
        }
        (Kind::Layer(layer), Connections::Lean { connections, arrivals }) => {
            let schema = target.extension_schema.as_deref().unwrap_or_default();
            lean(measurement, arm, (connections, arrivals), stretch, |client| {
                let (distribution, skew) = (plan.distribution.as_str(), plan.skew);
                LayerScript::new(schema, layer, per_call, lookup, seeds(client), distribution, skew)
            })
        }
        (Kind::Loop(which), Connections::Lean { connections, arrivals }) => {
            lean(measurement, arm, (connections, arrivals), stretch, |c| {
                LoopScript::new(which, per_call, lookup, seeds(c))
            })
        }
        (Kind::Tokio, Connections::Tokio(shares)) => by_tokio(measurement, arm, shares, stretch, keys),
        _ => Err(Error::failed("pgbench drives its own clients")),
    }
}

/// How long a block may take before its server is taken for gone; None: for ever. Calls of a layer take as long as they take,
/// and so do selects that are counted.
fn patience(measurement: &Measurement<'_>, arm: &Arm, until: Until) -> Option<Duration> {
    let given = measurement.target.config.user_timeout.unwrap_or(PATIENCE);
    match (&arm.kind, until) {
        (Kind::Wire(_) | Kind::Tokio, Until::Elapsed(length)) => Some(length + given),
        _ => None,
    }
}

/// A select that takes as long is answered by nobody. tcp_user_timeout, where it is set, says another.
const PATIENCE: Duration = Duration::from_secs(30);

/// Clients spread over threads as evenly as they go; any number of either.
fn lean<S: Counting>(
    measurement: &Measurement<'_>,
    arm: &Arm,
    (connections, arrivals): (&mut [LeanConnection], &mut [Arrivals]),
    stretch: Stretch,
    script: impl Fn(usize) -> S,
) -> Result<Done> {
    let clients = connections.iter_mut().take(stretch.clients).enumerate();
    let mut clients: Vec<Client<'_, S>> =
        clients.map(|(client, connection)| Client { connection, script: script(client) }).collect();
    let mut rest = clients.as_mut_slice();
    let mut arrivals = arrivals.iter_mut().filter(|_| stretch.paced);
    let mut works = Vec::new();
    for share in shares(rest.len(), measurement.plan.threads) {
        let mine = rest.split_off_mut(..share).unwrap_or_default();
        let terms = Terms {
            until: stretch.until,
            latency_limit: stretch.limit,
            same_core: arm.info.placement == Placement::Same,
            arrivals: arrivals.next(),
        };
        works.push(move || Ok((drive(mine, terms)?, ())));
    }
    let ran = thread::run(&measurement.placing, arm.info.placement, patience(measurement, arm, stretch.until), works)?;
    let tally = clients.iter().map(|client| client.script.tally()).reduce(Tally::plus).unwrap_or_default();
    Ok(Done { tally, driver_ns: ran.driver_ns, used: ran.used, waits: Some(ran.waits) })
}

/// The same on tokio-postgres, whose clients were spread over threads when they connected.
fn by_tokio(
    measurement: &Measurement<'_>,
    arm: &Arm,
    shares: &mut [tokio::Share],
    stretch: Stretch,
    keys: impl Fn(usize) -> Keys,
) -> Result<Done> {
    let mut clients = 0..stretch.clients;
    let mut works = Vec::new();
    for share in shares {
        let keys: Vec<Keys> = clients.by_ref().take(share.backends().count()).map(&keys).collect();
        if !keys.is_empty() {
            works.push(move || share.drive(keys, stretch.until, stretch.limit));
        }
    }
    let ran = thread::run(&measurement.placing, arm.info.placement, patience(measurement, arm, stretch.until), works)?;
    let tally = ran.results.into_iter().reduce(Tally::plus).unwrap_or_default();
    Ok(Done { tally, driver_ns: ran.driver_ns, used: ran.used, waits: Some(ran.waits) })
}
