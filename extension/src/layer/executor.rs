//! ExecutorStart, ExecutorRun, ExecutorFinish and ExecutorEnd of one planned statement a select.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans, plan};
use crate::outcome::Outcome;
use crate::pg::executor::PerSelect;
use crate::pg::timed_loop;

pub struct Executor;

impl Layer for Executor {
    fn name(&self) -> &'static str {
        "executor"
    }

    fn kind(&self) -> Kind {
        Kind::Sql
    }

    fn about(&self) -> &'static str {
        "ExecutorStart, Run, Finish, End of one planned statement"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        let prepared = call.prepare_lookup(job)?;
        let plan = plan(&prepared)?;
        let mut step = PerSelect::new(&plan, job.table.key.int, job.table.value_int(), &call.snapshot);
        let (tally, reading) = counting_scans(job, || Ok(timed_loop::run(job, &mut step)))?;
        tally.outcome(reading)
    }
}
