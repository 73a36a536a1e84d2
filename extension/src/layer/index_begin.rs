//! `index_beginscan` to `index_endscan` a select, and the heap fetch: what starting a scan costs.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::index_scan::NewScan;
use crate::pg::int::with_int;
use crate::pg::timed_loop;

pub struct IndexBegin;

impl Layer for IndexBegin {
    fn name(&self) -> &'static str {
        "index_begin"
    }

    fn kind(&self) -> Kind {
        Kind::Raw
    }

    fn about(&self) -> &'static str {
        "index_beginscan, index_getnext_slot, index_endscan"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        let (table, index, int) = (&job.table.relation, job.raw_index()?, job.table.key.int);
        let value = job.table.reading();
        let (tally, reading) = with_int!(value.int, UNUSED => {
            let mut scan = NewScan::<UNUSED>::new(table, index, int, value, &call.snapshot);
            counting_scans(job, || Ok(timed_loop::run(job, &mut scan)))
        })?;
        tally.outcome(reading)
    }
}
