//! `sps report`: prints records. It reads, computes and prints; it never measures, and never averages two records.

use std::path::PathBuf;

use crate::error::{Error, Exit, Result};
use crate::record::{mask, read};
use crate::report::{self, FORMATS, Report};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Records, as sps compare, ladder and run wrote them
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// How to print them: table, markdown, html, json, csv, or pgbench for its lines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: String,
    /// Write to this file instead of printing
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// Put the record's table between the lines <!-- sps compare --> and <!-- /sps compare --> of this file (or ladder, run: the record's command)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "output"])]
    splice: Option<PathBuf>,
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
    match (&args.splice, &args.output) {
        (Some(file), _) => report::splice(only(&reports)?, file)?,
        (None, Some(file)) => report::File::open(file)?.write(format, &reports)?,
        (None, None) => report::print(format, &reports)?,
    }
    Ok(Exit::Done)
}

fn only(reports: &[Report]) -> Result<&Report> {
    match reports {
        [report] => Ok(report),
        _ => Err(Error::usage("--splice takes one record").hint("a table shows one run: splice the others elsewhere")),
    }
}
