//! Each run by itself: its rate and latency over time, what the machine and the server did meanwhile, its settings.

use std::io::Result;

use super::{latency, metric, sample, words};
use crate::report::chart::{self, Axis, Frame, Series};
use crate::report::document::{Chart, Fold, Part, Sheet};
use crate::report::number::{count, time};
use crate::report::set::SetReport;
use crate::results::{Run, Second};

/// A part that opens for each attempt, in the order of their start.
pub fn parts(reports: &[SetReport]) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for report in reports {
        for run in &report.runs {
            let set = if reports.len() > 1 { format!("set {}, ", report.set.id) } else { String::new() };
            let title = format!("{set}{}", title(run));
            parts.push(Part::Fold(Fold { anchor: format!("run-{}", run.id), title, parts: of_run(run)? }));
        }
    }
    Ok(parts)
}

/// `run 7: prepared, scale 10, 4 clients, repeat 2: 71,234 selects/s`.
fn title(run: &Run) -> String {
    let key = &run.key;
    let mut text = format!("run {}: {}", run.id, key.workload);
    if let Some(scale) = key.scale {
        text += &format!(", scale {}", count(scale as f64));
    }
    text += &format!(", {}", crate::report::plural(key.clients.max(0) as usize, "client"));
    if let Some(rate) = key.rate {
        text += &format!(", {} wanted/s", count(rate));
    }
    text += &format!(", repeat {}: ", key.repeat);
    text + &match (run.result.per_second, run.result.unit) {
        (Some(rate), Some(unit)) if run.result.status == crate::results::Status::Done => {
            format!("{} {}/s", words::rate(rate), unit.name())
        }
        _ => run.result.status.name().into(),
    }
}

fn of_run(run: &Run) -> Result<Vec<Part>> {
    let result = &run.result;
    let mut parts = vec![Part::Facts(facts(run))];
    if !result.warnings.is_empty() {
        parts.push(Part::Warnings(result.warnings.clone()));
    }
    if result.series.len() > 1 {
        parts.push(Part::Chart(rates(run)?));
        parts.extend(waits(&result.series)?.map(Part::Chart));
    }
    if let Some(all) = &result.latency {
        parts.push(Part::Chart(latency::tails("Latency by percentile", &[("this run".into(), all)])?));
    }
    parts.extend(sample::charts(&result.samples)?.into_iter().map(Part::Chart));
    let once = sample::sheet(&result.samples);
    if !once.rows.is_empty() {
        parts.push(Part::Table(once.folded()));
    }
    if !result.metrics.is_empty() {
        let mut sheet = Sheet::new(&["source", "counted over the run", "#change"]);
        for metric in &result.metrics {
            sheet.row([metric.source.clone(), metric.name.clone(), metric::amount(metric.delta, &metric.unit)]);
        }
        parts.push(Part::Table(sheet.folded()));
    }
    if !run.changed.is_empty() {
        let mut sheet = Sheet::new(&["changed since the workload's run before", "then", "now"]);
        for change in &run.changed {
            let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "default".into());
            sheet.row([change.name.clone(), value(&change.before), value(&change.value)]);
        }
        parts.push(Part::Table(sheet));
    }
    if !result.settings.is_empty() {
        let mut sheet = Sheet::new(&["setting", "value"]);
        result.settings.iter().for_each(|(name, value)| sheet.row([name.clone(), value.clone()]));
        parts.push(Part::Table(sheet.folded()));
    }
    Ok(parts)
}

