//! An index scan that is started once and rescanned for each key.
//!
//! Counterpart: src/backend/access/index/indexam.c; used as src/backend/executor/nodeIndexscan.c does.

use pgrx::pg_sys;
use std::marker::PhantomData;

use crate::pg::int::Int;
use crate::pg::relation::Relation;
use crate::pg::slot::{self, Reading, Slot};
use crate::pg::snapshot::ActiveSnapshot;
use crate::pg::timed_loop::{Step, Tally};
use crate::pg::{raw, version};

/// Fields drop in this order: the scan before the slot.
pub struct IndexScan<'a, const UNUSED: u32> {
    scan: ScanDesc,
    slot: Slot,
    key: pg_sys::ScanKeyData,
    int: Int,
    value: Reading,
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

impl<'a, const UNUSED: u32> IndexScan<'a, UNUSED> {
    /// A scan for `key column = $1`; the key column is of type `int`, and the value's leaves `UNUSED` bits of a Datum unused.
    pub fn new(
        table: &'a Relation,
        index: &'a Relation,
        int: Int,
        value: Reading,
        snapshot: &'a ActiveSnapshot,
    ) -> Self {
        let scan = begin(table, index, snapshot, 1);
        Self { scan, slot: Slot::new(table), key: equality(int), int, value, _snapshot: snapshot }
    }
}

// SAFETY: nothing is owned in `step`; the server functions are called unguarded, as the loop's guard allows
unsafe impl<const UNUSED: u32> Step for IndexScan<'_, UNUSED> {
    #[inline(always)]
    unsafe fn step(&mut self, key: i64, tally: &mut Tally) {
        let (scan, slot) = (self.scan.0, self.slot.as_ptr());
        self.key.sk_argument = self.int.datum(key);
        // SAFETY: the scan takes one key, copies it, and orders by nothing; the slot is of the table's kind
        unsafe {
            raw::index_rescan(scan, &mut self.key, 1, std::ptr::null_mut(), 0);
            while raw::index_getnext_slot(scan, pg_sys::ScanDirection::ForwardScanDirection, slot) {
                tally.add(slot::value::<UNUSED>(slot, &self.value));
            }
        }
    }
}

impl<const UNUSED: u32> IndexScan<'_, UNUSED> {
    /// TID of the visible row with `key`.
    ///
    /// # Safety
    /// Inside the error guard.
    #[inline(always)]
    pub unsafe fn find(&mut self, key: i64) -> Option<pg_sys::ItemPointerData> {
        self.key.sk_argument = self.int.datum(key);
        // SAFETY: as in `step`; the slot's TID is the version's own, behind any HOT chain
        unsafe {
            raw::index_rescan(self.scan.0, &mut self.key, 1, std::ptr::null_mut(), 0);
            let forward = pg_sys::ScanDirection::ForwardScanDirection;
            raw::index_getnext_slot(self.scan.0, forward, self.slot.as_ptr()).then(|| (*self.slot.as_ptr()).tts_tid)
        }
    }
}

/// A scan that stops at the TID: the heap is not asked.
pub struct TidOnly<'a>(IndexScan<'a, 0>);

impl<'a> TidOnly<'a> {
    /// As [`IndexScan::new`].
    pub fn new(
        table: &'a Relation,
        index: &'a Relation,
        int: Int,
        value: Reading,
        snapshot: &'a ActiveSnapshot,
    ) -> Self {
        Self(IndexScan::new(table, index, int, value, snapshot))
    }
}

// SAFETY: as for IndexScan
unsafe impl Step for TidOnly<'_> {
    #[inline(always)]
    unsafe fn step(&mut self, key: i64, tally: &mut Tally) {
        let scan = &mut self.0;
        scan.key.sk_argument = scan.int.datum(key);
        // SAFETY: as for IndexScan; null means that there is no entry
        unsafe {
            raw::index_rescan(scan.scan.0, &mut scan.key, 1, std::ptr::null_mut(), 0);
            if !raw::index_getnext_tid(scan.scan.0, pg_sys::ScanDirection::ForwardScanDirection).is_null() {
                tally.add(0);
            }
        }
    }
}

