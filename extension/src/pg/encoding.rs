//! Texts of the server as Rust's, and back: names may hold any character of the database's encoding.
//!
//! Counterpart: src/backend/utils/mb/mbutils.c (`pg_server_to_any`, `pg_any_to_server`).

use pgrx::pg_sys;
use std::ffi::{CStr, CString};

use crate::error::{Error, Result};

const UTF8: i32 = pg_sys::pg_enc::PG_UTF8 as i32;

/// The server's `text` in UTF-8; an error of the server's where it holds what UTF-8 has not, as in SQL_ASCII it may.
pub fn to_utf8(text: &CStr) -> String {
    let length = text.to_bytes().len() as i32;
    // SAFETY: length bytes, which the server copies where it has to convert them; either way a zero follows
    unsafe { CStr::from_ptr(pg_sys::pg_server_to_any(text.as_ptr(), length, UTF8)) }.to_string_lossy().into_owned()
}

/// `text` as the server writes it; an error of the server's where its encoding has no such character.
pub fn to_server(text: &str) -> Result<CString> {
    let text = CString::new(text).map_err(|_| Error::invalid("a text holds a zero byte"))?;
    let length = text.as_bytes().len() as i32;
    // SAFETY: as in to_utf8; the result is copied while the argument lives
    Ok(unsafe { CStr::from_ptr(pg_sys::pg_any_to_server(text.as_ptr(), length, UTF8)) }.to_owned())
}
