//! Names and lines that several parts of a set's report have.

use crate::report::document::Sheet;
use crate::report::number::count;
use crate::report::plural;
use crate::report::set::{PointKey, SetReport};
use crate::stats::spread::Spread;

/// `Set 3: quick`.
pub fn title(report: &SetReport) -> String {
    format!("Set {}: {}", report.set.id, report.set.name)
}

/// When, where, and how far it came.
pub fn lead(report: &SetReport) -> Vec<String> {
    let set = &report.set;
    let done: usize = report.points.iter().map(|point| point.per_second.n).sum();
    let mut servers: Vec<String> =
        report.points.iter().map(|point| server(point.key.server_version_num, point.key.assertions)).collect();
    servers.dedup();
    let started = set.started.get(..19).unwrap_or(&set.started).replace('T', " ");
    let mut lines = Vec::new();
    if !set.description.is_empty() {
        lines.push(set.description.clone());
    }
    let broken = match report.broken.len() {
        0 => String::new(),
        several => format!(", {several} came to no end"),
    };
    lines.push(format!(
        "{}, started {started} UTC on {}; {done} of {} done{broken}",
        set.status.name(),
        set.host.hostname,
        plural(report.planned, "run")
    ));
    if !servers.is_empty() {
        lines.push(format!("PostgreSQL {}", servers.join(", ")));
    }
    lines
}

/// `15.18`, as PostgreSQL numbers itself since 10.
pub fn server(version_num: u32, assertions: bool) -> String {
    let assertions = if assertions { " with assertions" } else { "" };
    format!("{}.{}{assertions}", version_num / 10_000, version_num % 10_000)
}

/// `prepared, scale 10, 4 clients`.
pub fn point(key: &PointKey) -> String {
    let mut text = key.line();
    if let Some(scale) = key.scale {
        text += &format!(", scale {}", count(scale as f64));
    }
    text += &format!(", {}", plural(key.clients.max(0) as usize, "client"));
    if let Some(rate) = key.rate {
        text += &format!(", {} wanted/s", count(rate));
    }
    text
}

/// What the columns of [`who`] are called; `several` sets have a column of their own.
pub fn who_columns(several: bool) -> Vec<&'static str> {
    let mut columns = vec!["workload", "#scale", "#clients", "#wanted/s"];
    if several {
        columns.insert(0, "#set");
    }
    columns
}

/// The cells that say which point a row is of.
pub fn who(set: Option<i32>, key: &PointKey) -> Vec<String> {
    let mut cells = vec![
        key.line(),
        key.scale.map(|scale| count(scale as f64)).unwrap_or_default(),
        count(f64::from(key.clients)),
        key.rate.map(count).unwrap_or_default(),
    ];
    if let Some(set) = set {
        cells.insert(0, set.to_string());
    }
    cells
}

/// A sheet of points: who, then `columns`.
pub fn sheet(several: bool, columns: &[&str]) -> Sheet {
    Sheet::new(&[who_columns(several).as_slice(), columns].concat())
}

/// The sets that are shown side by side.
pub fn sets(reports: &[SetReport]) -> Sheet {
    let mut sheet =
        Sheet::new(&["#set", "name", "status", "started (UTC)", "host", "PostgreSQL", "#runs done", "#planned"]);
    for report in reports {
        let set = &report.set;
        let mut servers: Vec<String> =
            report.points.iter().map(|point| server(point.key.server_version_num, point.key.assertions)).collect();
        servers.dedup();
        let done: usize = report.points.iter().map(|point| point.per_second.n).sum();
        sheet.row([
            set.id.to_string(),
            set.name.clone(),
            set.status.name().into(),
            set.started.get(..19).unwrap_or(&set.started).replace('T', " "),
            set.host.hostname.clone(),
            servers.join(", "),
            done.to_string(),
            report.planned.to_string(),
        ]);
    }
    sheet
}

/// The 95 % interval of a mean; empty where there is none.
pub fn interval(spread: &Spread, text: fn(f64) -> String) -> String {
    spread.interval().map(|ends| format!("{} – {}", text(ends.low), text(ends.high))).unwrap_or_default()
}

/// A rate as people read it: whole from a hundred on, and where it is.
pub fn rate(value: f64) -> String {
    if value.abs() < 100.0 && value.fract() != 0.0 { format!("{value:.1}") } else { count(value) }
}

/// An interval whose ends may be missing.
pub fn ends(low: Option<f64>, high: Option<f64>) -> String {
    low.zip(high).map(|(low, high)| format!("{} – {}", rate(low), rate(high))).unwrap_or_default()
}

/// A share of a whole, 0 to 1.
pub fn share(value: f64) -> String {
    format!("{:.1} %", value * 100.0)
}
