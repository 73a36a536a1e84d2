//! An index scan that is started once and rescanned for each key.
//!
//! Counterpart: src/backend/access/index/indexam.c; used as src/backend/executor/nodeIndexscan.c does.

use pgrx::pg_sys;

use crate::pg::int::Int;
use crate::pg::relation::Relation;
use crate::pg::slot::{self, Slot, Value};
use crate::pg::snapshot::ActiveSnapshot;
use crate::pg::timed_loop::{Step, Tally};
use crate::pg::{raw, version};

/// Fields drop in this order: the scan before the slot.
pub struct IndexScan<'a> {
    scan: ScanDesc,
    slot: Slot,
    key: pg_sys::ScanKeyData,
    int: Int,
    value: Value,
    _snapshot: &'a ActiveSnapshot,
}

/// Ends the scan on drop.
struct ScanDesc(pg_sys::IndexScanDesc);

impl Drop for ScanDesc {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: begun by index_beginscan; the relations outlive it
            unsafe { pg_sys::index_endscan(self.0) };
        }
    }
}

impl<'a> IndexScan<'a> {
    /// A scan for `key column = $1`; the key column is of type `int`.
    pub fn new(table: &'a Relation, index: &'a Relation, int: Int, value: Value, snapshot: &'a ActiveSnapshot) -> Self {
        let mut key = pg_sys::ScanKeyData::default();
        // SAFETY: `key` is ours; relations and snapshot outlive the scan by the lifetime of `self`
        unsafe {
            pg_sys::ScanKeyInit(&mut key, 1, pg_sys::BTEqualStrategyNumber as u16, int.equal(), pg_sys::Datum::null());
            let scan = ScanDesc(version::index_beginscan(table.as_ptr(), index.as_ptr(), snapshot.as_ptr(), 1));
            Self { scan, slot: Slot::new(table), key, int, value, _snapshot: snapshot }
        }
    }
}

// SAFETY: nothing is owned in `step`; the server functions are called unguarded, as the loop's guard allows
unsafe impl Step for IndexScan<'_> {
    #[inline(always)]
    unsafe fn step(&mut self, key: i64, tally: &mut Tally) {
        let (scan, slot) = (self.scan.0, self.slot.as_ptr());
        self.key.sk_argument = self.int.datum(key);
        // SAFETY: the scan takes one key, copies it, and orders by nothing; the slot is of the table's kind
        unsafe {
            raw::index_rescan(scan, &mut self.key, 1, std::ptr::null_mut(), 0);
            while raw::index_getnext_slot(scan, pg_sys::ScanDirection::ForwardScanDirection, slot) {
                tally.add(slot::value(slot, self.value, key));
            }
        }
    }
}

/// Smallest and largest visible key by the two ends of the index; None for an empty table.
pub fn key_range(
    table: &Relation,
    index: &Relation,
    attnum: i16,
    int: Int,
    snapshot: &ActiveSnapshot,
) -> Option<(i64, i64)> {
    let slot = Slot::new(table);
    let end = |direction| {
        // SAFETY: relations, slot and snapshot outlive the scan; the guard's closure owns nothing
        unsafe {
            let scan = ScanDesc(version::index_beginscan(table.as_ptr(), index.as_ptr(), snapshot.as_ptr(), 0));
            let (scan, slot) = (scan.0, slot.as_ptr());
            raw::guarded(|| {
                raw::index_rescan(scan, std::ptr::null_mut(), 0, std::ptr::null_mut(), 0);
                raw::index_getnext_slot(scan, direction, slot).then(|| slot::column(slot, attnum, int))
            })
        }
    };
    let first = end(pg_sys::ScanDirection::ForwardScanDirection)?;
    let last = end(pg_sys::ScanDirection::BackwardScanDirection)?;
    // an index may be in descending order
    Some((first.min(last), first.max(last)))
}
