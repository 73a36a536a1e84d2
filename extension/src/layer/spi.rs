//! `SPI_execute_plan` on a saved plan, generic plan forced: what a function in C pays.

use crate::error::{Error, Result};
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::int::with_int;
use crate::pg::spi::ExecutePlan;
use crate::pg::timed_loop;

pub struct Spi;

impl Layer for Spi {
    fn name(&self) -> &'static str {
        "spi"
    }

    fn kind(&self) -> Kind {
        Kind::Sql
    }

    fn about(&self) -> &'static str {
        "SPI_execute_plan of a saved plan, generic"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        execute_saved_plan(call, job, PlanMode::Generic)
    }
}

/// Which plan a saved one uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PlanMode {
    /// Planned once, without looking at the parameter.
    Generic,
    /// Planned anew for each parameter.
    Custom,
}

/// `SPI_execute_plan` a select, in one plan mode; an error where SPI counted another.
pub fn execute_saved_plan(call: &Call, job: &Job, mode: PlanMode) -> Result<Outcome> {
    let setting = match mode {
        PlanMode::Generic => "force_generic_plan",
        PlanMode::Custom => "force_custom_plan",
    };
    call.force(&[(c"plan_cache_mode", setting)])?;
    let saved = call.prepare_lookup(job)?.save()?;
    let before = saved.counts();
    let (tally, reading) = with_int!(job.table.value_int(), UNUSED => {
        let mut step = ExecutePlan::<UNUSED>::new(&saved, job.table.key.int);
        let measured = counting_scans(job, || Ok(timed_loop::run(job, &mut step)))?;
        step.check()?;
        measured
    });
    let after = saved.counts();
    let (generic, custom) = (after.generic - before.generic, after.custom - before.custom);
    let (wanted, other) = if mode == PlanMode::Generic { (generic, custom) } else { (custom, generic) };
    if wanted != job.selects || other != 0 {
        return Err(Error::not_ready(format!(
            "{} selects used the generic plan {generic} times and a custom one {custom} times",
            job.selects
        )));
    }
    tally.outcome(reading)
}
