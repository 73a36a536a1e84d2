//! `index_rescan` and `index_getnext_slot` a select: the access method and the heap fetch, no executor.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::index_scan::IndexScan;
use crate::pg::int::with_int;
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
        let (table, index, int) = (&job.table.relation, job.raw_index()?, job.table.key.int);
        let value = job.table.reading();
        let (tally, reading) = with_int!(value.int, UNUSED => {
            let mut scan = IndexScan::<UNUSED>::new(table, index, int, value, &call.snapshot);
            counting_scans(job, || Ok(timed_loop::run(job, &mut scan)))
        })?;
        tally.outcome(reading)
    }
}
