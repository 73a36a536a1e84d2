//! The table of a call: opened, its key and value found, and whether this user may read them.
//!
//! Raw layers go below SQL, so everything that SQL would refuse, or answer differently, is refused here.

use pgrx::PgSqlErrorCode as Code;
use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::pg::index::{Key, NoKey};
use crate::pg::int::Int;
use crate::pg::relation::{Relation, RelationKind};
use crate::pg::slot::{Reading, Value};
use crate::pg::{access, catalog, index, version};

/// pgbench's table and column names.
const TABLE: &std::ffi::CStr = c"pgbench_accounts";
const KEY_OF_VIEW: &str = "aid";
const VALUE: &str = "abalance";

/// Locked, and readable by the current user as far as lookups go.
pub struct Table {
    pub relation: Relation,
    pub key: Key,
    pub value: Value,
    /// Index of the primary key; views and foreign tables have none.
    pub primary: Option<pg_sys::Oid>,
}

/// Names of a table as SQL writes them, quoted where they need it.
pub struct Names {
    pub relation: String,
    pub key: String,
    /// `abalance`, or the key's low 31 bits.
    pub value: String,
}

impl Table {
    /// The table asked for; None is pgbench_accounts on the search path. 42P01 with what to do where there is none, 42501 where
    /// the user may not read key and value.
    pub fn open(relation: Option<pg_sys::Oid>) -> Result<Self> {
        let relation = open(relation)?;
        let (key, primary) = find_key(&relation)?;
        let value = find_value(&relation);
        let columns = match value {
            Value::Column { attnum, .. } => vec![key.attnum, attnum],
            Value::Key => vec![key.attnum],
        };
        access::require_select(&relation, &columns);
        Ok(Self { relation, key, value, primary })
    }

    /// Is it one whose plan is a single index scan: no partitions, children, or relations behind it?
    pub fn is_single(&self) -> bool {
        self.relation.kind() == RelationKind::Table && !self.relation.has_children()
    }

    /// How a raw layer's loop reads the value: of a table without `abalance` from the row's key, as SQL does.
    pub fn reading(&self) -> Reading {
        match self.value {
            Value::Column { attnum, int } => Reading { attnum, int, mask: -1 },
            Value::Key => Reading { attnum: self.key.attnum, int: self.key.int, mask: 0x7fff_ffff },
        }
    }

    /// Type of the value as SQL gives it.
    pub fn value_int(&self) -> Int {
        match (self.value, self.key.int) {
            (Value::Column { int, .. }, _) => int,
            (Value::Key, Int::Eight) => Int::Eight,
            (Value::Key, _) => Int::Four,
        }
    }

    /// Names as SQL writes them, quoted where they need it.
    pub fn names(&self) -> Names {
        let Self { relation: table, key, value, .. } = self;
        let quoted =
            |attnum| table.column(attnum).map(|c| catalog::quote_identifier(column_name(c))).unwrap_or_default();
        let key_sql = quoted(key.attnum);
        let value = match (*value, key.int) {
            (Value::Column { attnum, .. }, _) => quoted(attnum),
            // operand types that match, so that no operator but pg_catalog's can be meant
            (Value::Key, Int::Two) => format!("({key_sql}::integer & 2147483647)"),
            (Value::Key, Int::Four) => format!("({key_sql} & 2147483647)"),
            (Value::Key, Int::Eight) => format!("({key_sql} & 2147483647::bigint)"),
        };
        Names { relation: table.qualified_name(), key: key_sql, value }
    }

    /// The index for going below SQL, or why that would not answer as SQL does.
    pub fn below_sql(&self) -> Result<Relation> {
        let Self { relation: table, key, value, .. } = self;
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
        if let Value::Column { attnum, .. } = *value
            && table.column(attnum).is_some_and(version::is_virtual)
        {
            return refuse(&format!("\"{name}\", whose column \"{VALUE}\" is a virtual generated one"));
        }
        index::best_index(table, *key).map_err(|faults| {
            Error::not_ready(format!("\"{name}\" has no index to look up its key by"))
                .detail(if faults.is_empty() { "No index starts with the key.".to_owned() } else { sentence(&faults) })
                .hint(
                    "A lookup needs a valid, unique, immediate btree index on the key alone; REINDEX mends an invalid one.",
                )
        })
    }
}

/// The table asked for, locked; 42P01 with what to do where there is none.
fn open(relation: Option<pg_sys::Oid>) -> Result<Relation> {
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

fn sentence(faults: &[String]) -> String {
    format!("{}.", faults.join("; ")).replacen("index", "Index", 1)
}

fn column_name(column: &pg_sys::FormData_pg_attribute) -> &std::ffi::CStr {
    version::name(&column.attname)
}
