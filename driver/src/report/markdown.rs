//! Markdown: what the page says, without its charts.

use std::io::{Result, Write};

use super::{Format, Report, document, section};

pub struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()> {
        out.write_all(document::markdown(&section::document(reports)?).as_bytes())
    }
}
