//! An open, locked relation.
//!
//! Counterpart: src/backend/access/common/relation.c (`try_relation_open`, `relation_close`). The lock is kept to the end of
//! the transaction, as a SELECT keeps it.

use pgrx::pg_sys;
use std::ffi::CStr;

use crate::pg::{encoding, raw, version};

pub struct Relation {
    relation: pg_sys::Relation,
}

/// What a relation is, as far as lookups care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    Table,
    PartitionedTable,
    View,
    ForeignTable,
    Other,
}

impl Relation {
    /// None where there is no such relation (any more). Takes AccessShareLock.
    pub fn open(oid: pg_sys::Oid) -> Option<Self> {
        // SAFETY: any oid may be asked for; a null pointer says there is none
        let relation = unsafe { pg_sys::try_relation_open(oid, pg_sys::AccessShareLock as i32) };
        // not then_some: a guard made around a null pointer would close it
        (!relation.is_null()).then(|| Self { relation })
    }

    /// An index that its table's list names, so that it exists while the table is locked.
    pub fn open_index(oid: pg_sys::Oid) -> Self {
        // SAFETY: an error where it is no index
        Self { relation: unsafe { pg_sys::index_open(oid, pg_sys::AccessShareLock as i32) } }
    }

    /// Valid while `self` is.
    #[inline(always)]
    pub fn as_ptr(&self) -> pg_sys::Relation {
        self.relation
    }

    fn data(&self) -> &pg_sys::RelationData {
        // SAFETY: an open relation's cache entry stays where it is until it is closed
        unsafe { &*self.relation }
    }

    fn class(&self) -> &pg_sys::FormData_pg_class {
        // SAFETY: rd_rel is set in every cache entry
        unsafe { &*self.data().rd_rel }
    }

    pub fn oid(&self) -> pg_sys::Oid {
        self.data().rd_id
    }

    pub fn namespace(&self) -> pg_sys::Oid {
        self.class().relnamespace
    }

    pub fn kind(&self) -> RelationKind {
        match self.class().relkind as u8 {
            pg_sys::RELKIND_RELATION => RelationKind::Table,
            pg_sys::RELKIND_PARTITIONED_TABLE => RelationKind::PartitionedTable,
            pg_sys::RELKIND_VIEW => RelationKind::View,
            pg_sys::RELKIND_FOREIGN_TABLE => RelationKind::ForeignTable,
            _ => RelationKind::Other,
        }
    }

    /// pg_class.relkind as a catalog query shows it.
    pub fn kind_char(&self) -> core::ffi::c_char {
        self.class().relkind
    }

    pub fn access_method(&self) -> pg_sys::Oid {
        self.class().relam
    }

    /// Is it stored by the heap access method?
    pub fn is_heap(&self) -> bool {
        self.access_method() == pg_sys::HEAP_TABLE_AM_OID
    }

    /// RELATION_IS_OTHER_TEMP of utils/rel.h.
    pub fn is_other_temp(&self) -> bool {
        self.class().relpersistence as u8 == pg_sys::RELPERSISTENCE_TEMP && !self.data().rd_islocaltemp
    }

    /// Has it tables that inherit from it?
    pub fn has_children(&self) -> bool {
        if !self.class().relhassubclass {
            return false;
        }
        let oid = self.oid();
        // SAFETY: relation is locked; the closure owns nothing. NoLock: only the number of children is wanted
        let children = unsafe { raw::guarded(|| raw::find_inheritance_children(oid, pg_sys::NoLock as i32)) };
        !children.is_null()
    }

    /// Oids of its indexes, ascending (`RelationGetIndexList` sorts them).
    pub fn index_oids(&self) -> Vec<pg_sys::Oid> {
        // SAFETY: the list is a copy in the current memory context; its cells are oids
        unsafe {
            let list = pg_sys::RelationGetIndexList(self.relation);
            version::oids(list)
        }
    }

    /// Unquoted name.
    pub fn name(&self) -> String {
        // SAFETY: relname is a NameData: at most 63 bytes and a zero
        encoding::to_utf8(unsafe { CStr::from_ptr(self.class().relname.data.as_ptr()) })
    }

    /// `schema.table`, quoted where it needs to be.
    pub fn qualified_name(&self) -> String {
        // SAFETY: the schema of a locked relation exists; quote_qualified_identifier copies both
        unsafe {
            let schema = pg_sys::get_namespace_name(self.namespace());
            let name = self.class().relname;
            let quoted = pg_sys::quote_qualified_identifier(schema, name.data.as_ptr());
            encoding::to_utf8(CStr::from_ptr(quoted))
        }
    }

    /// Number of user columns, dropped ones counted.
    pub fn natts(&self) -> i16 {
        self.class().relnatts
    }

    /// Column `attnum`, from 1.
    pub fn column(&self, attnum: i16) -> Option<&pg_sys::FormData_pg_attribute> {
        if attnum < 1 || attnum > self.natts() {
            return None;
        }
        // SAFETY: attnum lies within the descriptor of an open relation
        Some(unsafe { &*version::attribute(self.data().rd_att, attnum as usize - 1) })
    }

    /// pg_index row of an index.
    pub fn index_form(&self) -> Option<&pg_sys::FormData_pg_index> {
        // SAFETY: rd_index is null or the cache entry's own copy
        unsafe { self.data().rd_index.as_ref() }
    }

    /// Inserting transaction of an index's pg_index row.
    pub fn index_xmin(&self) -> Option<pg_sys::TransactionId> {
        // SAFETY: rd_indextuple is null or a whole heap tuple
        unsafe { self.data().rd_indextuple.as_ref().map(|tuple| pg_sys::htup::HeapTupleHeaderGetXmin(tuple.t_data)) }
    }

    /// Operator family and input type of an index's first column.
    pub fn first_opclass(&self) -> Option<(pg_sys::Oid, pg_sys::Oid)> {
        let data = self.data();
        if data.rd_opfamily.is_null() || data.rd_opcintype.is_null() {
            return None;
        }
        // SAFETY: both arrays have indnkeyatts entries, at least one
        Some(unsafe { (*data.rd_opfamily, *data.rd_opcintype) })
    }

    /// Has the index expressions or a predicate? pg_index's columns of variable length, as the cache tuple shows them.
    pub fn is_partial(&self) -> bool {
        // SAFETY: an open index; the list is null where there is no predicate
        !unsafe { pg_sys::RelationGetIndexPredicate(self.relation) }.is_null()
    }
}

impl Drop for Relation {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: opened by this guard; the lock stays
            unsafe { pg_sys::relation_close(self.relation, pg_sys::NoLock as i32) };
        }
    }
}
