//! Server functions as the linker knows them, without the error guard that pgrx puts around each.
//!
//! pgrx's own declarations set up a `sigsetjmp` per call (60 to 100 instructions). These do not, so an ERROR in one of
//! them jumps straight to the innermost guard: call them only inside [`guarded`], where nothing on the stack needs
//! dropping. Signatures are those of the server's headers; where they changed between versions see `version.rs`.

use pgrx::pg_sys;
use pgrx::pg_sys::{
    BlockNumber, Buffer, Datum, ForkNumber, HeapTuple, IndexScanDesc, LOCKMODE, List, MemoryContext, Oid,
    ParamListInfo, PlanState, PlannedStmt, QueryDesc, ReadBufferMode, Relation, SPIPlanPtr, SPITupleTable,
    ScanDirection, ScanKey, Snapshot, TupleDesc, TupleTableSlot,
};
use std::ffi::{c_char, c_int, c_long, c_void};

unsafe extern "C-unwind" {
    // access/genam.h
    pub fn index_rescan(scan: IndexScanDesc, keys: ScanKey, nkeys: c_int, orderbys: ScanKey, norderbys: c_int);
    pub fn index_getnext_slot(scan: IndexScanDesc, direction: ScanDirection::Type, slot: *mut TupleTableSlot) -> bool;
    pub fn index_getnext_tid(scan: IndexScanDesc, direction: ScanDirection::Type) -> *mut pg_sys::ItemPointerData;
    pub fn index_endscan(scan: IndexScanDesc);
    // catalog/pg_inherits.h, catalog/partition.h
    pub fn find_inheritance_children(parent: Oid, lockmode: LOCKMODE) -> *mut List;
    pub fn get_partition_ancestors(relid: Oid) -> *mut List;
    // executor/executor.h, executor/execdesc.h
    pub fn CreateQueryDesc(
        plannedstmt: *mut PlannedStmt,
        source_text: *const c_char,
        snapshot: Snapshot,
        crosscheck_snapshot: Snapshot,
        dest: *mut pg_sys::DestReceiver,
        params: ParamListInfo,
        query_env: *mut c_void,
        instrument_options: c_int,
    ) -> *mut QueryDesc;
    pub fn FreeQueryDesc(desc: *mut QueryDesc);
    pub fn ExecutorStart(desc: *mut QueryDesc, eflags: c_int);
    pub fn ExecutorFinish(desc: *mut QueryDesc);
    pub fn ExecutorEnd(desc: *mut QueryDesc);
    pub fn ExecReScan(node: *mut PlanState);
    // executor/spi.h
    pub fn SPI_execute_plan(
        plan: SPIPlanPtr,
        values: *mut Datum,
        nulls: *const c_char,
        read_only: bool,
        count: c_long,
    ) -> c_int;
    pub fn SPI_execute(src: *const c_char, read_only: bool, count: c_long) -> c_int;
    pub fn SPI_freetuptable(table: *mut SPITupleTable);
    pub fn SPI_getbinval(tuple: HeapTuple, desc: TupleDesc, number: c_int, isnull: *mut bool) -> Datum;
    // executor/tuptable.h
    pub fn slot_getsomeattrs_int(slot: *mut TupleTableSlot, attnum: c_int);
    // miscadmin.h
    pub fn ProcessInterrupts();
    // storage/bufmgr.h
    pub fn ReadBufferExtended(
        relation: Relation,
        fork: ForkNumber::Type,
        block: BlockNumber,
        mode: ReadBufferMode::Type,
        strategy: *mut c_void,
    ) -> Buffer;
    pub fn ReadBuffer(relation: Relation, block: BlockNumber) -> Buffer;
    pub fn LockBuffer(buffer: Buffer, mode: c_int);
    pub fn ReleaseBuffer(buffer: Buffer);
    // utils/memutils.h
    pub fn MemoryContextReset(context: MemoryContext);
}

/// Runs `body` inside one error guard; an ERROR in it comes out as pgrx's panic.
///
/// # Safety
/// `body` must not panic, and nothing that it or its callees have on the stack when a server function raises an ERROR may
/// need dropping.
#[inline(always)]
pub unsafe fn guarded<T: Copy>(body: impl FnOnce() -> T) -> T {
    // SAFETY: the caller's promise is pg_guard_ffi_boundary's own condition; a backend has one thread
    unsafe { pg_sys::ffi::pg_guard_ffi_boundary(body) }
}

/// CHECK_FOR_INTERRUPTS() of miscadmin.h.
///
/// # Safety
/// Inside [`guarded`] only.
#[inline(always)]
pub unsafe fn check_for_interrupts() {
    // SAFETY: a sig_atomic_t that signal handlers write: read volatile, as C does
    if unsafe { (&raw const pg_sys::InterruptPending).read_volatile() } != 0 {
        // SAFETY: inside the guard by this function's own condition
        unsafe { ProcessInterrupts() }
    }
}
