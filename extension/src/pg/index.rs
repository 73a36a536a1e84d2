//! The index that lookups go through.
//!
//! Counterpart of the tests: src/backend/optimizer/util/plancat.c (`get_relation_info`: valid, indcheckxmin),
//! src/backend/parser/parse_clause.c (`infer_arbiter_indexes`: unique, immediate).

use pgrx::pg_sys;

use crate::pg::int::Int;
use crate::pg::relation::Relation;

/// The key of a table: the single column of its primary key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub attnum: i16,
    pub int: Int,
}

/// Why a table has no usable key.
#[derive(Debug)]
pub enum NoKey {
    /// No primary key.
    Absent,
    /// More columns than one.
    Columns(i16),
    /// A column of another type.
    Type,
}

/// The primary key of a table or partitioned table.
pub fn primary_key(table: &Relation) -> Result<(Key, pg_sys::Oid), NoKey> {
    for oid in table.index_oids() {
        let index = Relation::open_index(oid);
        let Some(form) = index.index_form().filter(|form| form.indisprimary) else { continue };
        if form.indnkeyatts != 1 {
            return Err(NoKey::Columns(form.indnkeyatts));
        }
        let attnum = first_column(form);
        let int = table.column(attnum).and_then(|column| Int::of(column.atttypid)).ok_or(NoKey::Type)?;
        return Ok((Key { attnum, int }, oid));
    }
    Err(NoKey::Absent)
}

/// The best index for raw lookups by `key`: the primary key's, else the usable one with the lowest oid. `Err` says what is wrong
/// with each index that starts with the key.
pub fn best_index(table: &Relation, key: Key) -> Result<Relation, Vec<String>> {
    let mut faults = Vec::new();
    let mut best: Option<Relation> = None;
    for oid in table.index_oids() {
        let index = Relation::open_index(oid);
        let Some(form) = index.index_form() else { continue };
        if first_column(form) != key.attnum {
            continue;
        }
        match fault(&index, form, key) {
            Some(fault) => faults.push(format!("index \"{}\" {fault}", index.name())),
            None if form.indisprimary => return Ok(index),
            None => best = best.or(Some(index)),
        }
    }
    best.ok_or(faults)
}

/// What keeps an index from answering "the one row with this key" by itself; None where nothing does.
fn fault(index: &Relation, form: &pg_sys::FormData_pg_index, key: Key) -> Option<&'static str> {
    let default_opclass = Some((pg_sys::INTEGER_BTREE_FAM_OID, key.int.oid()));
    if index.access_method() != pg_sys::BTREE_AM_OID {
        Some("is not a btree")
    } else if !form.indisvalid {
        Some("is not valid")
    } else if !form.indisready || !form.indislive {
        Some("is not ready")
    } else if !form.indisunique {
        Some("is not unique")
    } else if !form.indimmediate {
        Some("is deferrable")
    } else if form.indnkeyatts != 1 {
        Some("has more than one key column")
    } else if index.is_partial() {
        Some("is partial")
    } else if index.first_opclass() != default_opclass {
        Some("does not use the default operator class")
    } else if form.indcheckxmin && !is_old_enough(index) {
        Some("is too new for this transaction's snapshot")
    } else {
        None
    }
}

/// Was the index there, with all HOT chains it can follow, before the oldest snapshot of this transaction?
fn is_old_enough(index: &Relation) -> bool {
    // SAFETY: TransactionXmin is this backend's; both are normal transaction ids
    index.index_xmin().is_some_and(|xmin| unsafe { pg_sys::TransactionIdPrecedes(xmin, pg_sys::TransactionXmin) })
}

fn first_column(form: &pg_sys::FormData_pg_index) -> i16 {
    // SAFETY: an index has at least one column; values is a flexible array of indnatts entries
    unsafe { *form.indkey.values.as_ptr() }
}
