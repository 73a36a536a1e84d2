//! What a call is to do, checked: the table, its key and value, the index, and whether this user may look there.
//!
//! Raw layers go below SQL, so everything that SQL would refuse, or answer differently, is refused here.

use pgrx::PgSqlErrorCode as Code;
use pgrx::pg_sys;
use select_loop_keys::{Distribution, KeySequence};

use crate::error::{Error, Result};
use crate::layer::Kind;
use crate::pg::index::{Key, NoKey};
use crate::pg::int::Int;
use crate::pg::relation::{Relation, RelationKind};
use crate::pg::slot::Value;
use crate::pg::snapshot::ActiveSnapshot;
use crate::pg::spi::Connection;
use crate::pg::{access, catalog, index, index_scan, version};

/// pgbench's table and column names.
const TABLE: &std::ffi::CStr = c"pgbench_accounts";
const KEY_OF_VIEW: &str = "aid";
const VALUE: &str = "abalance";

/// The arguments of a call, not NULL any more and in range.
pub struct Request {
    pub selects: i64,
    /// None: pgbench_accounts on the search path.
    pub relation: Option<pg_sys::Oid>,
    pub seed: i64,
    pub distribution: Distribution,
}

/// A request together with the table that it is about. Names are quoted, as SQL writes them.
pub struct Job {
    pub selects: i64,
    pub seed: i64,
    pub distribution: Distribution,
    /// Keys 1 to rows; key k stands for `min + k - 1`.
    pub sequence: KeySequence,
    pub min: i64,
    pub table: Relation,
    /// The index that raw lookups go through; SQL layers' plans are held against it. None where only SQL layers can look.
    pub index: Option<Relation>,
    pub key: Key,
    pub value: Value,
    /// `schema.table`
    pub relation_sql: String,
    pub key_sql: String,
    /// `abalance`, or the key's low 31 bits
    pub value_sql: String,
}

impl Job {
    /// Resolves and checks `request` on `table` for a layer of `kind`.
    pub fn resolve(
        table: Relation,
        request: &Request,
        kind: Kind,
        spi: &Connection,
        snapshot: &ActiveSnapshot,
    ) -> Result<Self> {
        let (key, primary) = find_key(&table)?;
        let value = find_value(&table);
        let columns = match value {
            Value::Column { attnum, .. } => vec![key.attnum, attnum],
            Value::Key => vec![key.attnum],
        };
        access::require_select(&table, &columns);
        let below_sql = below_sql(&table, key, value);
        if kind == Kind::Raw {
            if let Err(error) = below_sql {
                return Err(error);
            }
            if access::is_serializable() {
                return Err(Error::unsupported("raw layers can't run in a serializable transaction")
                    .detail("They take no predicate locks.")
                    .hint("Use a SQL layer, or REPEATABLE READ."));
            }
        }
        let names = Names::of(&table, key, value);
        let (index, range) = match below_sql {
            Ok(index) => {
                let range = index_scan::key_range(&table, &index, key.attnum, key.int, snapshot);
                (Some(index), range)
            }
            // a partitioned table's plans are held against the partitions of this one
            Err(_) => (primary.map(Relation::open_index), range_by_sql(spi, &names)?),
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
            key,
            value,
            relation_sql: names.relation,
            key_sql: names.key,
            value_sql: names.value,
        })
    }

    /// Type of the value as SQL gives it.
    pub fn value_int(&self) -> Int {
        match (self.value, self.key.int) {
            (Value::Column { int, .. }, _) => int,
            (Value::Key, Int::Eight) => Int::Eight,
            (Value::Key, _) => Int::Four,
        }
    }

    /// The lookup of `key`, an expression of the key's type.
    pub fn select_sql(&self, key: &str) -> String {
        format!("SELECT {} FROM {} WHERE {} = {key}", self.value_sql, self.relation_sql, self.key_sql)
    }

    /// The index of a raw layer's job; `resolve` has refused those without one.
    pub fn raw_index(&self) -> Result<&Relation> {
        self.index.as_ref().ok_or_else(|| Error::not_ready("there is no index to look up by"))
    }

    /// Is the table one whose plan is a single index scan: no partitions, children, or relations behind it?
    pub fn is_single_table(&self) -> bool {
        self.table.kind() == RelationKind::Table && !self.table.has_children()
    }
}

/// The table asked for, locked; 42P01 with what to do where there is none.
pub fn open(relation: Option<pg_sys::Oid>) -> Result<Relation> {
    let oid = relation.or_else(|| catalog::relation_on_search_path(TABLE));
    let table = oid.and_then(Relation::open).ok_or_else(|| {
        let missing = match relation {
            None => "relation \"pgbench_accounts\" does not exist".to_owned(),
            Some(oid) => format!("relation with OID {} does not exist", oid.to_u32()),
        };
        Error::new(Code::ERRCODE_UNDEFINED_TABLE, missing).hint(format!(
            "Create pgbench's tables in database \"{}\" with select_loop_setup(), sps init or pgbench -i.",
            catalog::database_name()
        ))
    })?;
    if table.kind() == RelationKind::Other {
        return Err(Error::new(
            Code::ERRCODE_WRONG_OBJECT_TYPE,
            format!("\"{}\" is not a table, partitioned table, view or foreign table", table.name()),
        ));
    }
    if table.is_other_temp() {
        return Err(Error::unsupported("cannot access temporary tables of other sessions"));
    }
    Ok(table)
}

