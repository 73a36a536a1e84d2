//! Warm-up: data in shared buffers, statements past their first plans.

use std::time::Duration;

use crate::arm::Lookup;
use crate::error::{Exit, Result};
use crate::server::Target;
use crate::wire::Until;

use super::Measurement;
use super::block::{self, Position, Stretch};
use super::connections::Connections;
use super::plan::{Arm, Kind};

/// Executions of each statement. A prepared statement gets five custom plans before its generic one.
const EXECUTIONS: u64 = 50;

/// Selects of a layer's one warm-up call; its statement is executed that often within it.
const SELECTS: i64 = 1000;

/// Selects of a layer's call in a lead-in: few, since it ends with a whole call.
const LEAD_IN_SELECTS: i64 = 500;

/// A round that no block has: warm-up draws keys of its own.
const ROUND: u64 = u64::MAX;

/// An epoch that no block has, for the keys of lead-ins.
const LEAD_IN: u64 = u64::MAX;

/// Reads table and index into shared buffers and sets hint bits.
pub fn data(target: &Target, lookup: &Lookup) -> Result<()> {
    let session = target.session()?;
    if let Some(schema) = &target.extension_schema {
        let sql = format!("SELECT {schema}.select_loop_warm($1::text::regclass)");
        match session.interruptible(|| session.query(&sql, &[&lookup.relation])) {
            Ok(_) => return Ok(()),
            Err(error) if error.exit == Exit::Interrupted => return Err(error),
            // it reads plain tables only; what is wrong with this one otherwise, the query below will say
            Err(_) => {}
        }
    }
    // through the index: a sequential scan of a large table would pass through a ring of 32 buffers
    let sql = format!(
        "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; \
         SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off; \
         SELECT count({value}) FROM {relation} WHERE {key} >= {min}; COMMIT",
        value = lookup.value,
        relation = lookup.relation,
        key = lookup.key,
        min = lookup.min,
    );
    session.interruptible(|| session.batch(&sql))
}

/// Executes each connection's statement until it has its final plan.
pub fn statements(measurement: &Measurement<'_>, arm: &Arm, connections: &mut Connections, epoch: u64) -> Result<()> {
    let until = match arm.kind {
        Kind::Wire(_) | Kind::Tokio => Until::Units(EXECUTIONS),
        Kind::Layer(_) | Kind::Loop(_) => Until::Units(1),
        Kind::Pgbench(..) => return Ok(()),
    };
    let clients = measurement.plan.clients;
    let stretch = Stretch::untimed(epoch, ROUND, clients, SELECTS, until);
    block::stretch(measurement, arm, connections, stretch).map(drop)
}

/// The arm for as long as the plan has its blocks led in, untimed: an arm finds the caches full of the others' data.
pub fn lead_in(measurement: &Measurement<'_>, arm: &Arm, connections: &mut Connections, at: Position) -> Result<()> {
    let plan = &measurement.plan;
    let per_call = match arm.kind {
        Kind::Wire(_) | Kind::Tokio => plan.selects_per_call,
        Kind::Layer(_) | Kind::Loop(_) => plan.selects_per_call.min(LEAD_IN_SELECTS),
        Kind::Pgbench(..) => return Ok(()),
    };
    let until = Until::Elapsed(Duration::from_millis(plan.lead_in_ms));
    let stretch = Stretch::untimed(LEAD_IN, at.round, plan.clients, per_call, until);
    block::stretch(measurement, arm, connections, stretch).map(drop)
}
