//! `SPI_execute_plan` on a saved plan, custom plan forced: planned anew each time.

use crate::error::Result;
use crate::job::Job;
use crate::layer::spi::{PlanMode, execute_saved_plan};
use crate::layer::{Call, Kind, Layer};
use crate::outcome::Outcome;

pub struct SpiCustom;

impl Layer for SpiCustom {
    fn name(&self) -> &'static str {
        "spi_custom"
    }

    fn kind(&self) -> Kind {
        Kind::Sql
    }

    fn about(&self) -> &'static str {
        "SPI_execute_plan of a saved plan, planned anew each time"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        execute_saved_plan(call, job, PlanMode::Custom)
    }
}
