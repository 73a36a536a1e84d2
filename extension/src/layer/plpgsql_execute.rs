//! `EXECUTE … USING` in the PL/pgSQL loop: parsed and planned each time.

use crate::error::Result;
use crate::job::Job;
use crate::layer::plpgsql::{EXECUTE, run_loop};
use crate::layer::{Call, Kind, Layer};
use crate::outcome::Outcome;

pub struct PlpgsqlExecute;

impl Layer for PlpgsqlExecute {
    fn name(&self) -> &'static str {
        "plpgsql_execute"
    }

    fn kind(&self) -> Kind {
        Kind::Sql
    }

    fn about(&self) -> &'static str {
        "EXECUTE ... USING in a PL/pgSQL loop: planned each time"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        run_loop(call, job, EXECUTE)
    }
}
