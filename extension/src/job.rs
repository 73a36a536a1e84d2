//! What a call is to do: which keys, in which table, by which index.

use pgrx::PgSqlErrorCode as Code;
use pgrx::pg_sys;
use select_loop_keys::{Distribution, KeySequence};

use crate::error::{Error, Result};
use crate::layer::Kind;
use crate::pg::relation::Relation;
use crate::pg::snapshot::ActiveSnapshot;
use crate::pg::spi::Connection;
use crate::pg::{access, index_scan};
use crate::table::{Names, Table};

/// The arguments of a call, not NULL any more and in range.
pub struct Request {
    pub selects: i64,
    /// None: pgbench_accounts on the search path.
    pub relation: Option<pg_sys::Oid>,
    pub seed: i64,
    pub distribution: Distribution,
}

/// A request together with the table that it is about.
pub struct Job {
    pub selects: i64,
    pub seed: i64,
    pub distribution: Distribution,
    /// Keys 1 to rows; key k stands for `min + k - 1`.
    pub sequence: KeySequence,
    pub min: i64,
    pub table: Table,
    /// The index that raw lookups go through; SQL layers' plans are held against it. None where only SQL layers can look.
    pub index: Option<Relation>,
    pub names: Names,
}

impl Job {
    /// Resolves and checks `request` for a layer of `kind`.
    pub fn resolve(request: &Request, kind: Kind, spi: &Connection, snapshot: &ActiveSnapshot) -> Result<Self> {
        let table = Table::open(request.relation)?;
        let names = table.names();
        let below_sql = match table.below_sql() {
            Err(error) if kind == Kind::Raw => return Err(error),
            below_sql => below_sql.ok(),
        };
        if kind == Kind::Raw && access::is_serializable() {
            return Err(Error::unsupported("raw layers can't run in a serializable transaction")
                .detail("They take no predicate locks.")
                .hint("Use a SQL layer, or REPEATABLE READ."));
        }
        let (index, range) = match below_sql {
            Some(index) => {
                let (attnum, int) = (table.key.attnum, table.key.int);
                let range = index_scan::key_range(&table.relation, &index, attnum, int, snapshot);
                (Some(index), range)
            }
            // a partitioned table's plans are held against the partitions of this one
            None => (table.primary.map(Relation::open_index), range_by_sql(spi, &names)?),
        };
        let (min, max) = range.ok_or_else(|| {
            Error::not_ready(format!("table {} is empty", names.relation))
                .hint("Fill it, for pgbench's tables with select_loop_setup(), sps init or pgbench -i.")
        })?;
        let rows = max.checked_sub(min).and_then(|width| width.checked_add(1)).ok_or_else(|| {
            Error::new(Code::ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range")
                .detail(format!("Keys from {min} to {max} are more than a bigint counts."))
        })?;
        Ok(Self {
            selects: request.selects,
            seed: request.seed,
            distribution: request.distribution,
            sequence: KeySequence::new(request.seed, rows, request.distribution),
            min,
            table,
            index,
            names,
        })
    }

    /// The lookup of `key`, an expression of the key's type.
    pub fn select_sql(&self, key: &str) -> String {
        let Names { relation, key: column, value } = &self.names;
        format!("SELECT {value} FROM {relation} WHERE {column} = {key}")
    }

    /// The index of a raw layer's job; `resolve` has refused those without one.
    pub fn raw_index(&self) -> Result<&Relation> {
        self.index.as_ref().ok_or_else(|| Error::not_ready("there is no index to look up by"))
    }
}

/// Smallest and largest key as SQL sees them: through policies, partitions and views.
fn range_by_sql(spi: &Connection, names: &Names) -> Result<Option<(i64, i64)>> {
    let sql = format!("SELECT pg_catalog.min({0}), pg_catalog.max({0}) FROM {1}", names.key, names.relation);
    let rows = spi.query(&sql)?;
    let number = |column: usize| rows.first()?.get(column)?.as_ref()?.parse::<i64>().ok();
    Ok(number(0).zip(number(1)))
}
