//! Rows by TID: gathered with the clock stopped, visited with the clock running.
//!
//! Counterpart: src/include/access/tableam.h (`table_tuple_fetch_row_version`), src/backend/storage/buffer/bufmgr.c.

use pgrx::pg_sys;

use crate::job::Job;
use crate::pg::index_scan::IndexScan;
use crate::pg::raw;
use crate::pg::relation::Relation;
use crate::pg::slot::{self, Slot};
use crate::pg::snapshot::ActiveSnapshot;
use crate::pg::stopwatch::{Reading, Stopwatch};
use crate::pg::timed_loop::Tally;

/// TIDs gathered at a time: 60 kB of them.
const BATCH: i64 = 10_000;

/// A visible row version.
#[derive(Clone, Copy)]
pub struct Visible {
    pub tid: pg_sys::ItemPointerData,
}

/// What is done to each row.
///
/// # Safety
/// As `Step` of the timed loop: no panic, nothing to drop.
pub unsafe trait Visit {
    /// # Safety
    /// Only `run` calls it, inside its guard, with the TID of a row that the call's snapshot sees.
    unsafe fn visit(&mut self, row: &mut Visible, tally: &mut Tally);
}

/// Looks up `job.selects` keys by `scan`, in batches, and lets `visit` have the rows found; only that is timed.
pub fn run<V: Visit>(job: &Job, scan: &mut IndexScan<0>, visit: &mut V) -> (Tally, Reading) {
    let offset = job.min.wrapping_sub(1);
    let mut tally = Tally::default();
    let mut total: Option<Reading> = None;
    let mut batch: Vec<Visible> = Vec::with_capacity(BATCH.min(job.selects) as usize);
    let mut done = 0;
    while done < job.selects {
        let end = job.selects.min(done + BATCH);
        batch.clear();
        let room = batch.as_mut_ptr();
        // SAFETY: a unique index finds at most one visible row a key, so at most BATCH are written, into room for as many; the
        // guard's closure owns nothing
        let gathered = unsafe {
            raw::guarded(|| {
                let mut to = room;
                let mut i = done;
                while i < end {
                    raw::check_for_interrupts();
                    let key = offset.wrapping_add(job.sequence.key(i));
                    if let Some(tid) = scan.find(key) {
                        to.write(Visible { tid });
                        to = to.add(1);
                    }
                    i = i.wrapping_add(1);
                }
                to.offset_from(room)
            })
        };
        // SAFETY: that many were written
        let rows = unsafe {
            batch.set_len(gathered as usize);
            batch.as_mut_ptr_range()
        };
        let watch = Stopwatch::start();
        let before = tally;
        // SAFETY: the range is the batch's; the guard's closure owns nothing
        tally = unsafe { raw::guarded(|| timed(rows.start, rows.end, visit, before)) };
        let reading = watch.stop();
        total = Some(total.map_or(reading, |total| total.plus(&reading)));
        done = end;
    }
    (tally, total.unwrap_or_default())
}

/// The loop itself, as that of `timed_loop`.
///
/// # Safety
/// Inside the error guard only; the rows from `row` to `end` are visible ones.
#[inline(never)]
unsafe fn timed<V: Visit>(mut row: *mut Visible, end: *mut Visible, visit: &mut V, mut tally: Tally) -> Tally {
    while row < end {
        // SAFETY: inside the guard, and below the end, by this function's own condition
        unsafe {
            raw::check_for_interrupts();
            visit.visit(&mut *row, &mut tally);
            row = row.add(1);
        }
    }
    tally
}

/// Fetches the row version.
pub struct FetchTuple<'a, const UNUSED: u32> {
    table: &'a Relation,
    fetch: Option<FetchRowVersion>,
    value: slot::Reading,
    slot: Slot,
    snapshot: &'a ActiveSnapshot,
}

type FetchRowVersion = unsafe extern "C-unwind" fn(
    pg_sys::Relation,
    pg_sys::ItemPointer,
    pg_sys::Snapshot,
    *mut pg_sys::TupleTableSlot,
) -> bool;

impl<'a, const UNUSED: u32> FetchTuple<'a, UNUSED> {
    /// The value's type leaves `UNUSED` bits of a Datum unused.
    pub fn new(table: &'a Relation, value: slot::Reading, snapshot: &'a ActiveSnapshot) -> Self {
        // SAFETY: a table's access method is set
        let fetch = unsafe { (*(*table.as_ptr()).rd_tableam).tuple_fetch_row_version };
        Self { table, fetch, value, slot: Slot::new(table), snapshot }
    }
}

// SAFETY: nothing is owned; what the access method pins, the slot holds
unsafe impl<const UNUSED: u32> Visit for FetchTuple<'_, UNUSED> {
    #[inline(always)]
    unsafe fn visit(&mut self, row: &mut Visible, tally: &mut Tally) {
        let Some(fetch) = self.fetch else { return };
        let slot = self.slot.as_ptr();
        // SAFETY: table_tuple_fetch_row_version() of tableam.h; table, snapshot and slot are alive and of one kind
        unsafe {
            if fetch(self.table.as_ptr(), &mut row.tid, self.snapshot.as_ptr(), slot) {
                tally.add(slot::value::<UNUSED>(slot, &self.value));
            }
        }
    }
}

/// Pins and share-locks the row's page.
pub struct LockPage<'a> {
    table: &'a Relation,
}

impl<'a> LockPage<'a> {
    pub fn new(table: &'a Relation) -> Self {
        Self { table }
    }
}

// SAFETY: the page is unlocked and unpinned before the step ends
unsafe impl Visit for LockPage<'_> {
    #[inline(always)]
    unsafe fn visit(&mut self, row: &mut Visible, _tally: &mut Tally) {
        let block = (u32::from(row.tid.ip_blkid.bi_hi) << 16) | u32::from(row.tid.ip_blkid.bi_lo);
        // SAFETY: a visible row's page exists, and vacuum cannot truncate it away under the call's snapshot
        unsafe {
            let buffer = raw::ReadBuffer(self.table.as_ptr(), block);
            raw::LockBuffer(buffer, pg_sys::BUFFER_LOCK_SHARE as i32);
            raw::LockBuffer(buffer, pg_sys::BUFFER_LOCK_UNLOCK as i32);
            raw::ReleaseBuffer(buffer);
        }
    }
}
