//! Reports: what is computed from a record's blocks, and the formats that print it.
//!
//! A format sees finished reports and never measures, queries or computes. A new one is a file here and a line in
//! [`FORMATS`].

mod arm;
mod bar;
mod build;
pub mod chart;
mod command_line;
mod comparison;
pub mod count;
mod course;
mod csv;
mod document;
mod expectation;
mod html;
mod json;
mod ladder;
mod latency;
mod markdown;
pub(crate) mod number;
mod output;
mod pgbench;
mod precision;
mod section;
pub mod set;
mod splice;
mod step;
mod table;
mod terminal;
pub mod unpaired;
mod warning;
mod word;

use std::io::{Result, Write};

pub use bar::Charset;
pub use build::{Outcome, Report, build, of_record, precision};
pub use command_line::command_line;
pub use comparison::{comparisons_among, comparisons_of, named};
pub use course::{Rates, Ratios, Spot};
pub use ladder::COMMAND as LADDER;
pub use number::{count, plural};
pub use output::{File, print, print_by, print_text};
pub use pgbench::Pgbench;
pub use precision::{Asked, percent, share_of};
pub use splice::splice;
pub use step::rungs;
pub use table::lengths;

/// A way of printing reports.
pub trait Format: Sync {
    /// As on the command line.
    fn name(&self) -> &'static str;
    /// Is it lines for people, which a terminal may have in its own characters and colours? Else it is data, byte for byte.
    fn for_people(&self) -> bool {
        false
    }
    /// Prints `reports`, one after another or side by side: what differs is never averaged.
    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()>;
}

/// Every format; the first is the default.
pub const FORMATS: &[&dyn Format] =
    &[&table::Table, &markdown::Markdown, &html::Html, &json::Json, &csv::Csv, &pgbench::Pgbench::PLAIN];

/// The format called `name`.
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
