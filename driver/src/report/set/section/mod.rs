//! The parts of a report on sets, as a document that a page and a Markdown text are written from.

mod broken;
mod contrast;
mod latency;
mod metric;
mod over;
mod rate;
mod run;
mod sample;
mod variation;
pub mod words;

use std::io::Result;

pub use broken::sheet as broken;
pub use contrast::sheet as contrast;
pub use rate::sheet as result;

use super::{Point, SetReport, contrasts};
use crate::report::document::{Document, Fold, Part, Section};

/// How far down a document goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// To what repeats come to.
    Points,
    /// To each single run.
    Runs,
}

/// A point, and the set that it is of.
#[derive(Clone, Copy, Debug)]
struct Placed<'a> {
    report: &'a SetReport,
    point: &'a Point,
}

/// All that `reports` say, side by side.
pub fn document(reports: &[SetReport], depth: Depth) -> Result<Document> {
    let mut document = Document { title: title(reports), ..Document::default() };
    if let [one] = reports {
        document.lead = words::lead(one);
    }
    let points: Vec<Placed<'_>> =
        reports.iter().flat_map(|report| report.points.iter().map(move |point| Placed { report, point })).collect();
    let contrasts = contrasts(reports);
    let mut add = |title: &str, parts: Vec<Part>| {
        if !parts.is_empty() {
            document.sections.push(Section { title: title.into(), parts });
        }
    };
    if reports.len() > 1 {
        add("Sets", vec![Part::Table(words::sets(reports))]);
    }
    add("Set against set", contrast::parts(reports, &contrasts)?);
    add("Rates", rate::parts(reports, &points)?);
    add("Latency", latency::parts(reports, &points)?);
    add("Variation", variation::parts(reports, &points));
    add("Checkpoints, WAL and memory", metric::parts(reports, &points));
    add("Runs that came to no end", broken::parts(reports));
    add("Warnings", warnings(reports));
    if depth == Depth::Runs {
        add("Runs", run::parts(reports)?);
        let definition = |report: &SetReport| {
            let title = format!("{}, seed {}", words::title(report), report.set.seed);
            let parts = vec![Part::Command(report.set.definition.clone())];
            Part::Fold(Fold { anchor: format!("definition-{}", report.set.id), title, parts })
        };
        add("Definitions", reports.iter().map(definition).collect());
    }
    Ok(document)
}

fn title(reports: &[SetReport]) -> String {
    match reports {
        [one] => words::title(one),
        several => {
            let ids: Vec<String> = several.iter().map(|report| report.set.id.to_string()).collect();
            format!("Sets {}", ids.join(", "))
        }
    }
}

fn warnings(reports: &[SetReport]) -> Vec<Part> {
    let several = reports.len() > 1;
    let line = |report: &SetReport, warning: &String| match several {
        true => format!("set {}: {warning}", report.set.id),
        false => warning.clone(),
    };
    let all = reports.iter().flat_map(|report| report.warnings.iter().map(move |warning| line(report, warning)));
    let all: Vec<String> = all.collect();
    if all.is_empty() { Vec::new() } else { vec![Part::Warnings(all)] }
}
