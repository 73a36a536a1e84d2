//! A planned statement, and what it does to find a row.
//!
//! Counterpart: src/backend/utils/cache/plancache.c, src/include/nodes/plannodes.h.

use pgrx::pg_sys::{self, NodeTag};
use std::ffi::CStr;
use std::marker::PhantomData;

use crate::pg::spi::Prepared;
use crate::pg::version;

/// The generic plan of a prepared statement, held until dropped.
pub struct Generic<'a> {
    cached: *mut pg_sys::CachedPlan,
    statement: *mut pg_sys::PlannedStmt,
    text: &'a CStr,
    _prepared: PhantomData<&'a ()>,
}

impl<'a> Generic<'a> {
    /// Plans `prepared` without looking at a parameter's value; None where that takes more or less than one statement.
    pub fn plan(prepared: &'a Prepared<'_>) -> Option<Self> {
        // SAFETY: the plan is SPI's own and unsaved, so that the reference is counted without a resource owner
        unsafe {
            let cached = pg_sys::SPI_plan_get_cached_plan(prepared.as_ptr());
            if cached.is_null() {
                return None;
            }
            let statements = version::pointers::<pg_sys::PlannedStmt>((*cached).stmt_list);
            let held = Self {
                cached,
                statement: statements.first().copied().unwrap_or(std::ptr::null_mut()),
                text: prepared.text(),
                _prepared: PhantomData,
            };
            (statements.len() == 1).then_some(held)
        }
    }

    /// Valid while `self` is.
    pub fn statement(&self) -> *mut pg_sys::PlannedStmt {
        self.statement
    }

    pub fn text(&self) -> &CStr {
        self.text
    }

    /// Would just-in-time compilation set in?
    pub fn is_compiled(&self) -> bool {
        // SAFETY: the statement lives as long as the cached plan
        unsafe { (*self.statement).jitFlags & pg_sys::PGJIT_PERFORM as i32 != 0 }
    }

    /// The indexes by which the statement finds a row; none for a foreign table. `Err` names the node that is no lookup.
    pub fn lookup(&self) -> Result<Vec<pg_sys::Oid>, String> {
        // SAFETY: the plan tree lives as long as the cached plan
        unsafe { lookup((*self.statement).planTree) }
    }

    /// The same for the inner side of the nested loop at the top.
    pub fn inner_lookup(&self) -> Result<Vec<pg_sys::Oid>, String> {
        // SAFETY: as above; a NestLoop has two sides
        unsafe {
            let top = (*self.statement).planTree;
            if tag(top) != NodeTag::T_NestLoop {
                return Err(describe(tag(top)));
            }
            lookup((*top).righttree)
        }
    }
}

impl Drop for Generic<'_> {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: SPI_plan_get_cached_plan took the reference, without an owner
            unsafe { pg_sys::ReleaseCachedPlan(self.cached, std::ptr::null_mut()) };
        }
    }
}

/// # Safety
/// `plan` is a whole plan tree.
unsafe fn lookup(plan: *const pg_sys::Plan) -> Result<Vec<pg_sys::Oid>, String> {
    // SAFETY: a node's tag says which struct it is
    unsafe {
        match tag(plan) {
            NodeTag::T_IndexScan => {
                let scan = &*plan.cast::<pg_sys::IndexScan>();
                if is_equality(scan.indexqual) {
                    Ok(vec![scan.indexid])
                } else {
                    Err("Index Scan without the key as its condition".into())
                }
            }
            NodeTag::T_ForeignScan => Ok(Vec::new()),
            // a view that is a security barrier
            NodeTag::T_SubqueryScan => lookup((*plan.cast::<pg_sys::SubqueryScan>()).subplan),
            // a condition that depends on no row, asked before
            NodeTag::T_Result if !(*plan).lefttree.is_null() => lookup((*plan).lefttree),
            // partitions, or a parent and its children
            NodeTag::T_Append => {
                let mut found = Vec::new();
                for child in version::pointers::<pg_sys::Plan>((*plan.cast::<pg_sys::Append>()).appendplans) {
                    found.extend(lookup(child)?);
                }
                Ok(found)
            }
            other => Err(describe(other)),
        }
    }
}

/// Does an index condition hold one `key = something`?
///
/// # Safety
/// `quals` is an index scan's indexqual.
unsafe fn is_equality(quals: *const pg_sys::List) -> bool {
    // SAFETY: a list of expressions; a node's tag says which struct it is
    unsafe {
        let quals = version::pointers::<pg_sys::Node>(quals);
        let [only] = quals[..] else { return false };
        if (*only).type_ != NodeTag::T_OpExpr {
            return false;
        }
        let function = (*only.cast::<pg_sys::OpExpr>()).opfuncid.to_u32();
        EQUALITY.contains(&function)
    }
}

/// The functions behind `=` of integer_ops (pg_amop: btree, strategy 3), of one width and across widths.
const EQUALITY: [u32; 9] = [
    pg_sys::F_INT2EQ,
    pg_sys::F_INT4EQ,
    pg_sys::F_INT8EQ,
    pg_sys::F_INT24EQ,
    pg_sys::F_INT42EQ,
    pg_sys::F_INT28EQ,
    pg_sys::F_INT82EQ,
    pg_sys::F_INT48EQ,
    pg_sys::F_INT84EQ,
];

/// # Safety
/// `plan` is a plan node.
unsafe fn tag(plan: *const pg_sys::Plan) -> NodeTag {
    // SAFETY: every node starts with its tag
    unsafe { (*plan.cast::<pg_sys::Node>()).type_ }
}

/// `T_BitmapHeapScan` as EXPLAIN writes it: `Bitmap Heap Scan`.
fn describe(tag: NodeTag) -> String {
    let mut words = String::new();
    for letter in format!("{tag:?}").trim_start_matches("T_").chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter);
    }
    words
}
