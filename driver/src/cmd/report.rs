//! `sps report`: prints records. It reads, computes and prints; it never measures, and never averages two records.

use std::path::PathBuf;

use crate::error::{Error, Exit, Result};
use crate::record::{mask, read};
use crate::report::{self, FORMATS};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Records, as sps compare, ladder and run wrote them
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// How to print them: table, json, csv, or pgbench for its lines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: String,
}

pub fn run(args: Args) -> Result<Exit> {
    let format = report::format(&args.format).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
        Error::usage(format!("unknown format \"{}\"", mask(&args.format)))
            .hint(format!("valid formats are {}", names.join(", ")))
    })?;
    let mut reports = Vec::new();
    for path in &args.records {
        reports.push(report::of_record(&read(path)?, &path.display().to_string()));
    }
    report::print(format, &reports)?;
    Ok(Exit::Done)
}
