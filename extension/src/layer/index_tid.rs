//! `index_rescan` and `index_getnext_tid`: the access method without the heap.
//!
//! Takes one TID a key without asking the heap whether it is visible, so it may count a dead version, and reads no value.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::index_scan::TidOnly;
use crate::pg::timed_loop;

pub struct IndexTid;

impl Layer for IndexTid {
    fn name(&self) -> &'static str {
        "index_tid"
    }

    fn kind(&self) -> Kind {
        Kind::Raw
    }

    fn about(&self) -> &'static str {
        "index_rescan and index_getnext_tid: no heap"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        let mut scan =
            TidOnly::new(&job.table.relation, job.raw_index()?, job.table.key.int, job.table.reading(), &call.snapshot);
        let (tally, reading) = counting_scans(job, || Ok(timed_loop::run(job, &mut scan)))?;
        Ok(Outcome { checksum: None, ..tally.outcome(reading)? })
    }
}
