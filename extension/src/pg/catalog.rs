//! Names and oids: the search path, the database, the extension's own schema, scan counts.

use pgrx::pg_sys;
use std::ffi::CStr;

use crate::error::Result;
use crate::pg::encoding;

/// The relation that `name`, unqualified, means on the search path; locked.
pub fn relation_on_search_path(name: &CStr) -> Option<pg_sys::Oid> {
    // SAFETY: makeRangeVar and the lookup copy nothing away from the name, which is static
    let oid = unsafe {
        let range = pg_sys::makeRangeVar(std::ptr::null_mut(), name.as_ptr().cast_mut(), -1);
        pg_sys::RangeVarGetRelidExtended(
            range,
            pg_sys::AccessShareLock as i32,
            pg_sys::RVROption::RVR_MISSING_OK,
            None,
            std::ptr::null_mut(),
        )
    };
    (oid != pg_sys::InvalidOid).then_some(oid)
}

pub fn database_name() -> String {
    // SAFETY: a connected backend's database exists; the name is copied at once
    unsafe {
        let name = pg_sys::get_database_name(pg_sys::MyDatabaseId);
        if name.is_null() { String::new() } else { encoding::to_utf8(CStr::from_ptr(name)) }
    }
}

/// `name` as SQL writes it.
pub fn quote_identifier(name: &CStr) -> String {
    // SAFETY: the result is the argument or a copy in the current memory context
    encoding::to_utf8(unsafe { CStr::from_ptr(pg_sys::quote_identifier(name.as_ptr())) })
}

/// Quoted name of the schema that holds the function being called, which is the extension's.
pub fn schema_of_function(function: pg_sys::Oid) -> String {
    // SAFETY: the function is being executed, so it and its schema exist
    unsafe {
        let name = pg_sys::get_namespace_name(pg_sys::get_func_namespace(function));
        if name.is_null() { String::from("public") } else { quote_identifier(CStr::from_ptr(name)) }
    }
}

/// Scans of an index that this backend has counted and not yet reported; None where it does not count.
///
/// Counterpart: `pg_stat_get_xact_numscans` of src/backend/utils/adt/pgstatfuncs.c.
pub fn counted_scans(index: pg_sys::Oid) -> Option<i64> {
    // SAFETY: reads this backend's setting
    if !unsafe { pg_sys::pgstat_track_counts } {
        return None;
    }
    // SAFETY: the function takes one oid and returns a bigint
    unsafe { pgrx::direct_function_call::<i64>(pg_sys::pg_stat_get_xact_numscans, &[Some(pg_sys::Datum::from(index))]) }
}

/// Do the ancestors of partition (or partitioned index) `oid` include `ancestor`?
pub fn is_partition_of(oid: pg_sys::Oid, ancestor: pg_sys::Oid) -> bool {
    // SAFETY: only a partition has ancestors to ask for; the closures own nothing
    unsafe {
        if !pg_sys::get_rel_relispartition(oid) {
            return false;
        }
        let ancestors = super::raw::guarded(|| super::raw::get_partition_ancestors(oid));
        super::version::oids(ancestors).contains(&ancestor)
    }
}

/// `text` as a SQL literal, whatever standard_conforming_strings says.
pub fn quote_literal(text: &str) -> Result<String> {
    let text = encoding::to_server(text)?;
    // SAFETY: copies the text into the current memory context
    Ok(encoding::to_utf8(unsafe { CStr::from_ptr(pg_sys::quote_literal_cstr(text.as_ptr())) }))
}

/// The SQL function that a call is of.
pub fn called_function(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Oid {
    // SAFETY: the function manager passes a whole call structure to each function it calls
    unsafe {
        match fcinfo.as_ref().and_then(|call| call.flinfo.as_ref()) {
            Some(info) => info.fn_oid,
            None => pg_sys::InvalidOid,
        }
    }
}
