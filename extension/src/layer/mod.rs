//! Layers: how deep in the server the loop runs.
//!
//! A new layer is one file here and two lines below: its `mod` and its place in [`LAYERS`].

mod buffer;
mod empty;
mod executor;
mod heap_tid;
mod index;
mod index_begin;
mod index_tid;
mod keys;
mod nested_loop;
mod plpgsql;
mod plpgsql_execute;
mod rescan;
mod spi;
mod spi_custom;
mod spi_text;

use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::job::{Job, Request};
use crate::outcome::Outcome;
use crate::pg::catalog;
use crate::pg::guc::NestLevel;
use crate::pg::plan::Generic;
use crate::pg::snapshot::ActiveSnapshot;
use crate::pg::spi::{Connection, Prepared};

/// From the top of the server downwards, controls first.
pub static LAYERS: &[&dyn Layer] = &[
    &empty::Empty,
    &keys::Keys,
    &spi_text::SpiText,
    &plpgsql_execute::PlpgsqlExecute,
    &spi_custom::SpiCustom,
    &plpgsql::Plpgsql,
    &spi::Spi,
    &executor::Executor,
    &nested_loop::NestedLoop,
    &rescan::Rescan,
    &index_begin::IndexBegin,
    &index::Index,
    &index_tid::IndexTid,
    &heap_tid::HeapTid,
    &buffer::Buffer,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Goes through SQL: works on all that SQL works on.
    Sql,
    /// Goes below SQL: plain tables only, and only where SQL would answer the same.
    Raw,
    /// Looks nothing up.
    Control,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sql => "sql",
            Self::Raw => "raw",
            Self::Control => "control",
        }
    }
}

/// One way of doing selects in the server.
pub trait Layer: Sync {
    /// File stem, SQL name, command-line name.
    fn name(&self) -> &'static str;
    fn kind(&self) -> Kind;
    /// One line for `select_loop_layers()`.
    fn about(&self) -> &'static str;
    /// Does `job.selects` selects, timed from after set-up to the last select.
    fn run(&self, call: &Call, job: &Job) -> Result<Outcome>;
}

/// What every call holds while a layer runs. Fields drop in this order.
pub struct Call {
    pub snapshot: ActiveSnapshot,
    pub spi: Connection,
    pub settings: NestLevel,
    /// Quoted name of the extension's schema.
    pub schema: String,
}

impl Call {
    /// Starts a call that does `request` in a layer of `kind`; `function` is the SQL function being executed.
    pub fn begin(function: pg_sys::Oid, request: &Request, kind: Kind) -> Result<(Self, Job)> {
        let settings = NestLevel::new();
        let spi = Connection::open()?;
        let snapshot = ActiveSnapshot::push();
        let call = Self { snapshot, spi, settings, schema: catalog::schema_of_function(function) };
        let job = Job::resolve(request, kind, &call.spi, &call.snapshot)?;
        Ok((call, job))
    }

    /// Forces a setting until the call's end.
    pub fn force(&self, settings: &[(&std::ffi::CStr, &str)]) -> Result<()> {
        settings.iter().try_for_each(|(name, value)| self.settings.set(name, value))
    }

    /// Prepares the lookup with its key as `$1`, having checked that its plan is one.
    pub fn prepare_lookup(&self, job: &Job) -> Result<Prepared<'_>> {
        // an index-only scan would do less than every other arm
        self.force(&[(c"enable_indexonlyscan", "off")])?;
        let prepared = self.spi.prepare(&job.select_sql("$1"), Some(job.table.key.int))?;
        check_plan(job, plan(&prepared)?.lookup())?;
        Ok(prepared)
    }
}

/// The generic plan of a statement.
pub fn plan<'a>(prepared: &'a Prepared<'_>) -> Result<Generic<'a>> {
    Generic::plan(prepared).ok_or_else(|| Error::unsupported("the lookup is not planned as one statement"))
}

/// Refuses a plan that is not an index scan on the key, by the index that raw layers use (or a partition's).
pub fn check_plan(job: &Job, lookup: std::result::Result<Vec<pg_sys::Oid>, String>) -> Result<()> {
    let refuse = |found: String| {
        Err(Error::not_ready(format!(
            "the lookup on {} is not planned as an index scan on its key",
            job.names.relation
        ))
        .detail(format!("The plan is {} {found}.", if found.starts_with(['A', 'I']) { "an" } else { "a" }))
        .hint(
            "ANALYZE the table; see that its primary key is valid and enable_indexscan is on. \
                 For a table of a few pages, SET enable_seqscan = off.",
        ))
    };
    let found = match lookup {
        Ok(found) => found,
        Err(node) => return refuse(node),
    };
    let Some(expected) = &job.index else { return Ok(()) };
    let fits =
        |&oid: &pg_sys::Oid| oid == expected.oid() || (!job.table.is_single() && is_unique_on_key(oid, expected.oid()));
    if found.iter().all(fits) { Ok(()) } else { refuse(format!("scan of another index than \"{}\"", expected.name())) }
}

/// A partition of the expected index; for the children of an inheritance parent, an index of their own.
fn is_unique_on_key(oid: pg_sys::Oid, expected: pg_sys::Oid) -> bool {
    let index = crate::pg::relation::Relation::open_index(oid);
    catalog::is_partition_of(oid, expected) || index.index_form().is_some_and(|form| form.indisunique)
}

/// The layer with this name, or an error that lists them all.
pub fn by_name(name: &str) -> Result<&'static dyn Layer> {
    LAYERS.iter().copied().find(|layer| layer.name() == name).ok_or_else(|| {
        let names: Vec<_> = LAYERS.iter().map(|layer| layer.name()).collect();
        Error::invalid(format!("unknown layer \"{name}\"")).hint(format!("Valid layers are {}.", names.join(", ")))
    })
}

/// Runs `measure` and holds the index scans that were counted meanwhile against the lookups.
pub fn counting_scans<T>(job: &Job, measure: impl FnOnce() -> Result<T>) -> Result<T> {
    let index = job.index.as_ref().filter(|_| job.table.is_single()).map(|index| index.oid());
    let before = index.and_then(catalog::counted_scans);
    let measured = measure()?;
    let after = index.and_then(catalog::counted_scans);
    if let Some((before, after)) = before.zip(after)
        && after - before != job.selects
    {
        return Err(Error::not_ready(format!(
            "{} lookups made {} scans of the index on {}",
            job.selects,
            after - before,
            job.names.relation
        ))
        .hint("Each lookup must be one index scan; look at its plan with EXPLAIN."));
    }
    Ok(measured)
}
