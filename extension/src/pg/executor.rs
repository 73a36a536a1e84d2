//! Executions of a planned statement: one per select, one rescanned, one for all.
//!
//! Counterpart: src/backend/executor/execMain.c; src/backend/tcop/pquery.c (`ProcessQuery`) for the order of calls;
//! src/backend/executor/nodeNestloop.c for rescanning with a new parameter.

use pgrx::pg_sys;
use std::ffi::c_char;
use std::marker::PhantomData;
use std::ptr;

use crate::pg::int::Int;
use crate::pg::memory::{BatchContext, Current};
use crate::pg::plan::Generic;
use crate::pg::receiver::Receiver;
use crate::pg::snapshot::ActiveSnapshot;
use crate::pg::stopwatch::{Reading, Stopwatch};
use crate::pg::timed_loop::{Step, Tally};
use crate::pg::{raw, slot, version};

/// `$1`, of an integer type.
struct Parameter {
    list: pg_sys::ParamListInfo,
    int: Int,
}

impl Parameter {
    fn new(int: Int) -> Self {
        // SAFETY: makeParamList allocates room for one parameter, freed with the current memory context
        unsafe {
            let list = pg_sys::makeParamList(1);
            *(*list).params.as_mut_ptr() = pg_sys::ParamExternData {
                value: pg_sys::Datum::null(),
                isnull: false,
                pflags: pg_sys::PARAM_FLAG_CONST as u16,
                ptype: int.oid(),
            };
            Self { list, int }
        }
    }

    #[inline(always)]
    fn set(&mut self, key: i64) {
        // SAFETY: one parameter, made by `new`
        unsafe { (*(*self.list).params.as_mut_ptr()).value = self.int.datum(key) };
    }
}

/// A whole execution a select: ExecutorStart, Run, Finish, End.
pub struct PerSelect<'a> {
    /// Of the plan and the snapshot borrowed below; at hand, so that a select need not look for them.
    statement: *mut pg_sys::PlannedStmt,
    text: *const c_char,
    snapshot: pg_sys::Snapshot,
    _borrowed: PhantomData<(&'a Generic<'a>, &'a ActiveSnapshot)>,
    parameter: Parameter,
    receiver: Box<Receiver>,
    context: BatchContext,
}

impl<'a> PerSelect<'a> {
    /// `key` is the type of `$1`, `value` of the first column.
    pub fn new(plan: &'a Generic<'a>, key: Int, value: Int, snapshot: &'a ActiveSnapshot) -> Self {
        let (parameter, receiver) = (Parameter::new(key), Receiver::new(value));
        Self {
            statement: plan.statement(),
            text: plan.text().as_ptr(),
            snapshot: snapshot.as_ptr(),
            _borrowed: PhantomData,
            parameter,
            receiver,
            context: BatchContext::new(),
        }
    }
}

// SAFETY: what is allocated belongs to memory contexts of the server; nothing on the stack needs dropping
unsafe impl Step for PerSelect<'_> {
    #[inline(always)]
    unsafe fn begin(&mut self, tally: &Tally) {
        self.context.enter();
        self.receiver.begin(tally);
    }

    #[inline(always)]
    unsafe fn step(&mut self, key: i64, _tally: &mut Tally) {
        self.parameter.set(key);
        let destination = self.receiver.as_ptr();
        // SAFETY: plan, snapshot, parameters and destination outlive the query descriptor; the select's context is current
        unsafe {
            let desc = raw::CreateQueryDesc(
                self.statement,
                self.text,
                self.snapshot,
                ptr::null_mut(),
                destination,
                self.parameter.list,
                ptr::null_mut(),
                0,
            );
            raw::ExecutorStart(desc, 0);
            version::executor_run(desc);
            raw::ExecutorFinish(desc);
            raw::ExecutorEnd(desc);
            raw::FreeQueryDesc(desc);
        }
    }

    #[inline(always)]
    unsafe fn end(&mut self, tally: &mut Tally) {
        // SAFETY: entered by `begin`, inside the loop's guard
        unsafe { self.context.leave_empty() };
        *tally = self.receiver.tally();
    }
}

/// A started execution; finished and ended on drop.
struct Started {
    desc: *mut pg_sys::QueryDesc,
}