/// The key, and the index of the primary key where there is one.
fn find_key(table: &Relation) -> Result<(Key, Option<pg_sys::Oid>)> {
    if matches!(table.kind(), RelationKind::View | RelationKind::ForeignTable) {
        let attnum = named_column(table, KEY_OF_VIEW);
        let int = attnum.and_then(|attnum| table.column(attnum)).and_then(|column| Int::of(column.atttypid));
        return match (attnum, int) {
            (Some(attnum), Some(int)) => Ok((Key { attnum, int }, None)),
            _ => Err(no_key(table, "A view or foreign table has no primary key, and this one no integer column aid.")),
        };
    }
    let detail = match index::primary_key(table) {
        Ok((key, oid)) => return Ok((key, Some(oid))),
        Err(NoKey::Absent) => "It has no primary key.".to_owned(),
        Err(NoKey::Columns(columns)) => format!("Its primary key has {columns} columns."),
        Err(NoKey::Type) => "Its primary key is not of type smallint, integer or bigint.".to_owned(),
    };
    Err(no_key(table, &detail))
}

fn no_key(table: &Relation, detail: &str) -> Error {
    Error::not_ready(format!("\"{}\" has no key to look up by", table.name()))
        .detail(detail)
        .hint("Use a table whose primary key is one column of type smallint, integer or bigint.")
}

fn find_value(table: &Relation) -> Value {
    let column = named_column(table, VALUE).and_then(|attnum| Some((attnum, Int::of(table.column(attnum)?.atttypid)?)));
    match column {
        Some((attnum, int)) => Value::Column { attnum, int },
        None => Value::Key,
    }
}

fn named_column(table: &Relation, name: &str) -> Option<i16> {
    (1..=table.natts()).find(|&attnum| {
        table
            .column(attnum)
            .is_some_and(|column| !column.attisdropped && column_name(column).to_bytes() == name.as_bytes())
    })
}

/// The index for going below SQL, or why that would not answer as SQL does.
fn below_sql(table: &Relation, key: Key, value: Value) -> Result<Relation> {
    let name = table.name();
    let refuse = |what: &str| {
        let hint = "Use a SQL layer; select_loop_layers() lists them.";
        Err(Error::unsupported(format!("raw layers can't run on {what}")).hint(hint))
    };
    match table.kind() {
        RelationKind::Table => {}
        RelationKind::PartitionedTable => return refuse(&format!("partitioned table \"{name}\"")),
        RelationKind::View => return refuse(&format!("view \"{name}\"")),
        RelationKind::ForeignTable => return refuse(&format!("foreign table \"{name}\"")),
        RelationKind::Other => return refuse(&format!("\"{name}\"")),
    }
    if table.has_children() {
        return refuse(&format!("\"{name}\", from which other tables inherit"));
    }
    if access::is_row_security_applied(table) {
        return refuse(&format!("\"{name}\", to which row-level security applies"));
    }
    if let Value::Column { attnum, .. } = value
        && table.column(attnum).is_some_and(version::is_virtual)
    {
        return refuse(&format!("\"{name}\", whose column \"{VALUE}\" is a virtual generated one"));
    }
    index::best_index(table, key).map_err(|faults| {
        Error::not_ready(format!("\"{name}\" has no index to look up its key by"))
            .detail(if faults.is_empty() { "No index starts with the key.".to_owned() } else { sentence(&faults) })
            .hint(
                "A lookup needs a valid, unique, immediate btree index on the key alone; REINDEX mends an invalid one.",
            )
    })
}

fn sentence(faults: &[String]) -> String {
    format!("{}.", faults.join("; ")).replacen("index", "Index", 1)
}

/// Names as SQL writes them.
struct Names {
    relation: String,
    key: String,
    value: String,
}

impl Names {
    fn of(table: &Relation, key: Key, value: Value) -> Self {
        let quoted =
            |attnum| table.column(attnum).map(|c| catalog::quote_identifier(column_name(c))).unwrap_or_default();
        let key_sql = quoted(key.attnum);
        let value = match (value, key.int) {
            (Value::Column { attnum, .. }, _) => quoted(attnum),
            // operand types that match, so that no operator but pg_catalog's can be meant
            (Value::Key, Int::Two) => format!("({key_sql}::integer & 2147483647)"),
            (Value::Key, Int::Four) => format!("({key_sql} & 2147483647)"),
            (Value::Key, Int::Eight) => format!("({key_sql} & 2147483647::bigint)"),
        };
        Self { relation: table.qualified_name(), key: key_sql, value }
    }
}

fn column_name(column: &pg_sys::FormData_pg_attribute) -> &std::ffi::CStr {
    version::name(&column.attname)
}

/// Smallest and largest key as SQL sees them: through policies, partitions and views.
fn range_by_sql(spi: &Connection, names: &Names) -> Result<Option<(i64, i64)>> {
    let sql = format!("SELECT pg_catalog.min({0}), pg_catalog.max({0}) FROM {1}", names.key, names.relation);
    let rows = spi.query(&sql)?;
    let number = |column: usize| rows.first()?.get(column)?.as_ref()?.parse::<i64>().ok();
    Ok(number(0).zip(number(1)))
}
