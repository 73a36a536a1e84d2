//! The agreement check: at the start of an epoch every arm does the same selects under one snapshot, and all must have
//! found the same.

use crate::arm::Tally;
use crate::error::{Error, Exit, Result};
use crate::record::Gates;
use crate::wire::{LeanConnection, Until};

use super::Measurement;
use super::block::{self, Stretch};
use super::connections::Connections;
use super::gate::Gate;
use super::plan::{Arm, Kind};

/// Selects that every arm does.
pub const SELECTS: i64 = 1000;

/// A round that no block has.
const ROUND: u64 = u64::MAX - 1;

const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Runs the check on the first connection of each arm, and the honesty gates of the wire arms within it; what was seen of
/// each arm, in their order.
///
/// # Errors
/// When arms disagree on found or checksum, with what each of the two says; when a gate fails.
pub fn check(
    measurement: &Measurement<'_>,
    gate: &Gate,
    connections: &mut [Connections],
    epoch: u64,
) -> Result<Vec<Option<Gates>>> {
    let mut exporter = LeanConnection::connect(&measurement.target.config)?;
    exporter.query(BEGIN)?;
    // a server that cannot export one (or a pooler) is measured without: the data does not change under a benchmark
    let snapshot = exporter.value("SELECT pg_export_snapshot()").ok();
    let mut first: Option<(&str, Gates)> = None;
    let mut seen = Vec::with_capacity(measurement.arms.len());
    for (arm, connections) in measurement.arms.iter().zip(connections) {
        if !arm.agrees() {
            seen.push(None);
            continue;
        }
        let gates = one(measurement, gate, arm, connections, epoch, snapshot.as_deref())
            .map_err(|error| if error.exit == Exit::Interrupted { error } else { error.context(&arm.info.name) })?;
        // without a checksum the arm reads no rows, and what it counts may be dead versions
        if gates.checksum.is_some() {
            match &first {
                None => first = Some((&arm.info.name, gates.clone())),
                Some((name, reference)) => agree((name, reference), (&arm.info.name, &gates))?,
            }
        }
        seen.push(Some(gates));
    }
    exporter.query("COMMIT")?;
    Ok(seen)
}

fn one(
    measurement: &Measurement<'_>,
    gate: &Gate,
    arm: &Arm,
    connections: &mut Connections,
    epoch: u64,
    snapshot: Option<&str>,
) -> Result<Gates> {
    // layers check themselves
    let gated = !matches!(arm.kind, Kind::Layer(_));
    let before = connections.on_first(|connection| {
        connection.query(BEGIN)?;
        if let Some(snapshot) = snapshot {
            connection.query(&format!("SET TRANSACTION SNAPSHOT '{snapshot}'"))?;
        }
        if !gated {
            return Ok(None);
        }
        Ok(Some((gate.plan(arm, connection)?, gate.scans(connection)?)))
    })?;
    let (plan, before) = before.flatten().unzip();
    let until = match arm.kind {
        Kind::Layer(_) | Kind::Loop(_) => Until::Units(1),
        _ => Until::Units(SELECTS as u64),
    };
    let stretch = Stretch::untimed(epoch, ROUND, 1, SELECTS, until);
    let done = block::stretch(measurement, arm, connections, stretch)?;
    let Tally { selects, found, checksum, .. } = done.tally;
    let mut gates = Gates { selects, found, checksum, plan, ..Gates::default() };
    connections.on_first(|connection| {
        if gated {
            let after = gate.scans(connection)?;
            gates.scans = gate.counted(before.flatten(), after, selects)?;
            (gates.generic_plans, gates.custom_plans) = gate.plan_kinds(arm, connection)?.unzip();
        }
        connection.query("COMMIT").map(drop)
    })?;
    Ok(gates)
}

fn agree((one, a): (&str, &Gates), (other, b): (&str, &Gates)) -> Result<()> {
    if (a.found, a.checksum) == (b.found, b.checksum) {
        return Ok(());
    }
    let shown = |name: &str, seen: &Gates| {
        let number = |value: Option<i64>| value.map_or("none".into(), |value| value.to_string());
        format!("{name} found {} of {}, checksum {}", number(seen.found), seen.selects, number(seen.checksum))
    };
    Err(Error::failed(format!("arms disagree on the same selects: {}; {}", shown(one, a), shown(other, b)))
        .hint("the table may be changing, or an arm does not do the same lookup: nothing more is measured"))
}

#[cfg(test)]
mod tests {
    use super::{Gates, agree};

    fn seen(found: i64, checksum: i64) -> Gates {
        Gates { selects: 1000, found: Some(found), checksum: Some(checksum), ..Gates::default() }
    }

    #[test]
    fn arms_that_found_the_same_agree() {
        assert!(agree(("simple", &seen(990, 5)), ("rescan", &seen(990, 5))).is_ok());
    }

    #[test]
    fn both_sides_of_a_disagreement_are_shown() {
        for other in [seen(991, 5), seen(990, 6)] {
            let error = agree(("simple", &seen(990, 5)), ("rescan", &other)).unwrap_err();
            for part in ["simple found 990 of 1000, checksum 5", "rescan found 99"] {
                assert!(error.message.contains(part), "{error}");
            }
        }
    }
}
