//! Control: the loop drawing keys; what the deeper layers pay for their keys.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer};
use crate::outcome::Outcome;
use crate::pg::timed_loop::{self, KeyOnly};

pub struct Keys;

impl Layer for Keys {
    fn name(&self) -> &'static str {
        "keys"
    }

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn about(&self) -> &'static str {
        "control: the loop drawing keys"
    }

    fn run(&self, _call: &Call, job: &Job) -> Result<Outcome> {
        let (_, reading) = timed_loop::run(job, &mut KeyOnly);
        Ok(Outcome { found: None, checksum: None, reading })
    }
}
