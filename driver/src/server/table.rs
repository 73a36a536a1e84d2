//! pgbench's four tables, by plain SQL: what `pgbench -i` makes, without needing pgbench or the extension.
//!
//! Counterpart: initCreateTables, initGenerateData, initVacuum and initCreatePKeys in src/bin/pgbench/pgbench.c.

use crate::error::{Error, Result};
use crate::server::Session;

const ACCOUNTS: i64 = 100_000;
const TELLERS: i64 = 10;
/// From this scale on pgbench makes the account number a bigint: int4 ends at scale 21,474.
const BIGINT_SCALE: i64 = 20_000;
/// Account rows sent in one statement, so that a large fill can be followed and stopped.
const BATCH: i64 = 1_000_000;

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

    /// Bytes of tables and indexes, estimated: an accounts page holds 61 rows at fill factor 100, and an index entry takes 20
    /// bytes in pages filled to 90 %.
    pub fn bytes(&self) -> u64 {
        let pages = (self.scale * ACCOUNTS) as u64 * 100 / u64::from(self.fillfactor) / 61;
        pages * 8192 + (self.scale * ACCOUNTS) as u64 * 23 + (1 << 20)
    }
}

/// Creates and fills the tables in one transaction, then VACUUM (ANALYZE). `progress` hears of rows done and of all rows.
/// Nothing that exists is dropped without `replace`.
pub fn create(session: &Session, options: &TableOptions, progress: &mut dyn FnMut(i64, i64)) -> Result<()> {
    let TableOptions { scale, fillfactor, .. } = *options;
    let aid = if scale < BIGINT_SCALE { "int" } else { "bigint" };
    let kind = if options.unlogged { "unlogged table" } else { "table" };
    let balance = match options.fill {
        Fill::Zero => "0",
        Fill::Key => "1 + aid % 100003",
    };
    if !options.replace {
        check_absent(session)?;
    }
    session.batch("begin")?;
    if options.replace {
        session.batch("drop table if exists pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers")?;
    }
    session.batch(&format!(
        "create {kind} pgbench_history(tid int, bid int, aid {aid}, delta int, mtime timestamp, filler char(22));
             create {kind} pgbench_tellers(tid int not null, bid int, tbalance int, filler char(84))
               with (fillfactor={fillfactor});
             create {kind} pgbench_accounts(aid {aid} not null, bid int, abalance int, filler char(84))
               with (fillfactor={fillfactor});
             create {kind} pgbench_branches(bid int not null, bbalance int, filler char(88))
               with (fillfactor={fillfactor});
             insert into pgbench_branches(bid, bbalance) select generate_series(1, {scale}), 0;
             insert into pgbench_tellers(tid, bid, tbalance)
               select tid, (tid - 1) / {TELLERS} + 1, 0 from (select generate_series(1, {tellers}) as tid) t",
        tellers = scale * TELLERS
    ))?;
    let rows = scale * ACCOUNTS;
    let mut done = 0;
    while done < rows {
        let last = i64::min(done + BATCH, rows);
        // a set-returning function in the target list feeds rows on one by one; in FROM it would fill a tuplestore first
        session.batch(&format!(
            "insert into pgbench_accounts(aid, bid, abalance, filler)
             select aid, (aid - 1) / {ACCOUNTS} + 1, {balance}, ''
             from (select generate_series({first}::{aid}, {last}::{aid}) as aid) a",
            first = done + 1
        ))?;
        done = last;
        progress(done, rows);
    }
    session.batch(
        "alter table pgbench_branches add primary key (bid);
         alter table pgbench_tellers add primary key (tid);
         alter table pgbench_accounts add primary key (aid);
         commit",
    )?;
    for table in ["pgbench_branches", "pgbench_tellers", "pgbench_accounts", "pgbench_history"] {
        session.batch(&format!("vacuum (analyze) {table}"))?;
    }
    Ok(())
}

/// An error where one of pgbench's tables is there already, in the schema that new tables go to.
pub fn check_absent(session: &Session) -> Result<()> {
    let found = session.query_opt(
        "select format('%I.%I', n.nspname, c.relname), current_database()::text
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = current_schema()
           and c.relname in ('pgbench_accounts', 'pgbench_branches', 'pgbench_history', 'pgbench_tellers')
         order by 1 limit 1",
        &[],
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
