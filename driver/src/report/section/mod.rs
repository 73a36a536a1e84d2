//! What a page and a Markdown text say of records, section by section, one file each. Several records stand side by side;
//! nothing is averaged over them.

pub(super) mod axis;
mod course;
mod expectation;
mod facts;
mod gate;
mod ladder;
mod latency;
mod rate;
mod ratio;
pub(super) mod tick;
mod unpaired;

pub(super) use ladder::table as ladder_table;

use std::io::Result;

use super::Report;
use super::document::{Document, Part, Section};
use super::unpaired::Unpaired;

/// The document on `reports`.
///
/// # Errors
/// None that writing to memory would not have.
pub fn document(reports: &[Report]) -> Result<Document> {
    let records = Records::new(reports);
    let sections = [
        section("The ladder", ladder::parts(&records)?),
        section("Expectations", expectation::parts(&records)),
        section("Ratios", ratio::parts(&records)?),
        warnings(&records),
        section("Rates", rate::parts(&records)?),
        section("Latency", latency::parts(&records)?),
        section("Course of the run", course::parts(&records)?),
        section("Checks", gate::parts(&records)),
        section("How it was measured", facts::measuring(&records)),
        section("Server and data", facts::server(&records)),
        section("Machine and tool", facts::machine(&records)),
        section("Command", facts::command(&records)),
    ];
    Ok(Document {
        title: title(reports),
        lead: reports.iter().map(|report| lead(&records, report)).collect(),
        sections: sections.into_iter().filter(|section| !section.parts.is_empty()).collect(),
    })
}

/// The same with `found` before everything else: what comes of comparing the second of the two `reports` with the first.
///
/// # Errors
/// None that writing to memory would not have.
pub fn unpaired_document(found: &Unpaired, reports: &[Report]) -> Result<Document> {
    let mut document = document(reports)?;
    document.sections.insert(0, section("Unpaired comparison", unpaired::parts(found)?));
    Ok(document)
}

/// Records with the letters that tell them apart.
struct Records<'a>(Vec<(String, &'a Report)>);

impl<'a> Records<'a> {
    fn new(reports: &'a [Report]) -> Self {
        Self(reports.iter().enumerate().map(|(at, report)| (letters(at), report)).collect())
    }

    fn several(&self) -> bool {
        self.0.len() > 1
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &'a Report)> {
        self.0.iter().map(|(letter, report)| (letter.as_str(), *report))
    }

    /// What `one` says of each record, under its letter where there are several.
    fn each(&self, mut one: impl FnMut(&'a Report) -> Result<Vec<Part>>) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        for (letter, report) in self.iter() {
            let found = one(report)?;
            if self.several() && !found.is_empty() {
                parts.push(Part::Heading(format!("Record {letter}: {}", name(report))));
            }
            parts.extend(found);
        }
        Ok(parts)
    }
}

/// A, B, …, Z, AA, AB, …
fn letters(at: usize) -> String {
    let last = char::from(b'A' + (at % 26) as u8).to_string();
    if at < 26 { last } else { letters(at / 26 - 1) + &last }
}

fn name(report: &Report) -> &str {
    report.summary.record.as_deref().unwrap_or(&report.summary.started)
}

fn section(title: &str, parts: Vec<Part>) -> Section {
    Section { title: title.into(), parts }
}

fn title(reports: &[Report]) -> String {
    match reports {
        [one] => format!("sps {} on {}", one.summary.command, version(one)),
        several => format!("{} records of sps, side by side", several.len()),
    }
}

/// version() goes on with platform and compiler.
pub(super) fn version(report: &Report) -> &str {
    report.summary.server.version.split(" on ").next().unwrap_or_default()
}

fn lead(records: &Records<'_>, report: &Report) -> String {
    let summary = &report.summary;
    let letter = records.iter().find(|(_, found)| std::ptr::eq(*found, report)).map(|(letter, _)| letter);
    let which = match letter.filter(|_| records.several()) {
        Some(letter) => format!("{letter}: {}, sps {} on {}, ", name(report), summary.command, version(report)),
        None => String::new(),
    };
    let (rounds, epochs) = (summary.rounds as usize, summary.epochs as usize);
    format!(
        "{which}{}, {}: {} in {}.",
        summary.started,
        summary.status.name(),
        super::number::plural(rounds, "round"),
        super::number::plural(epochs, "epoch")
    )
}

fn warnings(records: &Records<'_>) -> Section {
    let told = |(letter, report): (&str, &Report)| -> Vec<String> {
        let whose = if records.several() { format!("{letter}: ") } else { String::new() };
        report.summary.warnings.iter().map(|warning| format!("{whose}{warning}")).collect()
    };
    let warnings: Vec<String> = records.iter().flat_map(told).collect();
    let count = warnings.len();
    let parts = if warnings.is_empty() { Vec::new() } else { vec![Part::Warnings(warnings)] };
    section(&format!("Warnings ({count})"), parts)
}
