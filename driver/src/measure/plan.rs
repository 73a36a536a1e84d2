//! From the arms asked for to concrete ones.

use crate::arm::{ArmSpec, Layer, WIRE_ARMS, WireArm, layers, pgbench, plpgsql_loop};
use crate::error::{Error, Result};
use crate::record::{ArmInfo, Plan, Side};
use crate::server::Target;

use super::placing::Placing;

/// How an arm is driven.
#[derive(Clone)]
pub enum Kind {
    Wire(&'static dyn WireArm),
    Layer(String),
    /// `plpgsql` without the extension.
    Loop,
    Pgbench(pgbench::Pgbench),
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
        !self.info.control && !matches!(self.kind, Kind::Pgbench(_))
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
        let named = spec.placement.as_slice();
        let layer = [placing.of_layer(plan.clients)];
        let placements = match side {
            _ if !named.is_empty() => named,
            Side::Server => &layer,
            Side::Wire | Side::Pgbench => placing.of_wire(),
        };
        for &placement in placements {
            placing.check(placement)?;
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

fn find(target: &Target, name: &str, known: &[Layer], plan: &Plan) -> Result<(Kind, Side, bool)> {
    if let Some(&arm) = WIRE_ARMS.iter().find(|arm| arm.name() == name) {
        return Ok((Kind::Wire(arm), Side::Wire, arm.control()));
    }
    if name == pgbench::NAME {
        let bindir = target.private().map(|server| server.installation.bindir.as_path());
        return Ok((Kind::Pgbench(pgbench::Pgbench::find(bindir)?), Side::Pgbench, false));
    }
    if let Some(layer) = known.iter().find(|layer| layer.name == name) {
        return Ok((Kind::Layer(layer.name.clone()), Side::Server, layer.control));
    }
    if name == plpgsql_loop::NAME && target.extension_schema.is_none() {
        if plan.distribution != "uniform" {
            return Err(Error::usage(format!("arm \"plpgsql\" cannot draw {} keys here", plan.distribution)).hint(
                "without the extension the loop draws uniform keys only: CREATE EXTENSION select_loop, or leave it out",
            ));
        }
        return Ok((Kind::Loop, Side::Server, false));
    }
    Err(unknown(format!("unknown arm \"{name}\""), target, known))
}

fn unknown(message: String, target: &Target, known: &[Layer]) -> Error {
    let wire = WIRE_ARMS.iter().map(|arm| arm.name()).chain([pgbench::NAME]).collect::<Vec<_>>().join(", ");
    Error::usage(message).hint(if target.extension_schema.is_some() {
        let layers = known.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(", ");
        format!("over the wire: {wire}; in the server: {layers}")
    } else {
        format!(
            "over the wire: {wire}; in the server: {}; deeper layers need CREATE EXTENSION select_loop in database \"{}\"",
            plpgsql_loop::NAME,
            target.info.database
        )
    })
}

/// The plan as it can be followed: beside pgbench, whole seconds for everyone.
pub fn fit(mut plan: Plan, arms: &[Arm]) -> Plan {
    if has_pgbench(arms) {
        plan.block_ms = plan.block_ms.max(PGBENCH_BLOCK_MS).next_multiple_of(1000);
    }
    plan.threads = plan.threads.clamp(1, plan.clients.max(1));
    plan
}

/// Then every block of every arm has fresh connections, since pgbench's are fresh.
pub fn has_pgbench(arms: &[Arm]) -> bool {
    arms.iter().any(|arm| matches!(arm.kind, Kind::Pgbench(_)))
}
