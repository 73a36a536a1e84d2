//! JSON: the summary as records hold it; several records become an array.

use std::io::{Result, Write};

use super::{Format, Report};

pub struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()> {
        match reports {
            [one] => serde_json::to_writer_pretty(&mut *out, &one.summary)?,
            several => {
                let summaries: Vec<_> = several.iter().map(|report| &report.summary).collect();
                serde_json::to_writer_pretty(&mut *out, &summaries)?
            }
        }
        out.write_all(b"\n")
    }
}
