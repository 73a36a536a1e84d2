//! A memory context that is reset after each select.
//!
//! Counterpart: src/backend/utils/mmgr/mcxt.c, aset.c.

use pgrx::pg_sys;
use std::marker::PhantomData;

use crate::pg::raw;

/// A child of the current context, deleted on drop.
pub struct SelectContext {
    context: pg_sys::MemoryContext,
    _not_send: PhantomData<*mut ()>,
}

impl SelectContext {
    pub fn new() -> Self {
        // SAFETY: the name is static; sizes are ALLOCSET_DEFAULT_SIZES
        let context = unsafe {
            pg_sys::AllocSetContextCreateInternal(
                pg_sys::CurrentMemoryContext,
                c"select_loop select".as_ptr(),
                pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
            )
        };
        Self { context, _not_send: PhantomData }
    }

    /// Makes it the current context; the one before is returned, for [`SelectContext::leave`].
    #[inline(always)]
    pub fn enter(&self) -> pg_sys::MemoryContext {
        // SAFETY: MemoryContextSwitchTo() of palloc.h: the context lives as long as self
        unsafe { std::ptr::replace(&raw mut pg_sys::CurrentMemoryContext, self.context) }
    }

    /// Goes back to `previous` and frees what was allocated meanwhile.
    ///
    /// # Safety
    /// Inside the error guard; `previous` is what `enter` returned.
    #[inline(always)]
    pub unsafe fn leave(&self, previous: pg_sys::MemoryContext) {
        // SAFETY: by this function's own condition
        unsafe {
            pg_sys::CurrentMemoryContext = previous;
            raw::MemoryContextReset(self.context);
        }
    }
}

impl Drop for SelectContext {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: made by `new`, and not current: `leave` has been called
            unsafe { pg_sys::MemoryContextDelete(self.context) };
        }
    }
}
