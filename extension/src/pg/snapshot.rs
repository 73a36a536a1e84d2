//! The snapshot that a call works under.
//!
//! Counterpart: src/backend/utils/time/snapmgr.c (`PushActiveSnapshot`, `PopActiveSnapshot`).

use pgrx::pg_sys;

/// A new transaction snapshot, active until dropped. Under READ COMMITTED it sees what a statement starting now would.
pub struct ActiveSnapshot(pg_sys::Snapshot);

impl ActiveSnapshot {
    pub fn push() -> Self {
        // SAFETY: a backend that executes a function is in a transaction
        unsafe {
            pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
            // pushing may have copied it
            Self(pg_sys::GetActiveSnapshot())
        }
    }

    /// Valid while `self` is.
    #[inline(always)]
    pub fn as_ptr(&self) -> pg_sys::Snapshot {
        self.0
    }
}

impl Drop for ActiveSnapshot {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: pops what `push` pushed
            unsafe { pg_sys::PopActiveSnapshot() };
        }
    }
}
