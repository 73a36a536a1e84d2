//! The server programming interface: a connection, prepared statements, the saved plan that is executed per select.
//!
//! Counterpart: src/backend/executor/spi.c.

use pgrx::pg_sys;
use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::ptr;

use crate::error::{Error, Result};
use crate::pg::int::{self, Int};
use crate::pg::timed_loop::{Step, Tally};
use crate::pg::{encoding, raw, version};

/// Connected to SPI until dropped; its memory context is the current one meanwhile.
pub struct Connection(PhantomData<*mut ()>);

impl Connection {
    pub fn open() -> Result<Self> {
        // SAFETY: inside a transaction; finished on drop, or by the transaction's abort
        check("SPI_connect", unsafe { pg_sys::SPI_connect() })?;
        Ok(Self(PhantomData))
    }

    /// Runs `sql`, which may be several statements, as the caller of the function would; returns how many rows it processed.
    pub fn execute(&self, sql: &str) -> Result<u64> {
        let sql = encoding::to_server(sql)?;
        // SAFETY: connected; the text outlives the call
        check("SPI_execute", unsafe { pg_sys::SPI_execute(sql.as_ptr(), false, 0) })?;
        // SAFETY: set by the call above
        Ok(unsafe { pg_sys::SPI_processed })
    }

    /// The rows of a query, each column as text.
    pub fn query(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        let processed = self.execute(sql)?;
        // SAFETY: SPI_tuptable is what the query returned; its rows are copied before it is freed
        unsafe {
            let Some(table) = pg_sys::SPI_tuptable.as_ref() else { return Ok(Vec::new()) };
            let columns = (*table.tupdesc).natts;
            let row = |number: u64| {
                let tuple = *table.vals.add(number as usize);
                (1..=columns).map(|column| text(tuple, table.tupdesc, column)).collect()
            };
            let rows = (0..processed).map(row).collect();
            pg_sys::SPI_freetuptable(pg_sys::SPI_tuptable);
            Ok(rows)
        }
    }

    /// A statement with no parameter, or `$1` of type `parameter`.
    pub fn prepare(&self, sql: &str, parameter: Option<Int>) -> Result<Prepared<'_>> {
        let text = encoding::to_server(sql)?;
        let mut types = [parameter.map_or(pg_sys::InvalidOid, Int::oid)];
        // SAFETY: connected; SPI copies text and types
        let plan = unsafe { pg_sys::SPI_prepare(text.as_ptr(), i32::from(parameter.is_some()), types.as_mut_ptr()) };
        if plan.is_null() {
            // SAFETY: reads SPI's result code
            check("SPI_prepare", unsafe { pg_sys::SPI_result })?;
        }
        Ok(Prepared { plan, text, _connection: PhantomData })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: opened by `open`
            unsafe { pg_sys::SPI_finish() };
        }
    }
}

/// A prepared statement; it goes with the connection.
pub struct Prepared<'a> {
    plan: pg_sys::SPIPlanPtr,
    text: CString,
    _connection: PhantomData<&'a Connection>,
}

impl<'a> Prepared<'a> {
    pub fn as_ptr(&self) -> pg_sys::SPIPlanPtr {
        self.plan
    }

    pub fn text(&self) -> &CStr {
        &self.text
    }

    /// Saves the plan, as PL/pgSQL and PREPARE do with theirs.
    pub fn save(self) -> Result<Saved<'a>> {
        free_orphans();
        // SAFETY: an unsaved plan of this connection
        check("SPI_keepplan", unsafe { pg_sys::SPI_keepplan(self.plan) })?;
        Ok(Saved { plan: self.plan, _connection: PhantomData })
    }
}

thread_local! {
    /// Saved plans whose guard was dropped by an error, when the server must not be called; the next call frees them.
    static ORPHANS: RefCell<Vec<pg_sys::SPIPlanPtr>> = const { RefCell::new(Vec::new()) };
}

fn free_orphans() {
    for plan in ORPHANS.with_borrow_mut(std::mem::take) {
        // SAFETY: saved plans outlive transactions; nobody else knows this one
        unsafe { pg_sys::SPI_freeplan(plan) };
    }
}

/// A saved plan, freed on drop.
pub struct Saved<'a> {
    plan: pg_sys::SPIPlanPtr,
    _connection: PhantomData<&'a Connection>,
}

