//! A destination that adds up what the executor sends it.
//!
//! Counterpart: src/include/tcop/dest.h (`DestReceiver`).

use pgrx::pg_sys;
use std::ptr;

use crate::pg::int::{Int, with_int};
use crate::pg::slot;
use crate::pg::timed_loop::Tally;

/// Starts with the server's struct, so that a pointer to one is a pointer to the other.
#[repr(C)]
pub struct Receiver {
    base: pg_sys::DestReceiver,
    tally: Tally,
}

impl Receiver {
    /// For rows whose first column is of type `int`. Boxed: the server keeps its address.
    pub fn new(int: Int) -> Box<Self> {
        // SAFETY: the server's receiver that does nothing, copied: its start, end and release are the server's own
        let nothing = unsafe { *pg_sys::CreateDestReceiver(pg_sys::CommandDest::DestNone) };
        let base = pg_sys::DestReceiver { receiveSlot: with_int!(int, UNUSED => Some(receive::<UNUSED>)), ..nothing };
        Box::new(Self { base, tally: Tally::default() })
    }

    /// The server's view of it.
    #[inline(always)]
    pub fn as_ptr(&mut self) -> *mut pg_sys::DestReceiver {
        ptr::from_mut(self).cast()
    }

    /// Counts on from `tally`.
    #[inline(always)]
    pub fn begin(&mut self, tally: &Tally) {
        self.tally = *tally;
    }

    #[inline(always)]
    pub fn tally(&self) -> Tally {
        self.tally
    }
}

// It runs inside the loop's error guard, which a panic must not cross: it can't panic, and so goes without pgrx's #[pg_guard], whose
// catch would be paid once a row.

unsafe extern "C-unwind" fn receive<const UNUSED: u32>(
    slot: *mut pg_sys::TupleTableSlot,
    this: *mut pg_sys::DestReceiver,
) -> bool {
    let this: *mut Receiver = this.cast();
    // SAFETY: the server passes back the pointer that `as_ptr` gave it; the slot holds a row
    unsafe {
        // what an index scan projects is there already
        if (*slot).tts_nvalid < 1 {
            return deform::<UNUSED>(slot, this);
        }
        (*this).tally.add(slot::first::<UNUSED>(slot));
    }
    true
}

/// The first column out of a tuple. Of a function of its own, so that `receive` needs no stack.
///
/// # Safety
/// As `receive`.
#[cold]
#[inline(never)]
unsafe fn deform<const UNUSED: u32>(slot: *mut pg_sys::TupleTableSlot, this: *mut Receiver) -> bool {
    // SAFETY: by this function's own condition
    unsafe {
        (*this).tally.add(slot::first::<UNUSED>(slot));
    }
    true
}