/// A scan that is begun and ended a select.
pub struct NewScan<'a, const UNUSED: u32> {
    /// Of what is borrowed below; at hand, so that a select need not look for them.
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    at: pg_sys::Snapshot,
    slot: Slot,
    key: pg_sys::ScanKeyData,
    int: Int,
    value: Reading,
    _borrowed: PhantomData<(&'a Relation, &'a ActiveSnapshot)>,
}

impl<'a, const UNUSED: u32> NewScan<'a, UNUSED> {
    /// As [`IndexScan::new`].
    pub fn new(
        table: &'a Relation,
        index: &'a Relation,
        int: Int,
        value: Reading,
        snapshot: &'a ActiveSnapshot,
    ) -> Self {
        Self {
            table: table.as_ptr(),
            index: index.as_ptr(),
            at: snapshot.as_ptr(),
            slot: Slot::new(table),
            key: equality(int),
            int,
            value,
            _borrowed: PhantomData,
        }
    }
}

// SAFETY: the scan is ended before the step is; nothing else is owned
unsafe impl<const UNUSED: u32> Step for NewScan<'_, UNUSED> {
    #[inline(always)]
    unsafe fn step(&mut self, key: i64, tally: &mut Tally) {
        let slot = self.slot.as_ptr();
        self.key.sk_argument = self.int.datum(key);
        // SAFETY: relations, snapshot and slot outlive the scan, which takes one key
        unsafe {
            let scan = version::index_beginscan(self.table, self.index, self.at, 1);
            raw::index_rescan(scan, &mut self.key, 1, std::ptr::null_mut(), 0);
            while raw::index_getnext_slot(scan, pg_sys::ScanDirection::ForwardScanDirection, slot) {
                tally.add(slot::value::<UNUSED>(slot, &self.value));
            }
            raw::index_endscan(scan);
        }
    }
}

/// `first column = $1` for a column of type `int`; the argument is set later.
fn equality(int: Int) -> pg_sys::ScanKeyData {
    let mut key = pg_sys::ScanKeyData::default();
    // SAFETY: `key` is ours; the procedure is built in
    unsafe {
        pg_sys::ScanKeyInit(&mut key, 1, pg_sys::BTEqualStrategyNumber as u16, int.equal(), pg_sys::Datum::null());
    }
    key
}

/// Begins a scan with `keys` keys; it is ended on drop.
///
/// The relations and the snapshot must outlive it: callers keep them in one struct or scope.
fn begin(table: &Relation, index: &Relation, snapshot: &ActiveSnapshot, keys: i32) -> ScanDesc {
    let (table, index, snapshot) = (table.as_ptr(), index.as_ptr(), snapshot.as_ptr());
    // SAFETY: all three are alive, and `index` is an index of `table`; the closure owns nothing
    ScanDesc(unsafe { raw::guarded(|| version::index_beginscan(table, index, snapshot, keys)) })
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
        let scan = begin(table, index, snapshot, 0);
        let (scan, slot) = (scan.0, slot.as_ptr());
        // SAFETY: the scan lives to the end of this closure; the guard's closure owns nothing
        unsafe {
            raw::guarded(|| {
                raw::index_rescan(scan, std::ptr::null_mut(), 0, std::ptr::null_mut(), 0);
                raw::index_getnext_slot(scan, direction, slot)
                    .then(|| slot::datum(slot, attnum).map_or(0, |datum| int.value(datum)))
            })
        }
    };
    let first = end(pg_sys::ScanDirection::ForwardScanDirection)?;
    let last = end(pg_sys::ScanDirection::BackwardScanDirection)?;
    // an index may be in descending order
    Some((first.min(last), first.max(last)))
}
