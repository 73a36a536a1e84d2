//! One ExecutorStart, then ExecReScan with the next key: what the inner side of a nested loop does.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans, plan};
use crate::outcome::Outcome;
use crate::pg::int::with_int;
use crate::pg::{executor, timed_loop};

pub struct Rescan;

impl Layer for Rescan {
    fn name(&self) -> &'static str {
        "rescan"
    }

    fn kind(&self) -> Kind {
        Kind::Raw
    }

    fn about(&self) -> &'static str {
        "ExecReScan of one started plan with the next key"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        let prepared = call.prepare_lookup(job)?;
        let plan = plan(&prepared)?;
        let (tally, reading) = with_int!(job.table.value_int(), UNUSED => {
            let mut rescan = executor::Rescan::<UNUSED>::new(&plan, job.table.key.int, &call.snapshot);
            counting_scans(job, || Ok(timed_loop::run(job, &mut rescan)))
        })?;
        tally.outcome(reading)
    }
}
