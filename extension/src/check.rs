//! `select_loop_check`: what would distort a measurement here.
//!
//! Settings, activity and sizes are asked by sql/check.sql, as `sps check` does; the plan is looked at as layers do.

use pgrx::pg_sys;
use select_loop_keys::{Distribution, fill};

use crate::error::Result;
use crate::job::{Job, Request};
use crate::layer::{Call, Kind, check_plan, plan};
use crate::pg::catalog;

const CHECK: &str = include_str!("../../sql/check.sql");

/// One thing that was looked at; the hint is None where all is well.
pub struct Finding {
    pub item: String,
    pub value: String,
    pub ok: bool,
    pub hint: Option<String>,
}

/// Looks at everything; an error only where there is no table to look at, or no right to.
pub fn run(relation: Option<pg_sys::Oid>, function: pg_sys::Oid) -> Result<Vec<Finding>> {
    let request = Request { selects: 0, relation, seed: 0, distribution: Distribution::Uniform };
    let (call, job) = Call::begin(function, &request, Kind::Sql)?;
    let mut findings = lookup(&call, &job)?;
    let table = catalog::quote_literal(&job.names.relation)?;
    let index = match &job.index {
        Some(index) => catalog::quote_literal(&index.qualified_name())?,
        None => "NULL".to_owned(),
    };
    let regclass = |name: &str| format!("{name}::pg_catalog.regclass");
    let sql = fill(CHECK, &[("table", &regclass(&table)), ("index", &regclass(&index))]);
    for row in call.spi.query(&sql)? {
        let mut columns = row.into_iter();
        let mut next = || columns.next().flatten();
        findings.push(Finding {
            item: next().unwrap_or_default(),
            value: next().unwrap_or_default(),
            ok: next().as_deref() == Some("t"),
            hint: next(),
        });
    }
    Ok(findings)
}

/// The lookup's plan, and whether it would be compiled.
fn lookup(call: &Call, job: &Job) -> Result<Vec<Finding>> {
    let prepared = call.spi.prepare(&job.select_sql("$1"), Some(job.table.key.int))?;
    let generic = plan(&prepared)?;
    let found = generic.lookup();
    let value = match &found {
        Ok(_) => "Index Scan".to_owned(),
        Err(node) => node.clone(),
    };
    let refused = check_plan(job, found).err();
    let compiled = generic.is_compiled();
    Ok(vec![
        Finding {
            item: "plan".into(),
            value,
            ok: refused.is_none(),
            hint: refused.and_then(|error| error.hint_text().map(str::to_owned)),
        },
        Finding {
            item: "jit".into(),
            value: if compiled { "compiles the lookup" } else { "leaves the lookup alone" }.into(),
            ok: !compiled,
            hint: compiled.then(|| "compiling takes longer than the lookup: SET jit = off".to_owned()),
        },
    ])
}
