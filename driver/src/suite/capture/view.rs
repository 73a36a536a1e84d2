//! The statistics views that are read, one line each.

use serde_json::{Map, Value};

use super::Counters;
use crate::error::{Error, Result};
use crate::server::Session;

/// A view whose numeric columns are counters, but for those that are not.
#[derive(Debug)]
pub struct View {
    pub name: &'static str,
    /// First version that has it, as server_version_num.
    pub since: u32,
    /// What tells its rows apart, as SQL; empty where one row is read.
    row: &'static str,
    filter: &'static str,
}

const fn view(name: &'static str, since: u32, row: &'static str, filter: &'static str) -> View {
    View { name, since, row, filter }
}

const SEEN: &str = "schemaname = any (current_schemas(false))";

pub const VIEWS: &[View] = &[
    view("pg_stat_database", 0, "", "datname = current_database()"),
    view("pg_stat_bgwriter", 0, "", "true"),
    view("pg_stat_checkpointer", 170_000, "", "true"),
    view("pg_stat_wal", 140_000, "", "true"),
    view("pg_stat_io", 160_000, "concat_ws(' ', backend_type, object, context)", "true"),
    view("pg_stat_user_tables", 0, "relname", SEEN),
    view("pg_statio_user_tables", 0, "relname", SEEN),
    view("pg_statio_user_indexes", 0, "indexrelname", SEEN),
];

/// Numbers that do not count up: ids, and what is there at the moment.
const NO_COUNTERS: [&str; 11] = [
    "datid",
    "relid",
    "indexrelid",
    "numbackends",
    "op_bytes",
    "n_live_tup",
    "n_dead_tup",
    "n_mod_since_analyze",
    "n_ins_since_vacuum",
    "parallel_workers_to_launch",
    "parallel_workers_launched",
];

impl View {
    /// Adds its counters.
    pub fn read(&self, session: &Session, counters: &mut Counters) -> Result<()> {
        let row = if self.row.is_empty() { "''" } else { self.row };
        let sql = format!("select ({row})::text, to_jsonb(v)::text from {} v where {}", self.name, self.filter);
        for found in session.query(&sql, &[])? {
            let (key, json): (String, String) = (found.get(0), found.get(1));
            let columns: Map<String, Value> = serde_json::from_str(&json)
                .map_err(|error| Error::failed(format!("cannot read {}: {error}", self.name)))?;
            // what pg_stat_io counts in is the operation's size up to 17; from 18 on it counts bytes itself
            if let (Some(size), Some(writes)) = (number(&columns, "op_bytes"), number(&columns, "writes")) {
                counters.insert((self.name, "write_bytes".into(), key.clone()), size * writes);
            }
            for (column, value) in &columns {
                if let Some(value) = value.as_f64().filter(|_| !NO_COUNTERS.contains(&column.as_str())) {
                    counters.insert((self.name, column.clone(), key.clone()), value);
                }
            }
        }
        Ok(())
    }
}

fn number(columns: &Map<String, Value>, name: &str) -> Option<f64> {
    columns.get(name).and_then(Value::as_f64)
}

/// The unit that a column of this name has in every view.
pub fn unit(column: &str) -> &'static str {
    match column {
        _ if column.ends_with("_time") => "ms",
        _ if column.ends_with("_bytes") => "bytes",
        _ if column.starts_with("blks_") || column.contains("_blks_") || column.starts_with("buffers_") => "blocks",
        _ => "",
    }
}
