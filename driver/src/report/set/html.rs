//! The sets as one page: everything, each run in a part of its own that opens when asked to.

use std::io::{Result, Write};

use super::{SetFormat, SetReport, section};
use crate::report::document;

pub struct Html;

impl SetFormat for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn write(&self, reports: &[SetReport], out: &mut dyn Write) -> Result<()> {
        out.write_all(document::page(&section::document(reports, section::Depth::Runs)?)?.as_bytes())
    }
}
