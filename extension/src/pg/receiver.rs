//! A destination that adds up what the executor sends it.
//!
//! Counterpart: src/include/tcop/dest.h (`DestReceiver`).

use pgrx::pg_sys;
use std::ptr;

use crate::pg::int::{self, Int};
use crate::pg::slot;
use crate::pg::timed_loop::Tally;

/// Starts with the server's struct, so that a pointer to one is a pointer to the other.
#[repr(C)]
pub struct Receiver {
    base: pg_sys::DestReceiver,
    tally: *mut Tally,
}

impl Receiver {
    /// For rows whose first column is of type `int`. Boxed: the server keeps its address.
    pub fn new(int: Int) -> Box<Self> {
        let base = pg_sys::DestReceiver {
            receiveSlot: Some(match int {
                Int::Two => receive::<{ Int::Two as u32 }>,
                Int::Four => receive::<{ Int::Four as u32 }>,
                Int::Eight => receive::<{ Int::Eight as u32 }>,
            }),
            rStartup: Some(startup),
            rShutdown: Some(shutdown),
            rDestroy: Some(shutdown),
            mydest: pg_sys::CommandDest::DestNone,
        };
        Box::new(Self { base, tally: ptr::null_mut() })
    }

    /// The server's view of it, sending to `tally`, which must outlive the execution.
    #[inline(always)]
    pub fn sending_to(&mut self, tally: *mut Tally) -> *mut pg_sys::DestReceiver {
        self.tally = tally;
        ptr::from_mut(self).cast()
    }
}

// The callbacks run inside the loop's error guard, which a panic must not cross: they can't panic, and so go without
// pgrx's #[pg_guard], whose catch would be paid once a row.

unsafe extern "C-unwind" fn receive<const UNUSED: u32>(
    slot: *mut pg_sys::TupleTableSlot,
    this: *mut pg_sys::DestReceiver,
) -> bool {
    let this: *mut Receiver = this.cast();
    // SAFETY: the server passes back the pointer that `sending_to` gave it; the slot holds a row
    unsafe { (*(*this).tally).add(slot::datum(slot, 1).map_or(0, |datum| int::narrow(datum, UNUSED))) };
    true
}

unsafe extern "C-unwind" fn startup(_: *mut pg_sys::DestReceiver, _: std::ffi::c_int, _: pg_sys::TupleDesc) {}

unsafe extern "C-unwind" fn shutdown(_: *mut pg_sys::DestReceiver) {}
