//! Rates: the table, against clients, against scale, and the grid of both.

use std::io::Result;

use super::over::{self, Dimension, Line};
use super::{Placed, words};
use crate::report::chart::{self, Axis, Frame, Grid, Series};
use crate::report::document::{Chart, Part, Sheet};
use crate::report::number::{count, time};
use crate::report::set::{PointKey, SetReport};
use crate::report::{percent, plural};
use crate::results::Unit;

/// More series than this in one chart cannot be told apart: they are drawn workload by workload.
const SERIES: usize = 6;

/// What the runs of one set come to.
pub fn sheet(report: &SetReport) -> Sheet {
    let points: Vec<Placed<'_>> = report.points.iter().map(|point| Placed { report, point }).collect();
    of_points(&points, false)
}

fn of_points(points: &[Placed<'_>], several: bool) -> Sheet {
    let columns = [
        "unit",
        "#mean/s",
        "#95 % interval",
        "#variation",
        "#repeats",
        "#latency p50",
        "#p95",
        "#p99",
        "#longest",
        "#failed",
    ];
    let mut sheet = words::sheet(several, &columns);
    for Placed { report, point } in points {
        let (rate, latency) = (&point.per_second, point.latency.as_ref());
        let wait = |ns: Option<u64>| ns.map(|ns| time(ns as f64)).unwrap_or_default();
        let cells = [
            point.key.unit.name().into(),
            words::rate(rate.mean),
            words::interval(rate, words::rate),
            rate.cv.map(percent).unwrap_or_default(),
            rate.n.to_string(),
            wait(latency.map(|all| all.p50_ns)),
            wait(latency.map(|all| all.p95_ns)),
            wait(latency.map(|all| all.p99_ns)),
            wait(latency.map(|all| all.max_ns)),
            point.failed.filter(|failed| *failed > 0).map(|failed| failed.to_string()).unwrap_or_default(),
        ];
        sheet.row(words::who(several.then_some(report.set.id), &point.key).into_iter().chain(cells));
    }
    sheet.without_empty()
}

pub fn parts(reports: &[SetReport], points: &[Placed<'_>]) -> Result<Vec<Part>> {
    if points.is_empty() {
        return Ok(vec![Part::Text("No run has come to its end.".into())]);
    }
    let mut parts = vec![Part::Table(of_points(points, reports.len() > 1))];
    for unit in units(points) {
        let own: Vec<Placed<'_>> = points.iter().filter(|placed| placed.point.key.unit == unit).copied().collect();
        for dimension in [Dimension::Clients, Dimension::Scale] {
            if over::values(&own, dimension).len() < 2 {
                continue;
            }
            let all = over::lines(&own, dimension);
            let charts: Vec<(Option<String>, Vec<Line<'_>>)> = match all.len() {
                ..=SERIES => vec![(None, all)],
                _ => over::workloads(&own)
                    .into_iter()
                    .map(|(name, of)| (Some(name), over::lines(&of, dimension)))
                    .collect(),
            };
            for (workload, lines) in charts {
                parts.push(Part::Chart(line_chart(unit.name(), workload.as_deref(), &lines, dimension)?));
            }
        }
        parts.extend(grids(unit.name(), &own)?);
    }
    Ok(parts)
}

fn units(points: &[Placed<'_>]) -> Vec<Unit> {
    let mut units: Vec<Unit> = points.iter().map(|placed| placed.point.key.unit).collect();
    units.sort();
    units.dedup();
    units
}

fn line_chart(unit: &str, workload: Option<&str>, lines: &[Line<'_>], dimension: Dimension) -> Result<Chart> {
    let what = workload.map(|name| format!("{name}: ")).unwrap_or_default();
    let title = format!("{what}{unit} per second against {}", dimension.name());
    let marks = over::values(&lines.iter().flat_map(|line| line.points.clone()).collect::<Vec<_>>(), dimension);
    let label = format!("{unit}/s");
    let frame = Frame {
        title: &title,
        about: "A line for each workload, with the 95 % interval of the repeats' mean; the table has the numbers.",
        x: Axis::log(dimension.name(), count).marks(marks),
        y: Axis::linear(&label, words::rate).from(0.0),
        level: None,
    };
    let at = |placed: &Placed<'_>| chart::Point {
        x: dimension.of(&placed.point.key).unwrap_or(f64::NAN),
        y: placed.point.per_second.mean,
        interval: placed.point.per_second.interval().filter(|ends| ends.low > 0.0).map(|ends| (ends.low, ends.high)),
    };
    let series: Vec<Series<'_>> =
        lines.iter().map(|line| Series { name: &line.name, points: line.points.iter().map(at).collect() }).collect();
    let mut numbers = Sheet::new(&["series", &format!("#{}", dimension.name()), "#mean/s", "#95 % interval"]);
    for line in lines {
        for placed in &line.points {
            let rate = &placed.point.per_second;
            let place = dimension.of(&placed.point.key).map(count).unwrap_or_default();
            numbers.row([line.name.clone(), place, words::rate(rate.mean), words::interval(rate, words::rate)]);
        }
    }
    Ok(Chart {
        caption: format!("{title}, with 95 % intervals; those that reach below 0 are in the table only."),
        svg: chart::lines(&frame, &series)?,
        numbers: numbers.folded(),
    })
}

/// Scale against clients, a grid for each set and workload that has several of both.
fn grids(unit: &str, points: &[Placed<'_>]) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    // a grid has one number in a cell: what else differs gets a grid of its own
    let mut kinds: Vec<(i32, PointKey)> = Vec::new();
    let kind = |placed: &Placed<'_>| {
        let bare = PointKey { scale: None, clients: 0, threads: 0, ..placed.point.key.clone() };
        (placed.report.set.id, bare)
    };
    for placed in points {
        if !kinds.contains(&kind(placed)) {
            kinds.push(kind(placed));
        }
    }
    let firsts: Vec<Placed<'_>> =
        kinds.iter().filter_map(|known| points.iter().find(|placed| kind(placed) == *known)).copied().collect();
    for (known, first) in kinds.iter().zip(&firsts) {
        let own: Vec<Placed<'_>> = points.iter().filter(|placed| kind(placed) == *known).copied().collect();
        let (scales, clients) = (over::values(&own, Dimension::Scale), over::values(&own, Dimension::Clients));
        if scales.len() < 2 || clients.len() < 2 {
            continue;
        }
        let cell = |scale: f64, clients: f64| {
            let at = |placed: &&Placed<'_>| {
                Dimension::Scale.of(&placed.point.key) == Some(scale)
                    && Dimension::Clients.of(&placed.point.key) == Some(clients)
            };
            own.iter().find(at).map(|placed| placed.point.per_second.mean)
        };
        let cells: Vec<Vec<Option<f64>>> =
            scales.iter().map(|scale| clients.iter().map(|clients| cell(*scale, *clients)).collect()).collect();
        let names = |values: &[f64]| values.iter().map(|value| count(*value)).collect::<Vec<_>>();
        let title = format!("{}: {unit} per second by scale and clients", over::name(first, &firsts, None));
        let frame = Frame {
            title: &title,
            about: "The darker, the more; each cell has its number.",
            x: Axis::linear("clients", count),
            y: Axis::linear("scale", count),
            level: None,
        };
        let svg =
            chart::heat(&frame, &Grid { columns: names(&clients), rows: names(&scales), cells: &cells }, words::rate)?;
        let columns: Vec<String> = std::iter::once("scale".into())
            .chain(clients.iter().map(|value| format!("#{}", plural(*value as usize, "client"))))
            .collect();
        let mut numbers = Sheet::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
        for (scale, row) in scales.iter().zip(&cells) {
            let cells = row.iter().map(|value| value.map(words::rate).unwrap_or_default());
            numbers.row(std::iter::once(count(*scale)).chain(cells));
        }
        parts.push(Part::Chart(Chart { caption: format!("{title}."), svg, numbers: numbers.folded() }));
    }
    Ok(parts)
}
