//! Warm-up: data in shared buffers, statements past their first plans.

use crate::arm::Lookup;
use crate::error::{Exit, Result};
use crate::server::Target;
use crate::wire::Until;

use super::Measurement;
use super::block::{self, Stretch};
use super::connections::Connections;
use super::plan::{Arm, Kind};

/// Executions of each statement. A prepared statement gets five custom plans before its generic one.
const EXECUTIONS: u64 = 50;

/// Selects of a layer's one warm-up call; its statement is executed that often within it.
const SELECTS: i64 = 1000;

/// A round that no block has: warm-up draws keys of its own.
const ROUND: u64 = u64::MAX;

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
        Kind::Pgbench(_) => return Ok(()),
    };
    let clients = measurement.plan.clients;
    let stretch = Stretch::untimed(epoch, ROUND, clients, SELECTS, until);
    block::stretch(measurement, arm, connections, stretch).map(drop)
}
