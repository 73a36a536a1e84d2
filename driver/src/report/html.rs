//! HTML: one page that needs nothing else, for any number of records.

use std::io::{Result, Write};

use super::{Format, Report, document, section};

pub struct Html;

impl Format for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()> {
        out.write_all(document::page(&section::document(reports)?)?.as_bytes())
    }
}
