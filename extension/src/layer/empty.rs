//! Control: the bare loop, with its interrupt check. Subtract it from nothing; it shows what counting costs.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer};
use crate::outcome::Outcome;
use crate::pg::timed_loop;

pub struct Empty;

impl Layer for Empty {
    fn name(&self) -> &'static str {
        "empty"
    }

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn about(&self) -> &'static str {
        "control: the bare loop"
    }

    fn run(&self, _call: &Call, job: &Job) -> Result<Outcome> {
        Ok(Outcome { found: None, checksum: None, reading: timed_loop::run_empty(job) })
    }
}
