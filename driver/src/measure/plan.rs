//! From the arms asked for to concrete ones.

use crate::arm::{ArmSpec, LOOPS, Layer, Loop, Placement, WIRE_ARMS, WireArm, layers, pgbench, tokio};
use crate::error::{Error, Result};
use crate::record::{ArmInfo, Plan, Side};
use crate::server::Target;

use super::placing::Placing;

/// How an arm is driven.
#[derive(Clone)]
pub enum Kind {
    Wire(&'static dyn WireArm),
    Layer(String),
    /// A PL/pgSQL loop that we send ourselves.
    Loop(&'static Loop),
    Tokio,
    /// The binary, and its -M.
    Pgbench(pgbench::Pgbench, &'static str),
}

/// An arm in one placement.
#[derive(Clone)]
pub struct Arm {
    pub info: ArmInfo,
    pub kind: Kind,
}

impl Arm {
    /// Does it take part in the agreement check?
    pub fn agrees(&self) -> bool {
        let apart = match &self.kind {
            Kind::Pgbench(..) => true,
            Kind::Loop(which) => which.commits,
            _ => false,
        };
        !self.info.control && !apart
    }

    /// Does a block of it run inside one transaction?
    pub fn in_transaction(&self) -> bool {
        matches!(self.kind, Kind::Wire(wire) if wire.in_transaction())
    }
}

/// Shortest block of the `pgbench` arm: it counts whole seconds, and the first is cold.
const PGBENCH_BLOCK_MS: u64 = 2000;

/// The concrete arms of `specs`, in their order.
pub fn resolve(target: &Target, specs: &[ArmSpec], placing: &Placing, plan: &Plan) -> Result<Vec<Arm>> {
    let known = match &target.extension_schema {
        Some(schema) => layers(&target.session()?, schema)?,
        None => Vec::new(),
    };
    let mut arms: Vec<Arm> = Vec::new();
    for spec in specs {
        let (kind, side, control) = find(target, &spec.arm, &known, plan)?;
        if plan.rate.is_some() && !one_at_a_time(&kind) {
            return Err(Error::usage(format!("arm \"{}\" cannot be run at a rate", spec.arm))
                .hint("--rate is for layers and for wire arms with one select under way at a time"));
        }
        let named = spec.placement.as_slice();
        let layer = [placing.of_layer(plan.clients)];
        let placements = match side {
            _ if !named.is_empty() => named,
            Side::Server => &layer,
            Side::Wire | Side::Pgbench => placing.of_wire(),
        };
        for &placement in placements {
            placing.check(placement)?;
            if side == Side::Pgbench && placement != Placement::Free && plan.threads.min(plan.clients) > 1 {
                return Err(
                    Error::usage("pgbench's threads cannot be put on cores one by one").hint("use --pin free, or -j 1")
                );
            }
            let written = (side != Side::Server || spec.placement.is_some()).then_some(placement);
            let name = ArmSpec { placement: written, ..spec.clone() }.to_string();
            if arms.iter().any(|arm| arm.info.name == name) {
                return Err(Error::usage(format!("arm \"{name}\" is named twice"))
                    .hint("to compare an arm with itself use --aa"));
            }
            let info = ArmInfo { name, arm: spec.arm.clone(), placement, side, control };
            arms.push(Arm { info, kind: kind.clone() });
        }
    }
    if arms.is_empty() {
        return Err(unknown("no arm is named".into(), target, &known));
    }
    Ok(arms)
}

/// Can its requests be sent one by one when they are due?
fn one_at_a_time(kind: &Kind) -> bool {
    match kind {
        Kind::Wire(wire) => wire.in_flight() == 1,
        Kind::Layer(_) | Kind::Loop(_) => true,
        Kind::Tokio | Kind::Pgbench(..) => false,
    }
}

fn find(target: &Target, name: &str, known: &[Layer], plan: &Plan) -> Result<(Kind, Side, bool)> {
    if let Some(&arm) = WIRE_ARMS.iter().find(|arm| arm.name() == name) {
        return Ok((Kind::Wire(arm), Side::Wire, arm.control()));
    }
    if let Some(protocol) = pgbench::protocol(name) {
        let bindir = target.private().map(|server| server.installation.bindir.as_path());
        return Ok((Kind::Pgbench(pgbench::Pgbench::find(bindir)?, protocol), Side::Pgbench, false));
    }
    if name == tokio::NAME {
        return Ok((Kind::Tokio, Side::Wire, false));
    }
    if let Some(layer) = known.iter().find(|layer| layer.name == name) {
        return Ok((Kind::Layer(layer.name.clone()), Side::Server, layer.control));
    }
    if let Some(which) = loops(target).find(|which| which.name == name) {
        if plan.distribution != "uniform" {
            let hint = match target.extension_schema {
                None => {
                    "without the extension loops draw uniform keys only: CREATE EXTENSION select_loop, or leave it out"
                }
                Some(_) => "a loop that is no layer of the extension draws uniform keys only: leave it out",
            };
            return Err(Error::usage(format!("arm \"{name}\" cannot draw {} keys here", plan.distribution)).hint(hint));
        }
        return Ok((Kind::Loop(which), Side::Server, false));
    }
    Err(unknown(format!("unknown arm \"{name}\""), target, known))
}

/// The loops that we send ourselves: those that the extension, where it is, has no layer for.
fn loops(target: &Target) -> impl Iterator<Item = &'static Loop> {
    let all = target.extension_schema.is_none();
    LOOPS.iter().copied().filter(move |which| all || which.commits)
}

fn unknown(message: String, target: &Target, known: &[Layer]) -> Error {
    let apart = [tokio::NAME].into_iter().chain(pgbench::ARMS.map(|(name, _)| name));
    let wire = WIRE_ARMS.iter().map(|arm| arm.name()).chain(apart).collect::<Vec<_>>().join(", ");
    let server = loops(target).map(|which| which.name).chain(known.iter().map(|layer| layer.name.as_str()));
    let server = server.collect::<Vec<_>>().join(", ");
    let deeper = match target.extension_schema {
        Some(_) => String::new(),
        None => {
            let database = &target.info.database;
            format!("; deeper layers need CREATE EXTENSION select_loop in database \"{database}\"")
        }
    };
    Error::usage(message).hint(format!("over the wire: {wire}; in the server: {server}{deeper}"))
}

/// The plan as it can be followed: beside pgbench, whole seconds for everyone.
pub fn fit(mut plan: Plan, arms: &[Arm]) -> Plan {
    if has_pgbench(arms) {
        plan = beside_pgbench(plan);
    }
    plan.threads = plan.threads.clamp(1, plan.clients.max(1));
    plan
}

/// pgbench counts whole seconds, and so does everyone beside it.
pub fn beside_pgbench(plan: Plan) -> Plan {
    Plan { block_ms: plan.block_ms.max(PGBENCH_BLOCK_MS).next_multiple_of(1000), lead_in_ms: 0, ..plan }
}

/// Then every block of every arm has fresh connections, since pgbench's are fresh.
pub fn has_pgbench(arms: &[Arm]) -> bool {
    arms.iter().any(|arm| matches!(arm.kind, Kind::Pgbench(..)))
}
