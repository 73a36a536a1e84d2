//! `SPI_execute` of the text: parsed, analysed and planned each time.

use crate::error::Result;
use crate::job::Job;
use crate::layer::{Call, Kind, Layer, counting_scans};
use crate::outcome::Outcome;
use crate::pg::int::with_int;
use crate::pg::spi_text::ExecuteText;
use crate::pg::timed_loop;

pub struct SpiText;

impl Layer for SpiText {
    fn name(&self) -> &'static str {
        "spi_text"
    }

    fn kind(&self) -> Kind {
        Kind::Sql
    }

    fn about(&self) -> &'static str {
        "SPI_execute of the text: parsed and planned each time"
    }

    fn run(&self, call: &Call, job: &Job) -> Result<Outcome> {
        drop(call.prepare_lookup(job)?);
        with_int!(job.table.value_int(), UNUSED => {
            let mut step = ExecuteText::<UNUSED>::new(&call.spi, &job.select_sql(""))?;
            let (tally, reading) = counting_scans(job, || Ok(timed_loop::run(job, &mut step)))?;
            step.check()?;
            tally.outcome(reading)
        })
    }
}
