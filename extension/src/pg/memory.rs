//! Memory contexts: one that is current for a while, and one that is emptied after each batch of selects.
//!
//! Counterpart: src/backend/utils/mmgr/mcxt.c, aset.c.

use pgrx::pg_sys;
use std::ptr;

use crate::pg::raw;

/// A context that is current for a while: MemoryContextSwitchTo() of palloc.h.
pub struct Current {
    context: pg_sys::MemoryContext,
    outer: pg_sys::MemoryContext,
}

impl Current {
    /// `context` outlives it.
    pub fn new(context: pg_sys::MemoryContext) -> Self {
        Self { context, outer: ptr::null_mut() }
    }

    /// Makes it the current context.
    #[inline(always)]
    pub fn enter(&mut self) {
        // SAFETY: the context is alive by `new`'s condition
        self.outer = unsafe { ptr::replace(&raw mut pg_sys::CurrentMemoryContext, self.context) };
    }

    /// Goes back to the context before. Where an ERROR comes between, the server's handler sets one of its own.
    ///
    /// # Safety
    /// After `enter`.
    #[inline(always)]
    pub unsafe fn leave(&self) {
        // SAFETY: by this function's own condition
        unsafe { pg_sys::CurrentMemoryContext = self.outer };
    }
}

/// A child of the current context, deleted on drop.
pub struct BatchContext(Current);

impl BatchContext {
    pub fn new() -> Self {
        // SAFETY: the name is static; sizes are ALLOCSET_DEFAULT_SIZES
        let context = unsafe {
            pg_sys::AllocSetContextCreateInternal(
                pg_sys::CurrentMemoryContext,
                c"select_loop batch".as_ptr(),
                pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
            )
        };
        Self(Current::new(context))
    }

    /// As [`Current::enter`].
    #[inline(always)]
    pub fn enter(&mut self) {
        self.0.enter();
    }

    /// As [`Current::leave`]; frees what was allocated meanwhile.
    ///
    /// # Safety
    /// After `enter`, inside the error guard.
    #[inline(always)]
    pub unsafe fn leave_empty(&self) {
        // SAFETY: by this function's own condition; the context lives as long as self
        unsafe {
            self.0.leave();
            raw::MemoryContextReset(self.0.context);
        }
    }
}

impl Drop for BatchContext {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: made by `new`, and not current: `leave` has been called
            unsafe { pg_sys::MemoryContextDelete(self.0.context) };
        }
    }
}
