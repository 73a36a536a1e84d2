//! What clients waited: percentile curves, one chart for each kind of wait.

use std::io::Result;

use super::{Part, Records, tick};
use crate::record::{Latency, Unit};
use crate::report::Report;
use crate::report::chart::{Axis, Curve, Frame, tails};
use crate::report::document::{Chart, Sheet};
use crate::report::number::{count, time};

pub fn parts(records: &Records<'_>) -> Result<Vec<Part>> {
    records.each(|report| {
        let mut parts = Vec::new();
        for unit in [Unit::Select, Unit::Call, Unit::Transaction] {
            let waits = waits(report, unit);
            if !waits.is_empty() {
                let svg = chart(report, unit, &waits)?;
                parts.push(Part::Chart(Chart { caption: caption(report, unit), svg, numbers: table(unit, &waits) }));
            }
        }
        Ok(parts)
    })
}

/// The arms that waited for `unit`.
fn waits(report: &Report, unit: Unit) -> Vec<(&str, &Latency)> {
    let of = |latency: &&Latency| latency.unit == unit;
    let arms = report.summary.arms.iter().filter(|arm| !arm.control);
    arms.filter_map(|arm| Some((arm.name.as_str(), arm.latency.as_ref().filter(of)?))).collect()
}

fn caption(report: &Report, unit: Unit) -> String {
    let from = match report.summary.plan.rate {
        Some(_) => "from its scheduled start",
        None => "from its sending",
    };
    format!(
        "How long the given share of {}s took at most, each {from} to the end of its answer. The axis is drawn out towards the \
         slowest; the slowest of all is in the table.",
        unit.name()
    )
}

fn chart(report: &Report, unit: Unit, waits: &[(&str, &Latency)]) -> Result<String> {
    let curve = |(name, _): &(&'_ str, &Latency)| {
        let points = report.curves.iter().find(|(arm, _)| arm == name).map(|(_, points)| points.as_slice());
        let points = points.unwrap_or_default().iter().map(|point| (point.share, point.ns as f64)).collect();
        (name.to_string(), points)
    };
    let curves: Vec<(String, Vec<(f64, f64)>)> = waits.iter().map(curve).collect();
    let curves: Vec<Curve<'_>> = curves.iter().map(|(name, points)| Curve { name, points: points.clone() }).collect();
    let title = format!("Latency of a {}", unit.name());
    let label = format!("share of {}s", unit.name());
    let (x, y) = (Axis::linear(&label, tick::plain), Axis::log("latency, logarithmic", tick::time));
    let about = "Percentile curves; the table beneath has mean, percentiles and maximum";
    tails(&Frame { title: &title, about, x, y, level: None }, &curves)
}

fn table(unit: Unit, waits: &[(&str, &Latency)]) -> Sheet {
    let counted = format!("#{}s", unit.name());
    let columns = [
        "arm", &counted, "#mean", "#std dev", "#50 %", "#90 %", "#95 %", "#99 %", "#99.9 %", "#slowest", "#late",
        "#skipped", "#lag",
    ];
    let mut sheet = Sheet::new(&columns);
    let number = |value: Option<u64>| value.map(|value| count(value as f64)).unwrap_or_default();
    for (name, wait) in waits {
        let percentiles = [wait.p50_ns, wait.p90_ns, wait.p95_ns, wait.p99_ns, wait.p999_ns, wait.max_ns];
        let mut row = vec![(*name).to_owned(), count(wait.count as f64), time(wait.mean_ns), time(wait.stddev_ns)];
        row.extend(percentiles.map(|ns| time(ns as f64)));
        row.extend([number(wait.late), number(wait.skipped), wait.lag_mean_ns.map(time).unwrap_or_default()]);
        sheet.row(row);
    }
    sheet.without_empty()
}
