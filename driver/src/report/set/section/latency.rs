//! Latency: against the rate, and the percentile curves of all repeats' histograms together.

use std::io::{Error, Result};

use super::over::{self, Dimension};
use super::{Placed, words};
use crate::record::Latency;
use crate::report::chart::{self, Axis, Curve, Frame, Series};
use crate::report::document::{Chart, Part, Sheet};
use crate::report::number::time;
use crate::report::set::SetReport;

/// Curves in one chart; more cannot be told apart.
const CURVES: usize = 6;

pub fn parts(reports: &[SetReport], points: &[Placed<'_>]) -> Result<Vec<Part>> {
    let several = reports.len() > 1;
    let with: Vec<Placed<'_>> = points.iter().filter(|placed| placed.point.latency.is_some()).copied().collect();
    if with.is_empty() {
        return Ok(Vec::new());
    }
    let columns = [
        "#mean/s", "#mean", "#sd", "#p50", "#p90", "#p95", "#p99", "#p99.9", "#longest", "#late", "#skipped", "#lag",
        "of a",
    ];
    let mut sheet = words::sheet(several, &columns);
    for Placed { report, point } in &with {
        let Some(all) = &point.latency else { continue };
        let whole = |ns: u64| time(ns as f64);
        let given = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let cells = [
            words::rate(point.per_second.mean),
            time(all.mean_ns),
            time(all.stddev_ns),
            whole(all.p50_ns),
            whole(all.p90_ns),
            whole(all.p95_ns),
            whole(all.p99_ns),
            whole(all.p999_ns),
            whole(all.max_ns),
            given(all.late),
            given(all.skipped),
            all.lag_mean_ns.map(time).unwrap_or_default(),
            all.unit.name().into(),
        ];
        sheet.row(words::who(several.then_some(report.set.id), &point.key).into_iter().chain(cells));
    }
    let mut parts = vec![
        Part::Text("Percentiles are of the histograms of all repeats together, not averages of each repeat's.".into()),
        Part::Table(sheet.without_empty()),
    ];
    for (workload, own) in over::workloads(&with) {
        parts.extend(against_rate(&workload, &own)?);
        for own in own.chunks(CURVES) {
            parts.push(curves(&workload, own)?);
        }
    }
    Ok(parts)
}

/// What more clients, or a higher rate, cost in latency.
fn against_rate(workload: &str, points: &[Placed<'_>]) -> Result<Option<Part>> {
    if points.len() < 2 {
        return Ok(None);
    }
    let lines = over::lines(points, Dimension::Clients);
    let lines = lines.iter().map(|line| {
        let at = |placed: &Placed<'_>, ns: f64| chart::Point { x: placed.point.per_second.mean, y: ns, interval: None };
        let part = |of: fn(&Latency) -> u64| {
            let point = |placed: &Placed<'_>| Some(at(placed, of(placed.point.latency.as_ref()?) as f64));
            line.points.iter().filter_map(point).collect::<Vec<_>>()
        };
        [
            (format!("p50, {}", line.name), part(|all| all.p50_ns)),
            (format!("p99, {}", line.name), part(|all| all.p99_ns)),
        ]
    });
    let lines: Vec<(String, Vec<chart::Point>)> = lines.flatten().collect();
    let title = format!("{workload}: latency against rate");
    let frame = Frame {
        title: &title,
        about: "Each line joins client counts, the fewest first; the table has the numbers.",
        x: Axis::linear("per second", words::rate),
        y: Axis::log("latency", time),
        level: None,
    };
    let mut numbers = Sheet::new(&["series", "#per second", "#latency"]);
    for (name, points) in &lines {
        points.iter().for_each(|point| numbers.row([name.clone(), words::rate(point.x), time(point.y)]));
    }
    let series: Vec<Series<'_>> = lines.iter().map(|(name, points)| Series { name, points: points.clone() }).collect();
    let caption = format!("{title}, median and 99th percentile.");
    Ok(Some(Part::Chart(Chart { caption, svg: chart::lines(&frame, &series)?, numbers: numbers.folded() })))
}

fn curves(workload: &str, points: &[Placed<'_>]) -> Result<Part> {
    let named: Vec<(String, &Latency)> = points
        .iter()
        .filter_map(|placed| Some((over::name(placed, points, None), placed.point.latency.as_ref()?)))
        .collect();
    tails(&format!("{workload}: latency by percentile"), &named).map(Part::Chart)
}

/// The percentile curves of `named` latencies.
pub fn tails(title: &str, named: &[(String, &Latency)]) -> Result<Chart> {
    let mut curves = Vec::new();
    let mut numbers = Sheet::new(&["series", "#p50", "#p90", "#p99", "#p99.9", "#longest"]);
    for (name, latency) in named {
        let points = latency.curve().map_err(|error| Error::other(error.message))?;
        // quantile 1 has no place on such an axis
        let points =
            points.iter().filter(|point| point.share < 1.0).map(|point| (point.share, point.ns as f64)).collect();
        curves.push(Curve { name, points });
        let ends = [latency.p50_ns, latency.p90_ns, latency.p99_ns, latency.p999_ns, latency.max_ns];
        numbers.row(std::iter::once(name.clone()).chain(ends.map(|ns| time(ns as f64))));
    }
    let frame = Frame {
        title,
        about: "The share of waits on the axis below took no longer than the time on the left; the table has the numbers.",
        x: Axis::linear("share of waits", |share| share.to_string()),
        y: Axis::log("latency", time),
        level: None,
    };
    Ok(Chart { caption: format!("{title}."), svg: chart::tails(&frame, &curves)?, numbers: numbers.folded() })
}
