//! What the server counted per run, repeats averaged: checkpoints, who wrote buffers, WAL; and the most dirty memory seen.

use super::{Placed, words};
use crate::report::document::Part;
use crate::report::number::{bytes, count};
use crate::report::set::{Point, SetReport};

/// (name of the metric, heading). The suite gives what versions count under different names one name.
const SHOWN: [(&str, &str); 7] = [
    ("checkpoints_timed", "#checkpoints, timed"),
    ("checkpoints_requested", "#requested"),
    ("buffers_checkpoint", "#buffers by checkpoint"),
    ("buffers_clean", "#by background writer"),
    ("buffers_backend", "#by backends"),
    ("maxwritten_clean", "#writer stopped early"),
    ("wal_bytes", "#WAL"),
];

pub fn parts(reports: &[SetReport], points: &[Placed<'_>]) -> Vec<Part> {
    let several = reports.len() > 1;
    let mut columns: Vec<&str> = SHOWN.iter().map(|(_, heading)| *heading).collect();
    columns.extend(["#WAL per unit", "#most dirty memory"]);
    let mut sheet = words::sheet(several, &columns);
    for placed in points {
        let Placed { report, point } = placed;
        let mean = |name: &str| point.metrics.iter().find(|metric| metric.name == name);
        let mut cells: Vec<String> = SHOWN
            .iter()
            .map(|(name, _)| mean(name).map(|metric| amount(metric.mean, &metric.unit)).unwrap_or_default())
            .collect();
        let per_unit = mean("wal_bytes").zip(units(placed)).map(|(wal, units)| format!("{:.0} B", wal.mean / units));
        cells.push(per_unit.unwrap_or_default());
        cells.push(most_dirty(report, point).map(|most| amount(most, "bytes")).unwrap_or_default());
        if cells.iter().any(|cell| !cell.is_empty()) {
            sheet.row(words::who(several.then_some(report.set.id), &point.key).into_iter().chain(cells));
        }
    }
    if sheet.rows.is_empty() {
        return Vec::new();
    }
    let about =
        "Per run, the mean of its repeats; dirty memory is the most that any of them saw, on the server's machine.";
    vec![Part::Text(about.into()), Part::Table(sheet.without_empty())]
}

/// A number with its unit, as people read it.
pub fn amount(value: f64, unit: &str) -> String {
    let whole = if value.abs() < 100.0 && value.fract() != 0.0 { format!("{value:.2}") } else { count(value) };
    match unit {
        "bytes" => bytes(value as i64),
        "share" => super::words::share(value),
        "" | "blocks" => whole,
        unit => format!("{whole} {unit}"),
    }
}

/// Transactions or selects of a run, on average.
fn units(placed: &Placed<'_>) -> Option<f64> {
    let runs = placed.report.runs.iter().filter(|run| placed.point.runs.contains(&run.id));
    let counts: Option<Vec<f64>> = runs.map(|run| run.result.count.map(|count| count as f64)).collect();
    counts.map(|counts| crate::stats::mean(&counts)).filter(|mean| *mean > 0.0)
}

fn most_dirty(report: &SetReport, point: &Point) -> Option<f64> {
    let runs = report.runs.iter().filter(|run| point.runs.contains(&run.id));
    let samples = runs.flat_map(|run| &run.result.samples);
    let dirty = samples.filter(|sample| sample.source == "host" && sample.name == "memory_dirty");
    dirty.map(|sample| sample.value).reduce(f64::max)
}
