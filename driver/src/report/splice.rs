//! Puts a run's table into a text that stays otherwise as it is, such as a README.
//!
//! The place is between two lines, `<!-- sps compare -->` and `<!-- /sps compare -->`, with the subcommand that made the
//! record: a text may show a comparison and a ladder.

use std::io::Write;
use std::path::Path;

use super::document::{Part, Sheet, fragment};
use super::number::{count, range, ratio, time};
use super::{LADDER, Report, command_line, percent, section};
use crate::error::{Error, Result};

/// Puts `report` into the file `path`, which is replaced in one step, its permissions kept.
///
/// # Errors
/// No place for it, or no right to write; the file is as it was then.
pub fn splice(report: &Report, path: &Path) -> Result<()> {
    let failed =
        |what: &str, error: std::io::Error| Error::failed(format!("cannot {what} \"{}\": {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failed("read", error))?;
    let spliced = spliced(&text, report).map_err(|error| error.context(path.display()))?;
    if spliced == text {
        return Ok(());
    }
    // the file itself where the name is a link to it
    let place = path.canonicalize().map_err(|error| failed("read", error))?;
    let write = || -> std::io::Result<()> {
        let permissions = std::fs::metadata(&place)?.permissions();
        if permissions.readonly() {
            return Err(std::io::ErrorKind::PermissionDenied.into());
        }
        let mut file = tempfile::NamedTempFile::new_in(place.parent().unwrap_or(Path::new(".")))?;
        file.write_all(spliced.as_bytes())?;
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_all()?;
        file.persist(&place)?;
        Ok(())
    };
    write().map_err(|error| failed("write", error))
}

/// `text` with what is between its two lines replaced.
fn spliced(text: &str, report: &Report) -> Result<String> {
    let command = &report.summary.command;
    let (begin, end) = (format!("<!-- sps {command} -->"), format!("<!-- /sps {command} -->"));
    let places = |line: &str| -> Vec<(usize, usize)> {
        let found = lines(text).filter(|(_, found)| found.trim_end() == line);
        found.map(|(at, found)| (at, at + found.len())).collect()
    };
    let how = || format!("put the lines {begin} and {end} where the table belongs");
    match (places(&begin).as_slice(), places(&end).as_slice()) {
        ([(_, after)], [(before, _)]) if after <= before => {
            Ok(format!("{}\n{}\n{}", &text[..*after], fragment(&parts(report)), &text[*before..]))
        }
        ([], []) => Err(Error::failed(format!("there is no line {begin}")).hint(how())),
        ([_], [_]) => Err(Error::failed(format!("the line {end} comes before {begin}")).hint(how())),
        ([_], []) => Err(Error::failed(format!("there is no line {end} after {begin}")).hint(how())),
        ([], [_]) => Err(Error::failed(format!("there is no line {begin} before {end}")).hint(how())),
        _ => Err(Error::failed(format!("the lines {begin} and {end} are there more than once")).hint(how())),
    }
}

/// Every line with where it begins, its end included.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((begin, line))
    })
}

/// What stands between the lines: the command, on what, and the table.
fn parts(report: &Report) -> Vec<Part> {
    let summary = &report.summary;
    let mut on = vec![section::version(report).to_owned()];
    on.extend(report.host.cpu_model.clone());
    on.push(format!("{} CPUs", report.host.cpus));
    on.extend(summary.dataset.scale.map(|scale| format!("scale {scale}")));
    on.push(format!("{} rounds", summary.rounds));
    on.extend(summary.precision.map(|precision| format!("±{}", percent(precision))));
    on.push(summary.started.split('T').next().unwrap_or_default().into());
    if summary.status != crate::record::Status::Done {
        on.push(summary.status.name().into());
    }
    let table = if summary.command == LADDER { section::ladder_table(summary) } else { rates(report) };
    vec![Part::Command(command_line(&summary.command_line)), Part::Text(on.join(", ")), Part::Table(table)]
}

fn rates(report: &Report) -> Sheet {
    let summary = &report.summary;
    let against = format!("#ratio to {}", summary.reference);
    let mut sheet = Sheet::new(&["arm", "#selects/s", "#95 % interval", "#time/select", &against, "#95 % interval"]);
    for arm in &summary.arms {
        let found = summary.comparisons.iter().find(|c| c.test == arm.name && c.base == summary.reference);
        let (center, interval) = match found {
            Some(found) => (ratio(found.ratio), range(found.low, found.high, ratio)),
            None if arm.name == summary.reference => ("1".into(), String::new()),
            None => Default::default(),
        };
        let rates = range(arm.sps_low, arm.sps_high, count);
        sheet.row([arm.name.clone(), count(arm.sps), rates, time(arm.ns_per_select), center, interval]);
    }
    sheet
}
