//! Reports: a summary computed from blocks, and the formats that print one.
//!
//! A format sees finished summaries and never measures, queries or computes. A new one is a file here and a line in
//! [`FORMATS`].

mod arm;
mod bar;
mod build;
pub mod chart;
mod comparison;
mod csv;
mod json;
mod ladder;
mod number;
mod output;
mod pgbench;
mod precision;
mod step;
mod table;
mod warning;
mod word;

use std::io::{Result, Write};

pub use build::{Outcome, build, of_record, precision};
pub use comparison::{comparisons_of, named};
pub use ladder::COMMAND as LADDER;
pub use output::{File, print, print_text};
pub use precision::percent;
pub use step::rungs;

use crate::record::Summary;

/// A way of printing summaries.
pub trait Format: Sync {
    /// As on the command line.
    fn name(&self) -> &'static str;
    /// Prints `summaries`, one after another: what differs is never averaged.
    fn write(&self, summaries: &[Summary], out: &mut dyn Write) -> Result<()>;
}

/// Every format; the first is the default.
pub const FORMATS: &[&dyn Format] = &[&table::Table, &json::Json, &csv::Csv, &pgbench::Pgbench];

/// The format called `name`.
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
