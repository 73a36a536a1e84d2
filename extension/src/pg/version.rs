//! What differs between PostgreSQL 15, 16, 17 and 18, in one place.

use pgrx::pg_sys;

/// ExecutorRun of executor/executor.h, without a guard; 18 dropped `execute_once`.
///
/// # Safety
/// Inside the error guard; `desc` has been started.
#[inline(always)]
pub unsafe fn executor_run(desc: *mut pg_sys::QueryDesc) {
    const TO_THE_END: u64 = 0;
    unsafe extern "C-unwind" {
        #[cfg(not(feature = "pg18"))]
        fn ExecutorRun(desc: *mut pg_sys::QueryDesc, direction: pg_sys::ScanDirection::Type, count: u64, once: bool);
        #[cfg(feature = "pg18")]
        fn ExecutorRun(desc: *mut pg_sys::QueryDesc, direction: pg_sys::ScanDirection::Type, count: u64);
    }
    let forward = pg_sys::ScanDirection::ForwardScanDirection;
    #[cfg(not(feature = "pg18"))]
    // SAFETY: by this function's own condition
    unsafe {
        ExecutorRun(desc, forward, TO_THE_END, true)
    };
    #[cfg(feature = "pg18")]
    // SAFETY: by this function's own condition
    unsafe {
        ExecutorRun(desc, forward, TO_THE_END)
    };
}

/// index_beginscan of access/genam.h, without a guard; 18 added instrumentation.
///
/// # Safety
/// Inside the error guard; `heap` and `index` are open, and `index` is one of `heap`; `snapshot` outlives the scan.
#[inline(always)]
pub unsafe fn index_beginscan(
    heap: pg_sys::Relation,
    index: pg_sys::Relation,
    snapshot: pg_sys::Snapshot,
    keys: i32,
) -> pg_sys::IndexScanDesc {
    unsafe extern "C-unwind" {
        #[cfg(not(feature = "pg18"))]
        fn index_beginscan(
            heap: pg_sys::Relation,
            index: pg_sys::Relation,
            snapshot: pg_sys::Snapshot,
            keys: i32,
            orderbys: i32,
        ) -> pg_sys::IndexScanDesc;
        #[cfg(feature = "pg18")]
        fn index_beginscan(
            heap: pg_sys::Relation,
            index: pg_sys::Relation,
            snapshot: pg_sys::Snapshot,
            instrument: *mut pg_sys::IndexScanInstrumentation,
            keys: i32,
            orderbys: i32,
        ) -> pg_sys::IndexScanDesc;
    }
    #[cfg(not(feature = "pg18"))]
    // SAFETY: by this function's own condition
    unsafe {
        index_beginscan(heap, index, snapshot, keys, 0)
    }
    #[cfg(feature = "pg18")]
    // SAFETY: by this function's own condition; null: nobody counts this scan's searches
    unsafe {
        index_beginscan(heap, index, snapshot, std::ptr::null_mut(), keys, 0)
    }
}

/// TupleDescAttr of access/tupdesc.h; 18 moved the attributes behind the compact ones.
///
/// # Safety
/// `desc` is whole and `index`, from 0, is below its natts.
pub unsafe fn attribute(desc: pg_sys::TupleDesc, index: usize) -> *const pg_sys::FormData_pg_attribute {
    #[cfg(not(feature = "pg18"))]
    // SAFETY: by this function's own condition
    unsafe {
        (*desc).attrs.as_ptr().add(index)
    }
    #[cfg(feature = "pg18")]
    // SAFETY: by this function's own condition; the attributes start after natts compact ones
    unsafe {
        let compact = (*desc).compact_attrs.as_ptr();
        let attributes = compact.add((*desc).natts as usize).cast::<pg_sys::FormData_pg_attribute>();
        attributes.add(index)
    }
}

/// May the user name things in a schema? 16 turned the function a catalog has of its own into object_aclcheck.
pub fn may_use_schema(schema: pg_sys::Oid, user: pg_sys::Oid) -> pg_sys::AclResult::Type {
    let mode = pg_sys::AclMode::from(pg_sys::ACL_USAGE);
    #[cfg(feature = "pg15")]
    // SAFETY: any oids may be asked about
    unsafe {
        pg_sys::pg_namespace_aclcheck(schema, user, mode)
    }
    #[cfg(not(feature = "pg15"))]
    // SAFETY: any oids may be asked about
    unsafe {
        pg_sys::object_aclcheck(pg_sys::NamespaceRelationId, schema, user, mode)
    }
}

/// Is this a virtual generated column (18 and later)? It has no value in the heap.
pub fn is_virtual(attribute: &pg_sys::FormData_pg_attribute) -> bool {
    attribute.attgenerated as u8 == b'v'
}

/// The cells of a list of oids.
///
/// # Safety
/// `list` is null or a list of oids.
pub unsafe fn oids(list: *const pg_sys::List) -> Vec<pg_sys::Oid> {
    // SAFETY: by this function's own condition
    let Some(list) = (unsafe { list.as_ref() }) else { return Vec::new() };
    // SAFETY: `elements` holds `length` cells
    (0..list.length as usize).map(|i| unsafe { (*list.elements.add(i)).oid_value }).collect()
}

/// The cells of a list of pointers.
///
/// # Safety
/// `list` is null or a list of pointers to T.
pub unsafe fn pointers<T>(list: *const pg_sys::List) -> Vec<*mut T> {
    // SAFETY: by this function's own condition
    let Some(list) = (unsafe { list.as_ref() }) else { return Vec::new() };
    // SAFETY: `elements` holds `length` cells
    (0..list.length as usize).map(|i| unsafe { (*list.elements.add(i)).ptr_value.cast() }).collect()
}

/// A name as the catalogs store it: at most 63 bytes and a zero.
pub fn name(name: &pg_sys::NameData) -> &std::ffi::CStr {
    // SAFETY: NameData ends in a zero byte within its 64
    unsafe { std::ffi::CStr::from_ptr(name.data.as_ptr()) }
}