impl Started {
    /// `destination` outlives it.
    fn new(
        plan: &Generic,
        parameters: pg_sys::ParamListInfo,
        snapshot: &ActiveSnapshot,
        destination: *mut pg_sys::DestReceiver,
    ) -> Self {
        // SAFETY: plan, snapshot and parameters outlive the descriptor in both callers
        unsafe {
            let desc = pg_sys::CreateQueryDesc(
                plan.statement(),
                plan.text().as_ptr(),
                snapshot.as_ptr(),
                ptr::null_mut(),
                destination,
                parameters,
                ptr::null_mut(),
                0,
            );
            pg_sys::ExecutorStart(desc, 0);
            Self { desc }
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: started by `new`
            unsafe {
                pg_sys::ExecutorFinish(self.desc);
                pg_sys::ExecutorEnd(self.desc);
                pg_sys::FreeQueryDesc(self.desc);
            }
        }
    }
}

/// One execution, rescanned with the next key: what the inner side of a nested loop does.
pub struct Rescan<'a, const UNUSED: u32> {
    _started: Started,
    /// The plan's top node, and the memory context that its nodes run in.
    state: *mut pg_sys::PlanState,
    context: Current,
    parameter: Parameter,
    _plan: &'a Generic<'a>,
}

impl<'a, const UNUSED: u32> Rescan<'a, UNUSED> {
    /// `key` is the type of `$1`; the first column's type leaves `UNUSED` bits of a Datum unused.
    pub fn new(plan: &'a Generic<'a>, key: Int, snapshot: &'a ActiveSnapshot) -> Self {
        let parameter = Parameter::new(key);
        // SAFETY: the server's own receiver that throws rows away; rescans read the slot instead
        let nowhere = unsafe { pg_sys::CreateDestReceiver(pg_sys::CommandDest::DestNone) };
        let started = Started::new(plan, parameter.list, snapshot, nowhere);
        // SAFETY: ExecutorStart has set both
        let (state, context) = unsafe { ((*started.desc).planstate, (*(*started.desc).estate).es_query_cxt) };
        Self { _started: started, state, context: Current::new(context), parameter, _plan: plan }
    }
}

// SAFETY: nothing on the stack needs dropping; the executor's allocations are in its own contexts
unsafe impl<const UNUSED: u32> Step for Rescan<'_, UNUSED> {
    #[inline(always)]
    unsafe fn begin(&mut self, _tally: &Tally) {
        self.context.enter();
    }

    #[inline(always)]
    unsafe fn step(&mut self, key: i64, tally: &mut Tally) {
        // the plan reads $1 where it evaluates its run-time key, at each rescan
        self.parameter.set(key);
        let state = self.state;
        // SAFETY: the plan is started, so its node has its function; its memory context is current, as in ExecutorRun
        unsafe {
            raw::ExecReScan(state);
            loop {
                let row = (*state).ExecProcNode.unwrap_unchecked()(state);
                // TupIsNull of tuptable.h
                if row.is_null() || (*row).tts_flags & pg_sys::TTS_FLAG_EMPTY as u16 != 0 {
                    break;
                }
                tally.add(slot::first::<UNUSED>(row));
            }
        }
    }

    #[inline(always)]
    unsafe fn end(&mut self, _tally: &mut Tally) {
        // SAFETY: entered by `begin`
        unsafe { self.context.leave() };
    }
}

/// Runs a statement without parameters to its end, timed; its first column, of type `value`, is added up.
pub fn run_once(plan: &Generic, value: Int, snapshot: &ActiveSnapshot) -> (Tally, Reading) {
    let mut receiver = Receiver::new(value);
    let started = Started::new(plan, ptr::null_mut(), snapshot, receiver.as_ptr());
    let watch = Stopwatch::start();
    let desc = started.desc;
    // SAFETY: started, and run once; the closure owns nothing
    unsafe { raw::guarded(|| timed(desc)) };
    let reading = watch.stop();
    drop(started);
    (receiver.tally(), reading)
}

/// The timed stretch, a function as that of `timed_loop` is.
///
/// # Safety
/// Inside the error guard only; `desc` is started.
#[inline(never)]
unsafe fn timed(desc: *mut pg_sys::QueryDesc) {
    // SAFETY: by this function's own condition
    unsafe { version::executor_run(desc) };
    // else the call would be a jump, and this function in no stack
    std::hint::black_box(());
}
