//! Pin, share-lock, unlock and unpin the heap page of a TID: the buffer manager alone.
//!
//! TIDs are gathered as for `heap_tid`; no row is looked at.

use crate::error::{Error, Result};
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::index_scan::IndexScan;
use crate::pg::tid::{self, LockPage};

pub struct Buffer;

impl Layer for Buffer {
    fn name(&self) -> &'static str {
        "buffer"
    }

    fn kind(&self) -> Kind {
        Kind::Raw
    }

    fn about(&self) -> &'static str {
        "pin, share-lock, unlock, unpin the row's heap page"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        if !job.table.relation.is_heap() {
            return Err(Error::unsupported(format!(
                "layer buffer can't run on \"{}\", whose access method is not heap",
                job.table.relation.name()
            ))
            .detail("A TID of another access method names no page of its own."));
        }
        let mut scan = IndexScan::new(
            &job.table.relation,
            job.raw_index()?,
            job.table.key.int,
            job.table.reading(),
            &call.snapshot,
        );
        let mut lock = LockPage::new(&job.table.relation);
        let (_, reading) = counting_scans(job, || Ok(tid::run(job, &mut scan, &mut lock)))?;
        Ok(Outcome { found: None, checksum: None, reading })
    }
}
