//! The relation that is looked up: key, value, range of keys, size.
//!
//! Any table with a primary key of one smallint, integer or bigint column will do; pgbench_accounts is the default.

use crate::arm::Lookup;
use crate::error::{Error, Result};
use crate::record::Dataset;
use crate::server::Session;

const DEFAULT: &str = "pgbench_accounts";

/// Looks at `relation` (a name as SQL writes it, found through the search_path), or at pgbench_accounts.
///
/// # Errors
/// Where there is no such table, it has no usable key, holds no rows, or may not be read.
pub fn inspect(session: &Session, relation: Option<&str>) -> Result<(Dataset, Lookup)> {
    let name = relation.unwrap_or(DEFAULT);
    let table = session
        .query_opt(
            "select c.oid, c.oid::regclass::text, format('%I.%I', n.nspname, c.relname), c.relkind::text, n.nspname::text,
                    current_database()::text
             from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass($1)",
            &[&name],
        )?
        .map_or_else(|| missing(session, name), Ok)?;
    let (oid, relation, qualified): (u32, String, String) = (table.get(0), table.get(1), table.get(2));
    let kind: String = table.get(3);
    if kind != "r" && kind != "p" {
        return Err(Error::failed(format!("{qualified} is not a table (SQLSTATE 42809)"))
            .hint("lookups need a table with a primary key of one integer column"));
    }
    let index = key_index(session, oid, &qualified)?;
    let (key, key_type) = (index.key, index.key_type);
    let (value, value_type) = session
        .query_opt(
            "select format('%I', attname), format_type(atttypid, null) from pg_attribute
             where attrelid = $1 and attname = 'abalance' and not attisdropped
               and atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)",
            &[&oid],
        )?
        .map_or_else(
            || {
                // the operator of the wider of two types: 2147483647 is an integer
                let wider = if key_type == "bigint" { "bigint" } else { "integer" };
                (format!("({key} & 2147483647)"), wider.to_owned())
            },
            |row| (row.get(0), row.get(1)),
        );
    let (min, rows) = range(session, &relation, &key, &qualified)?;
    let size = "select coalesce((select sum(pg_relation_size(relid)) from pg_partition_tree($1::oid::regclass)),
                       pg_relation_size($1::oid::regclass))::bigint";
    let dataset = Dataset {
        scale: scale(session, &qualified, table.get(4))?,
        rows,
        min,
        key: key.clone(),
        value: value.clone(),
        index: index.name,
        table_bytes: session.query_one(size, &[&oid])?.get(0),
        index_bytes: session.query_one(size, &[&index.oid])?.get(0),
        relation: qualified,
    };
    Ok((dataset, Lookup { relation, key, value, key_type, value_type, min, rows }))
}

struct KeyIndex {
    oid: u32,
    /// Schema-qualified, quoted as SQL.
    name: String,
    key: String,
    key_type: String,
}

/// The primary key's index where a lookup can use it, else the oldest other one on that column alone that can: unique,
/// valid, immediate, whole. The extension chooses by the same rule.
fn key_index(session: &Session, table: u32, qualified: &str) -> Result<KeyIndex> {
    let found = session.query_opt(
        "select i.indexrelid, format('%I.%I', n.nspname, c.relname), format('%I', a.attname),
                format_type(a.atttypid, null)
         from pg_index p
           join pg_attribute a on a.attrelid = p.indrelid and a.attnum = p.indkey[0]
           join pg_index i on i.indrelid = p.indrelid and i.indkey[0] = a.attnum
           join pg_class c on c.oid = i.indexrelid
           join pg_namespace n on n.oid = c.relnamespace
           join pg_am am on am.oid = c.relam and am.amname = 'btree'
           join pg_opclass o on o.oid = i.indclass[0] and o.opcdefault and o.opcintype = a.atttypid
         where p.indrelid = $1 and p.indisprimary and p.indnkeyatts = 1
           and i.indnkeyatts = 1 and i.indisunique and i.indimmediate
           and i.indisvalid and i.indisready and i.indislive and i.indpred is null
           and a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)
         order by i.indisprimary desc, i.indexrelid limit 1",
        &[&table],
    )?;
    let found = found.ok_or_else(|| {
        Error::failed(format!("{qualified} has no valid primary key of one smallint, integer or bigint column"))
            .hint("add one (ALTER TABLE … ADD PRIMARY KEY), REINDEX an invalid one, or name another table")
    })?;
    Ok(KeyIndex { oid: found.get(0), name: found.get(1), key: found.get(2), key_type: found.get(3) })
}

/// Smallest key, and how many keys there are from it to the largest.
fn range(session: &Session, relation: &str, key: &str, qualified: &str) -> Result<(i64, i64)> {
    let row = session.query_one(&format!("select min({key})::bigint, max({key})::bigint from {relation}"), &[])?;
    let (Some(min), Some(max)) = (row.get::<_, Option<i64>>(0), row.get::<_, Option<i64>>(1)) else {
        return Err(Error::failed(format!("{qualified} is empty")).hint("fill it first: `sps init` or `pgbench -i`"));
    };
    let rows = max.checked_sub(min).and_then(|span| span.checked_add(1)).ok_or_else(|| {
        Error::failed(format!("the keys of {qualified} span more than a bigint: from {min} to {max}"))
    })?;
    Ok((min, rows))
}

/// Rows of pgbench_branches beside pgbench_accounts; None for other tables and where it cannot be read.
fn scale(session: &Session, qualified: &str, schema: &str) -> Result<Option<i64>> {
    if !qualified.ends_with(".pgbench_accounts") {
        return Ok(None);
    }
    let branches = session.query_opt(
        "select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relname = 'pgbench_branches' and c.relkind in ('r', 'p')
           and has_table_privilege(c.oid, 'select')",
        &[&schema],
    )?;
    let Some(branches) = branches else { return Ok(None) };
    let count = format!("select count(*) from {}", branches.get::<_, String>(0));
    Ok(Some(session.query_one(&count, &[])?.get(0)))
}

fn missing(session: &Session, name: &str) -> Result<tokio_postgres::Row> {
    let database: String = session.query_one("select current_database()::text", &[])?.get(0);
    Err(Error::failed(format!("relation \"{name}\" does not exist in database \"{database}\" (SQLSTATE 42P01)")).hint(
        format!(
            "create pgbench's tables in \"{database}\" with `sps init`, `pgbench -i` or, where the extension is installed, \
             SELECT * FROM select_loop_setup(); or name another database or table"
        ),
    ))
}

/// Says so where the keys are not as many as pgbench's scale promises.
pub fn disagreement(dataset: &Dataset) -> Option<String> {
    let expected = dataset.scale?.checked_mul(100_000)?;
    (expected != dataset.rows || dataset.min != 1).then(|| {
        let last = dataset.min + (dataset.rows - 1);
        format!("keys {} to {last} where scale {} has 1 to {expected}", dataset.min, expected / 100_000)
    })
}