fn facts(run: &Run) -> Sheet {
    let (key, result) = (&run.key, &run.result);
    let whole = |number: Option<i64>| number.map(|number| count(number as f64)).unwrap_or_default();
    let mut sheet = Sheet::new(&["of the run", "value"]);
    let moment = |text: &str| text.get(..19).unwrap_or(text).replace('T', " ");
    let rows = [
        ("status", result.status.name().to_owned()),
        ("why", result.error.clone().unwrap_or_default()),
        ("started (UTC)", moment(&run.started)),
        ("ended (UTC)", run.ended.as_deref().map(moment).unwrap_or_default()),
        ("position in the set", key.position.to_string()),
        ("arm", key.arm.clone().unwrap_or_default()),
        ("protocol", key.protocol.clone().unwrap_or_default()),
        ("placement", key.placement.map_or("", crate::arm::Placement::name).to_owned()),
        ("transport", run.transport.clone()),
        ("threads", key.threads.to_string()),
        ("server", run.server.version.clone()),
        ("measured time", result.elapsed_ns.map(|ns| time(ns as f64)).unwrap_or_default()),
        (result.unit.map_or("count", crate::results::Unit::name), whole(result.count)),
        ("per second", result.per_second.map(words::rate).unwrap_or_default()),
        ("95 % interval within", crate::report::set::section::words::ends(result.low, result.high)),
        ("rows found", whole(result.found)),
        ("failed transactions", whole(result.failed.filter(|failed| *failed > 0))),
    ];
    for (name, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
        sheet.row([name.to_owned(), value]);
    }
    sheet
}

fn rates(run: &Run) -> Result<Chart> {
    let unit = run.result.unit.map_or("", crate::results::Unit::name);
    let label = format!("{unit}/s");
    let frame = Frame {
        title: "Rate over time",
        about: "One point a second; the table has the numbers.",
        x: Axis::linear("seconds", sample::plain),
        y: Axis::linear(&label, words::rate).from(0.0),
        level: run.result.per_second,
    };
    let at = |second: &Second| chart::Point { x: f64::from(second.second), y: second.count as f64, interval: None };
    let mut series = vec![Series { name: unit, points: run.result.series.iter().map(at).collect() }];
    if run.result.series.iter().any(|second| second.failed > 0) {
        let failed = |second: &Second| chart::Point { y: second.failed as f64, ..at(second) };
        series.push(Series { name: "failed", points: run.result.series.iter().map(failed).collect() });
    }
    let mut numbers = Sheet::new(&["#second", "#count", "#failed", "#mean latency", "#longest"]);
    for second in &run.result.series {
        let wait = |ns: Option<f64>| ns.map(time).unwrap_or_default();
        numbers.row([
            second.second.to_string(),
            count(second.count as f64),
            second.failed.to_string(),
            wait(second.latency_ns),
            wait(second.latency_max_ns),
        ]);
    }
    let numbers = numbers.without_empty().folded();
    let caption = "Rate over time; the line across is the whole run's.".into();
    Ok(Chart { caption, svg: chart::lines(&frame, &series)?, numbers })
}

/// None where no second says how long its transactions took.
fn waits(series: &[Second]) -> Result<Option<Chart>> {
    let line = |name: &'static str, part: fn(&Second) -> Option<f64>| {
        let at = |second: &Second| Some(chart::Point { x: f64::from(second.second), y: part(second)?, interval: None });
        Series { name, points: series.iter().filter_map(at).collect() }
    };
    let lines = [line("mean", |second| second.latency_ns), line("longest", |second| second.latency_max_ns)];
    let lines: Vec<Series<'_>> = lines.into_iter().filter(|line| !line.points.is_empty()).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let frame = Frame {
        title: "Latency over time",
        about: "One point a second; the table of the rates has the numbers.",
        x: Axis::linear("seconds", sample::plain),
        y: Axis::log("latency", time),
        level: None,
    };
    let mut numbers = Sheet::new(&["what", "#smallest", "#largest"]);
    for line in &lines {
        let values = line.points.iter().map(|point| point.y);
        let ends = [values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max)];
        numbers.row(std::iter::once(line.name.to_owned()).chain(ends.map(time)));
    }
    let caption = "Latency over time.".into();
    Ok(Some(Chart { caption, svg: chart::lines(&frame, &lines)?, numbers: numbers.folded() }))
}
