//! `select_loop_setup`: pgbench's tables, made and filled inside the server.

use pgrx::PgSqlErrorCode as Code;
use select_loop_keys::fill;

use crate::error::{Error, Result};
use crate::pg::catalog;
use crate::pg::guc::NestLevel;
use crate::pg::spi::Connection;
use crate::pg::stopwatch::monotonic_ns;

const SETUP: &str = include_str!("../../sql/setup.sql");

/// The four tables, in the order in which they can be dropped.
const TABLES: [&str; 4] = ["pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"];

/// Accounts a unit of scale, as in pgbench.
const ACCOUNTS: i64 = 100_000;
/// From this scale on aid is a bigint (SCALE_32BIT_THRESHOLD of pgbench.c).
const BIGINT_FROM: i32 = 20_000;

pub struct Plan {
    pub scale: i32,
    pub fillfactor: i32,
    pub unlogged: bool,
    pub fill: Fill,
    pub replace: bool,
}

/// What abalance holds.
pub enum Fill {
    /// 0, as pgbench -i leaves it.
    Zero,
    /// 1 + aid % 100003, so that checksums mean something.
    Key,
}

impl Fill {
    pub fn by_name(name: &str) -> Result<Self> {
        match name {
            "zero" => Ok(Self::Zero),
            "key" => Ok(Self::Key),
            other => Err(Error::invalid(format!("unknown fill \"{other}\"")).hint("Valid fills are zero, key.")),
        }
    }

    fn expression(&self) -> &'static str {
        match self {
            Self::Zero => "0",
            Self::Key => "1 + aid % 100003::bigint",
        }
    }
}

/// What was made: accounts, bytes of the four tables with their indexes, nanoseconds.
pub struct Made {
    pub rows: i64,
    pub bytes: i64,
    pub elapsed_ns: i64,
}

/// Makes the tables in the current schema, analysed. Nothing existing is dropped without `replace`.
pub fn run(plan: &Plan) -> Result<Made> {
    if plan.scale < 1 {
        return Err(Error::invalid(format!("scale must be at least 1, not {}", plan.scale)));
    }
    if !(10..=100).contains(&plan.fillfactor) {
        return Err(Error::invalid(format!("fillfactor must be from 10 to 100, not {}", plan.fillfactor)));
    }
    let started = monotonic_ns();
    let spi = Connection::open()?;
    let schema = current_schema(&spi)?;
    let tables = TABLES.map(|table| format!("{schema}.{table}"));
    let settings = NestLevel::new();
    // DROP TABLE IF EXISTS says of each table that it is not there
    settings.set(c"client_min_messages", "warning")?;
    make_room(&spi, &tables, plan.replace)?;
    let scale = plan.scale.to_string();
    spi.execute(&fill(
        SETUP,
        &[
            ("schema", &schema),
            ("unlogged", if plan.unlogged { "UNLOGGED" } else { "" }),
            ("aid_type", if plan.scale >= BIGINT_FROM { "bigint" } else { "integer" }),
            ("fillfactor", &plan.fillfactor.to_string()),
            ("scale", &scale),
            ("abalance", plan.fill.expression()),
        ],
    ))?;
    let mut bytes = 0;
    for table in &tables {
        bytes += number(&spi, &format!("SELECT pg_catalog.pg_total_relation_size({})", regclass(table)?))?;
    }
    Ok(Made { rows: ACCOUNTS * i64::from(plan.scale), bytes, elapsed_ns: monotonic_ns() - started })
}

fn current_schema(spi: &Connection) -> Result<String> {
    let rows = spi.query("SELECT pg_catalog.quote_ident(pg_catalog.current_schema())")?;
    rows.into_iter().next().and_then(|row| row.into_iter().next().flatten()).ok_or_else(|| {
        Error::new(Code::ERRCODE_INVALID_SCHEMA_NAME, "no schema has been selected to create in")
            .hint("SET search_path to an existing schema.")
    })
}

/// Drops what is in the way, or refuses to.
fn make_room(spi: &Connection, tables: &[String], replace: bool) -> Result<()> {
    if replace {
        spi.execute(&format!("DROP TABLE IF EXISTS {}", tables.join(", ")))?;
        return Ok(());
    }
    for table in tables {
        let there = spi.query(&format!("SELECT pg_catalog.to_regclass({})", catalog::quote_literal(table)?))?;
        if there.iter().flatten().any(Option::is_some) {
            return Err(Error::new(Code::ERRCODE_DUPLICATE_TABLE, format!("relation {table} already exists"))
                .hint("replace => true drops pgbench's four tables and makes them anew."));
        }
    }
    Ok(())
}

fn regclass(table: &str) -> Result<String> {
    Ok(format!("{}::pg_catalog.regclass", catalog::quote_literal(table)?))
}

fn number(spi: &Connection, sql: &str) -> Result<i64> {
    let rows = spi.query(sql)?;
    Ok(rows.iter().flatten().flatten().find_map(|text| text.parse().ok()).unwrap_or_default())
}
