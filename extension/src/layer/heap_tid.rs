//! `table_tuple_fetch_row_version` by TID: the heap without the index.
//!
//! TIDs of visible versions are gathered by the index in batches with clock and counters stopped.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::index_scan::IndexScan;
use crate::pg::int::with_int;
use crate::pg::tid::{self, FetchTuple};

pub struct HeapTid;

impl Layer for HeapTid {
    fn name(&self) -> &'static str {
        "heap_tid"
    }

    fn kind(&self) -> Kind {
        Kind::Raw
    }

    fn about(&self) -> &'static str {
        "table_tuple_fetch_row_version by TID: no index"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        let mut scan = IndexScan::new(
            &job.table.relation,
            job.raw_index()?,
            job.table.key.int,
            job.table.reading(),
            &call.snapshot,
        );
        let value = job.table.reading();
        let (tally, reading) = with_int!(value.int, UNUSED => {
            let mut fetch = FetchTuple::<UNUSED>::new(&job.table.relation, value, &call.snapshot);
            counting_scans(job, || Ok(tid::run(job, &mut scan, &mut fetch)))
        })?;
        tally.outcome(reading)
    }
}
