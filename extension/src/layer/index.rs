//! `index_rescan` and `index_getnext_slot` a select: the access method and the heap fetch, no executor.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::index_scan::IndexScan;
use crate::pg::timed_loop;

pub struct Index;

impl Layer for Index {
    fn name(&self) -> &'static str {
        "index"
    }

    fn kind(&self) -> Kind {
        Kind::Raw
    }

    fn about(&self) -> &'static str {
        "index_rescan and index_getnext_slot"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        let mut scan = IndexScan::new(
            &job.table.relation,
            job.raw_index()?,
            job.table.key.int,
            job.table.reading(),
            &call.snapshot,
        );
        let (tally, reading) = counting_scans(job, || Ok(timed_loop::run(job, &mut scan)))?;
        tally.outcome(reading)
    }
}
