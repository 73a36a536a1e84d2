//! `SPI_execute_plan` on a saved plan, generic plan forced: what a function in C pays.

use crate::error::{Error, Result};
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
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
        call.force(&[(c"plan_cache_mode", "force_generic_plan")])?;
        let saved = call.prepare_lookup(job)?.save()?;
        let before = saved.counts();
        let mut step = ExecutePlan::new(&saved, job.key.int, job.value_int());
        let (tally, reading) = counting_scans(job, || Ok(timed_loop::run(job, &mut step)))?;
        step.check()?;
        let after = saved.counts();
        if after.custom != before.custom || after.generic - before.generic != job.selects {
            return Err(Error::not_ready(format!(
                "{} selects used the generic plan {} times and a custom one {} times",
                job.selects,
                after.generic - before.generic,
                after.custom - before.custom
            )));
        }
        tally.outcome(reading)
    }
}
