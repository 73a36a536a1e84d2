//! Brings a database to the schema that this sps knows.
//!
//! A new database gets `sql/results.sql` whole, an older one each delta on the way, all in one transaction under a lock: of
//! several sps at once one does it, and one that is killed leaves the database as it was.

use crate::error::{Error, Result};
use crate::server::Session;

/// A version of the schema, and how to come there.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'a> {
    pub version: i32,
    /// The whole of it, its `version` table included.
    pub whole: &'a str,
    /// (from, SQL): from that version to the next, in order.
    pub deltas: &'a [(i32, &'a str)],
}

/// What this sps reads and writes.
pub const SCHEMA: Schema<'static> = Schema { version: 1, whole: include_str!("../../../sql/results.sql"), deltas: &[] };

/// Any number that no other user of the database's advisory locks has: "sps" and the schema.
const LOCK: i64 = 0x7370_7300_0000;

/// Creates or upgrades `schema` in the session's database. One that is as it should be is only looked at, so that reading
/// it takes no more than the right to read.
///
/// # Errors
/// The database is newer than sps, or older than any delta, or holds something else under the schema's name.
pub fn migrate(session: &Session, schema: &Schema<'_>) -> Result<()> {
    if version(session)? == Some(schema.version) {
        return Ok(());
    }
    session.batch("begin")?;
    let done = upgrade(session, schema);
    session.batch(if done.is_ok() { "commit" } else { "rollback" })?;
    done
}

fn upgrade(session: &Session, schema: &Schema<'_>) -> Result<()> {
    session.query_one("select pg_advisory_xact_lock($1)", &[&LOCK])?;
    // another sps may have done it meanwhile
    let Some(mut found) = version(session)? else {
        return session.batch(schema.whole).map_err(|error| {
            error.context("cannot create the results database's schema").hint(
                "the user needs the right to create a schema in that database; or name another one with --results",
            )
        });
    };
    if found > schema.version {
        return Err(Error::failed(format!(
            "the results database has schema version {found}, this sps knows version {}",
            schema.version
        ))
        .hint("use the newer sps that upgraded it, or name another database with --results"));
    }
    while found < schema.version {
        let Some((_, sql)) = schema.deltas.iter().find(|(from, _)| *from == found) else {
            return Err(Error::failed(format!(
                "the results database has schema version {found}, which sps cannot upgrade"
            ))
            .hint("export its sets with the sps that made it, and import them into a new database"));
        };
        session.batch(sql).map_err(|error| {
            error.context(format!("cannot upgrade the results database from schema version {found}"))
        })?;
        found += 1;
        session.query("update sps_results.version set version = $1, applied = now()", &[&found])?;
    }
    Ok(())
}

/// The schema's version in the session's database; None without the schema.
fn version(session: &Session) -> Result<Option<i32>> {
    // by the catalogs' own tables: what to_regclass remembers may be older than the lock that was waited for
    let there = session.query_one(
        "select count(n.oid) > 0, count(c.oid) > 0
         from pg_catalog.pg_namespace n
         left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'version'
         where n.nspname = 'sps_results'",
        &[],
    )?;
    match (there.get(0), there.get(1)) {
        (false, _) => Ok(None),
        (true, false) => Err(Error::failed("the database has a schema sps_results that is not of sps")
            .hint("name another database with --results")),
        (true, true) => Ok(Some(session.query_one("select version from sps_results.version", &[])?.get(0))),
    }
}
