//! Runs that came to no end: shown, and in no number.

use crate::report::document::{Part, Sheet};
use crate::report::number::count;
use crate::report::set::SetReport;

pub fn parts(reports: &[SetReport]) -> Vec<Part> {
    let mut parts = Vec::new();
    for report in reports.iter().filter(|report| !report.broken.is_empty()) {
        if reports.len() > 1 {
            parts.push(Part::Heading(super::words::title(report)));
        }
        parts.push(Part::Table(sheet(report)));
    }
    parts
}

/// Those of one set.
pub fn sheet(report: &SetReport) -> Sheet {
    let mut sheet =
        Sheet::new(&["#run", "workload", "#scale", "#clients", "#repeat", "started (UTC)", "status", "why"]);
    for run in &report.broken {
        sheet.row([
            run.run.to_string(),
            run.key.workload.clone(),
            run.key.scale.map(|scale| count(scale as f64)).unwrap_or_default(),
            run.key.clients.to_string(),
            run.key.repeat.to_string(),
            run.started.get(..19).unwrap_or(&run.started).replace('T', " "),
            run.status.name().into(),
            run.error.clone().unwrap_or_default(),
        ]);
    }
    sheet
}
