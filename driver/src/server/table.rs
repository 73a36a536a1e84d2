//! pgbench's four tables, made by the SQL that `select_loop_setup()` runs, too: what `pgbench -i` makes, on any server.

use select_loop_keys::fill as fill_in;

use crate::error::{Error, Result};
use crate::server::Session;

const SETUP: &str = include_str!("../../../sql/setup.sql");

/// Accounts a unit of scale.
const ACCOUNTS: i64 = 100_000;
/// From this scale on aid is a bigint (SCALE_32BIT_THRESHOLD in src/bin/pgbench/pgbench.c).
const BIGINT_FROM: i64 = 20_000;
const TABLES: [&str; 4] = ["pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"];

/// What an account's balance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Fill {
    /// 0, as pgbench fills it
    Zero,
    /// 1 + aid % 100003, so that checksums mean something
    Key,
}

#[derive(Clone, Debug)]
pub struct TableOptions {
    pub scale: i64,
    pub fillfactor: u8,
    pub unlogged: bool,
    pub fill: Fill,
    /// Drop tables that are there.
    pub replace: bool,
}

impl TableOptions {
    pub fn of_scale(scale: i64) -> Self {
        Self { scale, fillfactor: 100, unlogged: false, fill: Fill::Key, replace: false }
    }

    pub fn accounts(&self) -> i64 {
        self.scale * ACCOUNTS
    }

    /// Bytes of tables and indexes, estimated: an accounts page holds 61 rows at fill factor 100, and an index entry takes
    /// 20 bytes in pages filled to 90 %.
    pub fn bytes(&self) -> u64 {
        let accounts = self.accounts() as u64;
        accounts * 100 / u64::from(self.fillfactor) / 61 * 8192 + accounts * 23 + (1 << 20)
    }
}

/// Creates and fills the tables in one transaction, then VACUUM (ANALYZE). Nothing that exists is dropped without
/// `replace`. Ctrl-C cancels it.
pub fn create(session: &Session, options: &TableOptions) -> Result<()> {
    let row = session.query_one("select quote_ident(current_schema())", &[])?;
    let schema = row.get::<_, Option<String>>(0).ok_or_else(|| {
        Error::failed("no schema has been selected to create in (SQLSTATE 3F000)")
            .hint("name an existing schema: PGOPTIONS='-c search_path=…'")
    })?;
    let tables = TABLES.map(|table| format!("{schema}.{table}"));
    if !options.replace {
        check_absent(session)?;
    }
    let setup = fill_in(
        SETUP,
        &[
            ("schema", &schema),
            ("unlogged", if options.unlogged { "UNLOGGED" } else { "" }),
            ("aid_type", if options.scale < BIGINT_FROM { "integer" } else { "bigint" }),
            ("fillfactor", &options.fillfactor.to_string()),
            ("scale", &options.scale.to_string()),
            (
                "abalance",
                match options.fill {
                    Fill::Zero => "0",
                    Fill::Key => "1 + aid % 100003::bigint",
                },
            ),
        ],
    );
    let drop = if options.replace { format!("DROP TABLE IF EXISTS {}", tables.join(", ")) } else { String::new() };
    session.interruptible(|| {
        // statements of one Query message are one transaction
        session.batch(&format!("{drop};\n{setup}"))?;
        tables.iter().try_for_each(|table| session.batch(&format!("VACUUM (ANALYZE) {table}")))
    })
}

/// An error where one of pgbench's tables is there already, in the schema that new tables go to.
pub fn check_absent(session: &Session) -> Result<()> {
    let found = session.query_opt(
        "select format('%I.%I', n.nspname, c.relname), current_database()::text
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = current_schema() and c.relname = any ($1) order by 1 limit 1",
        &[&&TABLES[..]],
    )?;
    match found {
        None => Ok(()),
        Some(row) => {
            let (table, database): (String, String) = (row.get(0), row.get(1));
            Err(Error::failed(format!("relation {table} exists in database \"{database}\" (SQLSTATE 42P07)")).hint(
                "nothing is dropped unasked: --replace drops pgbench's tables first; or name another database, or another \
                 schema by PGOPTIONS='-c search_path=…'",
            ))
        }
    }
}
