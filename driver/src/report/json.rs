//! JSON: the summary as records hold it; several records become an array.

use std::io::{Result, Write};

use super::Format;
use crate::record::Summary;

pub struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn write(&self, summaries: &[Summary], out: &mut dyn Write) -> Result<()> {
        match summaries {
            [summary] => serde_json::to_writer_pretty(&mut *out, summary)?,
            several => serde_json::to_writer_pretty(&mut *out, several)?,
        }
        out.write_all(b"\n")
    }
}
