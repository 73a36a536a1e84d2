//! JSON: an array of sets, each with its points and what came to no end. Runs in full are what `sps results export` writes.

use std::io::{Result, Write};

use super::{SetFormat, SetReport, contrasts};

pub struct Json;

impl SetFormat for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn write(&self, reports: &[SetReport], out: &mut dyn Write) -> Result<()> {
        #[derive(serde::Serialize)]
        struct Whole<'a> {
            sets: &'a [SetReport],
            contrasts: Vec<super::Contrast>,
        }
        serde_json::to_writer_pretty(&mut *out, &Whole { sets: reports, contrasts: contrasts(reports) })?;
        out.write_all(b"\n")
    }
}
