//! A tuple slot that fits a table.
//!
//! Counterpart: src/backend/executor/execTuples.c, src/include/executor/tuptable.h (`slot_getattr`), tableam.h.

use pgrx::pg_sys;

use crate::pg::int::{self, Int};
use crate::pg::raw;
use crate::pg::relation::Relation;

/// What a lookup reads of a row.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A column of the row.
    Column { attnum: i16, int: Int },
    /// The key's low 31 bits: for tables without `abalance`.
    Key,
}

/// The same as a loop reads it, without a branch on which of the two it is: a column, and the bits of it that count.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub attnum: i16,
    pub int: Int,
    pub mask: i64,
}

pub struct Slot {
    slot: *mut pg_sys::TupleTableSlot,
}

impl Slot {
    pub fn new(table: &Relation) -> Self {
        // SAFETY: the relation is open; no list to register with
        Self { slot: unsafe { pg_sys::table_slot_create(table.as_ptr(), std::ptr::null_mut()) } }
    }

    /// Valid while `self` is.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut pg_sys::TupleTableSlot {
        self.slot
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: made by `new`; unpins what it holds
            unsafe { pg_sys::ExecDropSingleTupleTableSlot(self.slot) };
        }
    }
}

/// Column `attnum` (from 1) of the tuple in `slot`, None for NULL. After `slot_getattr`.
///
/// # Safety
/// Inside the error guard; `slot` holds a tuple with such a column.
#[inline(always)]
pub unsafe fn datum(slot: *mut pg_sys::TupleTableSlot, attnum: i16) -> Option<pg_sys::Datum> {
    // SAFETY: slot_getsomeattrs_int fills the arrays up to attnum
    unsafe {
        if attnum > (*slot).tts_nvalid {
            raw::slot_getsomeattrs_int(slot, i32::from(attnum));
        }
        let index = attnum as usize - 1;
        if *(*slot).tts_isnull.add(index) { None } else { Some(*(*slot).tts_values.add(index)) }
    }
}

/// The first column, of a type that leaves `UNUSED` bits of a Datum unused, as a number; NULL is 0.
///
/// # Safety
/// As [`datum`].
#[inline(always)]
pub unsafe fn first<const UNUSED: u32>(slot: *mut pg_sys::TupleTableSlot) -> i64 {
    // SAFETY: by this function's own condition
    unsafe { datum(slot, 1) }.map_or(0, |datum| int::narrow(datum, UNUSED))
}

/// The value of the row that has just been stored in `slot`, of a type that leaves `UNUSED` bits of a Datum unused: none of its columns
/// has been taken apart yet.
///
/// # Safety
/// The slot holds a row, with such a column, of which nothing has been read.
#[inline(always)]
pub unsafe fn value<const UNUSED: u32>(slot: *mut pg_sys::TupleTableSlot, reading: &Reading) -> i64 {
    // SAFETY: by this function's own condition; columns are counted from 1
    unsafe {
        raw::slot_getsomeattrs_int(slot, i32::from(reading.attnum));
        let index = reading.attnum as usize - 1;
        if *(*slot).tts_isnull.add(index) {
            return 0;
        }
        int::narrow(*(*slot).tts_values.add(index), UNUSED) & reading.mask
    }
}
