//! `sps report`: prints records, and sets of the results database. It reads, computes and prints; it never measures, and never
//! averages two records.

use std::path::PathBuf;

use crate::error::{Error, Exit, Result};
use crate::record::{Count, mask, read};
use crate::report::set::{self, SetReport};
use crate::report::{self, FORMATS, Report};
use crate::results::{ResultsArgs, Which};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Records, as sps compare, ladder, run and count wrote them
    #[arg(required_unless_present = "set", conflicts_with = "set", value_name = "RECORD")]
    records: Vec<PathBuf>,
    /// A set of the results database instead: latest, a number or a name; several times: side by side, against the first
    #[arg(long, value_name = "SET")]
    set: Vec<Which>,
    /// How to print them: table, markdown, html, json, csv; records also as pgbench's lines (pgbench)
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: String,
    /// Write to this file instead of printing
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// Put the record's table between the lines <!-- sps compare --> and <!-- /sps compare --> of this file (or ladder, run: the record's command)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "output", "set"])]
    splice: Option<PathBuf>,
    /// Compare the second record with the first, arm by arm: ratios of what was measured apart, labelled so
    #[arg(long, conflicts_with_all = ["set", "splice"])]
    unpaired: bool,
    #[command(flatten)]
    results: ResultsArgs,
}

pub fn run(args: Args) -> Result<Exit> {
    if !args.set.is_empty() {
        return sets(&args);
    }
    if args.records.iter().any(|path| Count::is(path)) {
        return counts(&args);
    }
    if args.unpaired {
        return unpaired(&args);
    }
    let names = FORMATS.iter().map(|format| format.name());
    let format = report::format(&args.format).ok_or_else(|| unknown(&args.format, names))?;
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

fn unpaired(args: &Args) -> Result<Exit> {
    let formats = report::unpaired::FORMATS;
    let format = formats.iter().find(|(name, _)| *name == args.format);
    let (_, print) = format.ok_or_else(|| unknown(&args.format, formats.iter().map(|(name, _)| *name)))?;
    let [base, test] = args.records.as_slice() else {
        return Err(Error::usage("--unpaired takes two records")
            .hint("the base first: sps report --unpaired results/old.jsonl results/new.jsonl"));
    };
    let names = [base, test].map(|path| path.display().to_string());
    let records = [read(base)?, read(test)?];
    let found = report::unpaired::unpaired((&names[0], &records[0]), (&names[1], &records[1]));
    if found.arms.is_empty() {
        return Err(Error::failed("the two records have no arm in common")
            .hint("arms are compared by their full names, with placement"));
    }
    let reports: Vec<Report> =
        records.iter().zip(&names).map(|(record, name)| report::of_record(record, name)).collect();
    match &args.output {
        Some(file) => report::File::open(file)?.write_by(|out| print(&found, &reports, out))?,
        None => report::print_by(|out| print(&found, &reports, out))?,
    }
    Ok(Exit::Done)
}

/// Records of `sps count`, which have no time in them.
fn counts(args: &Args) -> Result<Exit> {
    if args.unpaired || args.splice.is_some() {
        let flag = if args.unpaired { "--unpaired" } else { "--splice" };
        return Err(Error::usage(format!("{flag} is for records of what was timed, not for counts"))
            .hint("sps report prints several counts side by side; sps count --base holds one against an earlier one"));
    }
    if let Some(other) = args.records.iter().find(|path| path.exists() && !Count::is(path)) {
        return Err(Error::usage(format!("{} is no count, others of the records are", other.display()))
            .hint("report counts apart from records of what was timed"));
    }
    let formats = report::count::FORMATS;
    let format = formats.iter().find(|(name, _)| *name == args.format);
    let (_, print) = format.ok_or_else(|| unknown(&args.format, formats.iter().map(|(name, _)| *name)))?;
    let named = |path: &PathBuf| Ok((path.display().to_string(), Count::read(path)?));
    let counts = args.records.iter().map(named).collect::<Result<Vec<_>>>()?;
    match &args.output {
        Some(file) => report::File::open(file)?.write_by(|out| print(&counts, out))?,
        None => report::print_by(|out| print(&counts, out))?,
    }
    Ok(Exit::Done)
}

fn sets(args: &Args) -> Result<Exit> {
    let names = set::FORMATS.iter().map(|format| format.name());
    let format = set::format(&args.format).ok_or_else(|| unknown(&args.format, names))?;
    let store = args.results.read()?;
    let mut reports: Vec<SetReport> = Vec::new();
    for which in &args.set {
        let set = store.set(which)?;
        if reports.iter().all(|report| report.set.id != set.id) {
            let (planned, runs) = (store.planned(set.id)?, store.runs(set.id)?);
            reports.push(set::gather(set, &planned, runs));
        }
    }
    // the server of a private database has done its part
    drop(store);
    match &args.output {
        Some(file) => report::File::open(file)?.write_by(|out| format.write(&reports, out))?,
        None => report::print_by(|out| format.write(&reports, out))?,
    }
    Ok(Exit::Done)
}

fn unknown(given: &str, names: impl Iterator<Item = &'static str>) -> Error {
    let names: Vec<&str> = names.collect();
    Error::usage(format!("unknown format \"{}\"", mask(given))).hint(format!("valid formats are {}", names.join(", ")))
}

fn only(reports: &[Report]) -> Result<&Report> {
    match reports {
        [report] => Ok(report),
        _ => Err(Error::usage("--splice takes one record").hint("a table shows one run: splice the others elsewhere")),
    }
}