/// How often a plan was used as it was, and how often it was planned anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanCounts {
    pub generic: i64,
    pub custom: i64,
}

impl Saved<'_> {
    pub fn counts(&self) -> PlanCounts {
        // SAFETY: a saved plan has a source a statement; the counters are read
        unsafe {
            let sources = version::pointers::<pg_sys::CachedPlanSource>(pg_sys::SPI_plan_get_plan_sources(self.plan));
            sources.iter().fold(PlanCounts { generic: 0, custom: 0 }, |sum, &source| PlanCounts {
                generic: sum.generic + (*source).num_generic_plans,
                custom: sum.custom + (*source).num_custom_plans,
            })
        }
    }
}

impl Drop for Saved<'_> {
    fn drop(&mut self) {
        if super::may_release() {
            // SAFETY: saved by `Prepared::save`
            unsafe { pg_sys::SPI_freeplan(self.plan) };
        } else {
            let plan = self.plan;
            ORPHANS.with_borrow_mut(|orphans| orphans.push(plan));
        }
    }
}

/// `SPI_execute_plan` of a saved plan a select.
pub struct ExecutePlan<'a, const UNUSED: u32> {
    saved: &'a Saved<'a>,
    key: Int,
    failure: i32,
}

impl<'a, const UNUSED: u32> ExecutePlan<'a, UNUSED> {
    /// `key` is the type of `$1`; the first column's type leaves `UNUSED` bits of a Datum unused.
    pub fn new(saved: &'a Saved<'a>, key: Int) -> Self {
        Self { saved, key, failure: 0 }
    }

    /// An error where SPI refused a select with a result code.
    pub fn check(&self) -> Result<()> {
        check("SPI_execute_plan", self.failure)
    }
}

// SAFETY: rows belong to SPI's contexts and are freed; nothing on the stack needs dropping
unsafe impl<const UNUSED: u32> Step for ExecutePlan<'_, UNUSED> {
    #[inline(always)]
    unsafe fn step(&mut self, key: i64, tally: &mut Tally) {
        let mut parameter = self.key.datum(key);
        // SAFETY: connected; the plan takes one parameter of this type and returns rows with one column
        unsafe {
            let code = raw::SPI_execute_plan(self.saved.plan, &mut parameter, ptr::null(), false, 0);
            if code != pg_sys::SPI_OK_SELECT as i32 {
                self.failure = code.min(-1);
                return;
            }
            add_rows::<UNUSED>(tally);
        }
    }
}

/// Adds the rows that SPI has just returned to `tally`, and frees them.
///
/// # Safety
/// Inside the error guard, right after a SELECT whose first column's type leaves `UNUSED` bits of a Datum unused.
#[inline(always)]
pub unsafe fn add_rows<const UNUSED: u32>(tally: &mut Tally) {
    // SAFETY: SPI_tuptable holds SPI_processed rows
    unsafe {
        let table = pg_sys::SPI_tuptable;
        let mut row = 0;
        while row < pg_sys::SPI_processed {
            let mut isnull = false;
            let tuple = *(*table).vals.add(row as usize);
            let datum = raw::SPI_getbinval(tuple, (*table).tupdesc, 1, &mut isnull);
            tally.add(if isnull { 0 } else { int::narrow(datum, UNUSED) });
            row = row.wrapping_add(1);
        }
        raw::SPI_freetuptable(table);
    }
}

/// Negative codes are SPI's refusals.
pub fn check(function: &str, code: i32) -> Result<()> {
    if code >= 0 {
        return Ok(());
    }
    // SAFETY: returns a static or palloc'd text
    let reason = unsafe { CStr::from_ptr(pg_sys::SPI_result_code_string(code)) };
    Err(Error::new(pgrx::PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, format!("{function}: {}", reason.to_string_lossy())))
}

/// Column `number`, from 1, by its type's output function.
///
/// # Safety
/// `tuple` is of `desc` and has such a column.
unsafe fn text(tuple: pg_sys::HeapTuple, desc: pg_sys::TupleDesc, number: i32) -> Option<String> {
    // SAFETY: by this function's own condition; null stands for NULL, else a palloc'd string
    unsafe {
        let value = pg_sys::SPI_getvalue(tuple, desc, number);
        (!value.is_null()).then(|| encoding::to_utf8(CStr::from_ptr(value)))
    }
}
