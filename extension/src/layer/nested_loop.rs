//! One SQL statement whose plan is a nested loop over the keys: lets others cross-check `rescan`.

use select_loop_keys::Distribution;

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, check_plan, counting_scans, plan};
use crate::outcome::Outcome;
use crate::pg::executor;

pub struct NestedLoop;

impl Layer for NestedLoop {
    fn name(&self) -> &'static str {
        "nested_loop"
    }

    fn kind(&self) -> Kind {
        Kind::Sql
    }

    fn about(&self) -> &'static str {
        "one statement that joins generated keys by a nested loop"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        // by default the planner hashes the table
        call.force(&[
            (c"enable_hashjoin", "off"),
            (c"enable_mergejoin", "off"),
            (c"enable_memoize", "off"),
            (c"enable_seqscan", "off"),
            (c"enable_bitmapscan", "off"),
            (c"enable_indexonlyscan", "off"),
            (c"enable_material", "off"),
            (c"jit", "off"),
            (c"max_parallel_workers_per_gather", "0"),
        ])?;
        let prepared = call.spi.prepare(&statement(&call.schema, job), None)?;
        let plan = plan(&prepared)?;
        check_plan(job, plan.inner_lookup())?;
        let (tally, reading) =
            counting_scans(job, || Ok(executor::run_once(&plan, job.table.value_int(), &call.snapshot)))?;
        tally.outcome(reading)
    }
}

/// Keys come from generate_series in a target list: as a table function it would fill a tuplestore first.
fn statement(schema: &str, job: &Job) -> String {
    let Job { seed, min, selects, .. } = job;
    let rows = job.sequence.rows();
    let number =
        "pg_catalog.generate_series(0::bigint, (SELECTS)::bigint)".replace("SELECTS", &(selects - 1).to_string());
    let key = match job.distribution {
        Distribution::Uniform => format!(
            "({min})::bigint + (pg_catalog.hashint8extended({number}, ({seed})::bigint) & 9223372036854775807) % {rows}::bigint"
        ),
        skewed => format!(
            // bracketed so: min may be the smallest bigint; types as in the PL/pgSQL loop
            "({min})::bigint + ({schema}.select_loop_key(({seed})::bigint, {number}, {rows}::bigint, '{}'::text, {}) - 1)",
            skewed.name(),
            skewed.skew().map_or("NULL::float8".to_owned(), |skew| format!("'{skew:?}'::float8"))
        ),
    };
    format!(
        "SELECT {value} FROM (SELECT ({key})::{key_type} AS \"select_loop key\") AS \"select_loop keys\", {relation} \
         WHERE {key_column} = \"select_loop keys\".\"select_loop key\"",
        value = job.names.value,
        key_type = job.table.key.int.name(),
        relation = job.names.relation,
        key_column = job.names.key,
    )
}
