//! Settings forced for the length of a call.
//!
//! Counterpart: src/backend/utils/misc/guc.c (`NewGUCNestLevel`, `AtEOXact_GUC`), used as for a function's SET clause.

use pgrx::pg_sys;
use std::ffi::CStr;

use crate::error::Result;
use crate::pg::encoding;

/// A nest level: what is set inside it is undone when it is dropped, or when the (sub)transaction aborts. What SQL run meanwhile
/// sets by SET or set_config() stays, as after a function with a SET clause.
pub struct NestLevel(i32);

impl NestLevel {
    pub fn new() -> Self {
        // SAFETY: inside a transaction, as every function call is
        Self(unsafe { pg_sys::NewGUCNestLevel() })
    }

    /// Sets a setting that any user may set.
    ///
    /// In a level of its own, which ends with this one: a view's function may have SET the same setting in the level so far, and
    /// guc.c wants no saving after that.
    pub fn set(&self, name: &CStr, value: &str) -> Result<()> {
        let value = encoding::to_server(value)?;
        // SAFETY: inside a transaction; both strings end in zero and outlive the call
        unsafe {
            pg_sys::NewGUCNestLevel();
            pg_sys::set_config_option(
                name.as_ptr(),
                value.as_ptr(),
                pg_sys::GucContext::PGC_USERSET,
                pg_sys::GucSource::PGC_S_SESSION,
                pg_sys::GucAction::GUC_ACTION_SAVE,
                true,
                0,
                false,
            );
        }
        Ok(())
    }

    /// The present value of a setting; None where there is no such setting.
    pub fn get(&self, name: &CStr) -> Option<String> {
        // SAFETY: the string ends in zero; the result is the server's and copied at once
        unsafe {
            let value = pg_sys::GetConfigOption(name.as_ptr(), true, false);
            (!value.is_null()).then(|| encoding::to_utf8(CStr::from_ptr(value)))
        }
    }
}

impl Drop for NestLevel {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: ends the level that `new` began, and those inside it; levels are dropped in reverse order
            unsafe { pg_sys::AtEOXact_GUC(true, self.0) };
        }
    }
}
