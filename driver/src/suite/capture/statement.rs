//! pg_stat_statements, where it is installed: the statements that took most time over the run.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Counters, metric};
use crate::error::{Error, Result};
use crate::record::mask;
use crate::results::Metric;
use crate::server::Session;

pub const SOURCE: &str = "pg_stat_statements";

/// Column and unit.
const COLUMNS: [(&str, &str); 7] = [
    ("calls", ""),
    ("rows", ""),
    ("total_exec_time", "ms"),
    ("shared_blks_hit", "blocks"),
    ("shared_blks_read", "blocks"),
    ("shared_blks_dirtied", "blocks"),
    ("wal_bytes", "bytes"),
];
const TIME: &str = "total_exec_time";

/// Statements kept of a run.
const MOST: usize = 20;
/// Characters of each that are kept.
const LENGTH: usize = 200;

/// Adds this database's counters; nothing where the extension is not installed, not loaded, or not to be read.
pub fn read(session: &Session, counters: &mut Counters) -> Result<()> {
    let view = session.query_opt(
        "select format('%I.pg_stat_statements', n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
         where e.extname = 'pg_stat_statements'",
        &[],
    )?;
    let Some(view) = view.map(|row| row.get::<_, String>(0)) else { return Ok(()) };
    let sql = format!(
        "select coalesce(query, 'unknown'), to_jsonb(s)::text from {view} s
         where dbid = (select oid from pg_database where datname = current_database())"
    );
    let rows = match session.query(&sql, &[]) {
        Ok(rows) => rows,
        Err(error) if matches!(error.sqlstate.as_deref(), Some("55000" | "42501")) => return Ok(()),
        Err(error) => return Err(error),
    };
    for row in rows {
        let (query, json): (String, String) = (row.get(0), row.get(1));
        let columns: Map<String, Value> =
            serde_json::from_str(&json).map_err(|error| Error::failed(format!("cannot read {SOURCE}: {error}")))?;
        let text = shortened(&query);
        for (column, _) in COLUMNS {
            if let Some(value) = columns.get(column).and_then(Value::as_f64) {
                // the same statement by several users is one here
                *counters.entry((SOURCE, column.to_owned(), text.clone())).or_insert(0.0) += value;
            }
        }
    }
    Ok(())
}

/// One line, without what may be a password.
fn shortened(query: &str) -> String {
    let line = query.split_whitespace().collect::<Vec<_>>().join(" ");
    mask(&line).chars().take(LENGTH).collect()
}

/// The statements that took most time.
pub fn most(changes: &Counters) -> Vec<Metric> {
    let own = changes.iter().filter(|((source, ..), _)| *source == SOURCE);
    let mut statements: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for ((_, column, text), change) in own {
        statements.entry(text).or_default().insert(column, *change);
    }
    let time = |columns: &BTreeMap<&str, f64>| columns.get(TIME).copied().unwrap_or(0.0);
    let mut ordered: Vec<_> = statements.into_iter().filter(|(_, columns)| time(columns) > 0.0).collect();
    ordered.sort_by(|a, b| time(&b.1).total_cmp(&time(&a.1)));
    let mut metrics = Vec::new();
    for (text, columns) in ordered.into_iter().take(MOST) {
        let kept = COLUMNS.iter().filter_map(|(column, unit)| Some((column, unit, columns.get(column)?)));
        metrics.extend(kept.map(|(column, unit, change)| metric(SOURCE, &format!("{column} {text}"), unit, *change)));
    }
    metrics
}
