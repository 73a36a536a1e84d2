//! Static SQL in a PL/pgSQL loop: the 2012 patch to pgbench. The loop is sql/loop.sql, which the driver sends as it is
//! where there is no extension.

use select_loop_keys::{Distribution, fill};

use crate::error::{Error, Result};
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::catalog;
use crate::pg::stopwatch::Stopwatch;

const LOOP: &str = include_str!("../../../sql/loop.sql");
/// What stands in the loop for a lookup.
pub const STATIC: &str = include_str!("../../../sql/loop_static.sql");
pub const EXECUTE: &str = include_str!("../../../sql/loop_execute.sql");

pub struct Plpgsql;

impl Layer for Plpgsql {
    fn name(&self) -> &'static str {
        "plpgsql"
    }

    fn kind(&self) -> Kind {
        Kind::Sql
    }

    fn about(&self) -> &'static str {
        "static SQL in a PL/pgSQL loop: the 2012 patch"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        run_loop(call, job, STATIC)
    }
}

/// The loop with `lookup` in it, as one DO block.
pub fn run_loop(call: &Call, job: &Job, lookup: &str) -> Result<Outcome> {
    if job.selects > i64::from(i32::MAX) {
        return Err(Error::invalid(format!("the PL/pgSQL loop does at most {} selects a call", i32::MAX))
            .detail("A FOR loop of PL/pgSQL counts in integers."));
    }
    drop(call.prepare_lookup(job)?);
    call.force(&[
        (c"sps.selects", &job.selects.to_string()),
        (c"sps.seed", &job.seed.to_string()),
        (c"sps.min", &job.min.to_string()),
        (c"sps.rows", &job.sequence.rows().to_string()),
        (c"sps.found", ""),
        (c"sps.checksum", ""),
    ])?;
    let block = format!("DO {}", catalog::quote_literal(&body(&call.schema, job, lookup)?)?);
    let reading = counting_scans(job, || {
        let watch = Stopwatch::start();
        timed(call, &block)?;
        Ok(watch.stop())
    })?;
    let result = |name| {
        call.settings.get(name).and_then(|text| text.parse().ok()).ok_or_else(|| {
            Error::not_ready("the PL/pgSQL loop left no result").hint("Is a custom setting of class sps in use?")
        })
    };
    Ok(Outcome { found: Some(result(c"sps.found")?), checksum: Some(result(c"sps.checksum")?), reading })
}

/// The timed stretch, a function as that of the timed loop is.
#[inline(never)]
fn timed(call: &Call, block: &str) -> Result<()> {
    call.spi.execute(block).map(drop)
}

/// The loop with this job's names in it.
fn body(schema: &str, job: &Job, lookup: &str) -> Result<String> {
    let key = match job.distribution {
        // as the template has it
        Distribution::Uniform => None,
        skewed => Some(format!(
            // bracketed so: first may be the smallest bigint; of exactly our function's types, so that no other function by its name
            // in the extension's schema fits as well
            "first + ({schema}.select_loop_key(seed, i::bigint, rows, '{}'::text, {}) - 1)",
            skewed.name(),
            skewed.skew().map_or("NULL::float8".to_owned(), |skew| format!("'{skew:?}'::float8"))
        )),
    };
    let uniform = "first + (pg_catalog.hashint8extended(i, seed) & 9223372036854775807) % rows";
    let names = [
        ("key_type", job.table.key.int.name()),
        ("value_type", job.table.value_int().name()),
        ("relation", &job.names.relation),
        ("key", &job.names.key),
        ("value", &job.names.value),
    ];
    let text = catalog::quote_literal(&job.select_sql("$1"))?;
    let lookup = fill(lookup, &[&names[..], &[("text", &text)]].concat());
    let inner = [
        ("draw", key.as_deref().unwrap_or(uniform)),
        ("lookup", lookup.trim_end()),
        // the call's own nest level ends with it, and nothing is left in the session
        ("local", "true"),
    ];
    Ok(fill(LOOP, &[&names[..], &inner].concat()))
}
