//! The sets as Markdown: what the page says, without its charts and its single runs.

use std::io::{Result, Write};

use super::{SetFormat, SetReport, section};
use crate::report::document;

pub struct Markdown;

impl SetFormat for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn write(&self, reports: &[SetReport], out: &mut dyn Write) -> Result<()> {
        out.write_all(document::markdown(&section::document(reports, section::Depth::Points)?).as_bytes())
    }
}
