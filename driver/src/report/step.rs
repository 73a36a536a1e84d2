//! The ladder: which rung follows which, what each step costs, and what a rung takes beside its control.

use super::comparison::Blocks;
use super::{ladder, word};
use crate::arm::Placement;
use crate::record::{ArmInfo, Difference, Header, Net, Side, Step};
use crate::stats::difference;

/// The arms that are rungs, in their order: all that look something up.
pub fn rungs(header: &Header) -> impl Iterator<Item = &ArmInfo> {
    header.arms.iter().filter(|info| !info.control && info.side != Side::Pgbench)
}

/// (from, to) of every step: from an arm over two cores to the same arm on one, where that runs, too; else to the next
/// rung.
fn pairs(header: &Header) -> Vec<(&ArmInfo, &ArmInfo)> {
    let rungs: Vec<&ArmInfo> = rungs(header).collect();
    let on_one_core = |from: &ArmInfo| {
        let twin = |info: &&&ArmInfo| info.arm == from.arm && info.placement == Placement::Same;
        rungs.iter().find(twin).filter(|_| from.placement == Placement::Split)
    };
    let next = |(at, from): (usize, &&ArmInfo)| on_one_core(from).or(rungs.get(at + 1)).copied();
    rungs.iter().enumerate().filter_map(|at| Some((*at.1, next(at)?))).collect()
}

/// What each step down saves; none but in a ladder.
pub fn steps(header: &Header, blocks: &Blocks<'_>) -> Vec<Step> {
    if header.command != ladder::COMMAND {
        return Vec::new();
    }
    let step = |(from, to): (&ArmInfo, &ArmInfo)| {
        let difference = differ(blocks, &from.name, &to.name)?;
        Some(Step { from: from.name.clone(), to: to.name.clone(), about: word::of_step(from, to), difference })
    };
    pairs(header).into_iter().filter_map(step).collect()
}

/// What each rung takes more than its control; none but in a ladder.
pub fn nets(header: &Header, blocks: &Blocks<'_>) -> Vec<Net> {
    if header.command != ladder::COMMAND {
        return Vec::new();
    }
    let net = |info: &ArmInfo| {
        let name = control_of(info)?;
        let fits = |other: &&ArmInfo| other.arm == name && other.control && alike(other, info);
        let control = header.arms.iter().find(fits)?;
        let difference = differ(blocks, &info.name, &control.name)?;
        Some(Net { arm: info.name.clone(), control: control.name.clone(), difference })
    };
    rungs(header).filter_map(net).collect()
}

/// A round trip is only to be subtracted in the placement that it was made in.
fn alike(control: &ArmInfo, info: &ArmInfo) -> bool {
    control.side == info.side && (info.side == Side::Server || control.placement == info.placement)
}

/// The control whose time is part of the arm's, too. None where a part of it would not be: selects in a pipeline share
/// their round trips, tokio-postgres has its own, and PL/pgSQL and the nested loop draw their keys in SQL.
fn control_of(info: &ArmInfo) -> Option<&'static str> {
    match info.arm.as_str() {
        "pipeline" | "tokio" | "plpgsql" | "plpgsql_execute" | "call_commit" | "nested_loop" => None,
        // their keys are drawn with the clock stopped
        "heap_tid" | "buffer" => Some("empty"),
        _ if info.side == Side::Server => Some("keys"),
        _ => Some("sync"),
    }
}

fn differ(blocks: &Blocks<'_>, base: &str, test: &str) -> Option<Difference> {
    let pairs = blocks.pairs(test, base);
    let found = difference::estimate(&pairs)?;
    Some(Difference {
        ns: found.value,
        low: found.interval.map(|ends| ends.low),
        high: found.interval.map(|ends| ends.high),
        clear: found.interval.map(|ends| !ends.contains(0.0)),
        method: "hodges-lehmann".into(),
        interval: found.source.map(|source| source.name().into()),
        rounds: pairs.len(),
    })
}
