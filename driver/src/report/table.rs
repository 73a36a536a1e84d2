//! The table on a terminal.

use std::io::{Result, Write};

use comfy_table::{CellAlignment, Table as Grid, presets};

use super::number::{bytes, count, plural, range, ratio, time};
use super::{Format, Report, ladder, latency, percent};
use crate::error::printable;
use crate::record::{Answer, ArmSummary, Comparison, Plan, Side, Summary};

pub struct Table;

impl Format for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn for_people(&self) -> bool {
        true
    }

    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()> {
        let mut text = Vec::new();
        write(reports, &mut text)?;
        out.write_all(printable(&String::from_utf8_lossy(&text), &['\n']).as_bytes())
    }
}

fn write(reports: &[Report], out: &mut dyn Write) -> Result<()> {
    for (at, Report { summary, .. }) in reports.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        head(summary, out)?;
        if summary.arms.is_empty() {
            writeln!(out, "\nno block was finished\n")?;
        } else {
            writeln!(out, "\n{}\n", arms(summary))?;
        }
        if summary.command == ladder::COMMAND {
            ladder::write(summary, out)?;
        } else {
            latency::write(summary, out)?;
        }
        rates_of_calls(summary, out)?;
        pairs(summary, out)?;
        foot(summary, out)?;
    }
    Ok(())
}

/// A line of the text above and below the table.
pub(super) fn line(out: &mut dyn Write, label: &str, text: impl std::fmt::Display) -> Result<()> {
    writeln!(out, "{label:<12} {}", printable(&text.to_string(), &[]))
}

fn head(summary: &Summary, out: &mut dyn Write) -> Result<()> {
    let (server, data, plan) = (&summary.server, &summary.dataset, &summary.plan);
    line(out, "run", format_args!("sps {}, {}, {}", summary.command, summary.started, summary.status.name()))?;
    let whose = if server.private { "private, " } else { "" };
    let extension = match &server.extension {
        Some(version) => format!("select_loop {version}"),
        None => "without the extension".into(),
    };
    // version() goes on with platform and compiler
    let version = server.version.split(" on ").next().unwrap_or_default();
    line(out, "server", format_args!("{version}, {whose}{}, {extension}", server.transport))?;
    let scale = data.scale.map(|scale| format!(" scale {scale},")).unwrap_or_default();
    let size = format!("{} and {} of index", bytes(data.table_bytes), bytes(data.index_bytes));
    line(out, "data set", format_args!("{},{scale} {} rows, {size}", data.relation, count(data.rows as f64)))?;
    let keys = match plan.skew {
        Some(skew) => format!("{} {skew}", plan.distribution),
        None => plan.distribution.clone(),
    };
    line(
        out,
        "clients",
        format_args!(
            "{}, {}, {keys} keys, seed {}",
            plural(plan.clients, "client"),
            plural(plan.threads, "thread"),
            plan.seed
        ),
    )?;
    let mut placements: Vec<&str> = summary.arms.iter().map(|arm| arm.placement.name()).collect();
    placements.sort_unstable();
    placements.dedup();
    line(out, "placement", placements.join(", "))?;
    let (rounds, epochs) = (summary.rounds as usize, summary.epochs as usize);
    line(
        out,
        "rounds",
        format_args!("{} in {}, blocks of {}", plural(rounds, "round"), plural(epochs, "epoch"), lengths(plan)),
    )
}

/// How long blocks are.
pub fn lengths(plan: &Plan) -> String {
    match plan.lead_in_ms {
        0 => format!("{} ms", plan.block_ms),
        lead_in => format!("{} ms after {lead_in} ms untimed", plan.block_ms),
    }
}

fn arms(summary: &Summary) -> String {
    let mut grid = grid([
        "arm",
        "selects/s",
        "95 % interval",
        "time/select",
        &format!("ratio to {}", summary.reference),
        "95 % interval",
    ]);
    for arm in &summary.arms {
        let found = summary.comparisons.iter().find(|c| c.test == arm.name && c.base == summary.reference);
        let (center, interval) = match found {
            Some(found) => ratio_cells(found),
            None if arm.name == summary.reference => ("1".into(), String::new()),
            None => Default::default(),
        };
        let rates = range(arm.sps_low, arm.sps_high, count);
        grid.add_row([arm.name.clone(), count(arm.sps), rates, time(arm.ns_per_select), center, interval]);
    }
    align(&mut grid, 1);
    lines(grid)
}

/// Comparisons with another base than the reference.
fn pairs(summary: &Summary, out: &mut dyn Write) -> Result<()> {
    let other: Vec<&Comparison> = summary.comparisons.iter().filter(|c| c.base != summary.reference).collect();
    if other.is_empty() {
        return Ok(());
    }
    let mut grid = grid(["test", "base", "ratio", "95 % interval"]);
    for found in other {
        let (center, interval) = ratio_cells(found);
        grid.add_row([found.test.clone(), found.base.clone(), center, interval]);
    }
    align(&mut grid, 2);
    writeln!(out, "{}\n", lines(grid))
}

fn rates_of_calls(summary: &Summary, out: &mut dyn Write) -> Result<()> {
    let calls: Vec<String> =
        summary.arms.iter().filter_map(|arm| Some(format!("{} {:.1}", arm.name, arm.calls_per_second?))).collect();
    if calls.is_empty() {
        return Ok(());
    }
    let size = count(summary.plan.selects_per_call as f64);
    line(out, "calls/s", format_args!("{} (of {size} selects)", calls.join(", ")))
}

fn foot(summary: &Summary, out: &mut dyn Write) -> Result<()> {
    let trips: Vec<String> = summary.round_trip_us.iter().map(|(place, us)| format!("{place} {us:.1} µs")).collect();
    if !trips.is_empty() {
        line(out, "round trip", format_args!("{} (an empty message over a socket)", trips.join(", ")))?;
    }
    let client = |arm: &ArmSummary| {
        let (each, share) = (time(arm.client_cpu_ns_per_select?), percent(arm.client_cpu_share?));
        Some(format!("{} {each} ({share})", arm.name))
    };
    let clients: Vec<String> = wire(summary).filter_map(client).collect();
    if !clients.is_empty() {
        line(out, "client CPU", format_args!("{} a select (of its time)", clients.join(", ")))?;
    }
    let missing: Vec<String> = summary
        .arms
        .iter()
        .filter_map(|arm| Some((arm, arm.selects - arm.found?)))
        .filter(|(_, missing)| *missing != 0)
        .map(|(arm, missing)| format!("{} {}", arm.name, count(missing as f64)))
        .collect();
    line(out, "not found", if missing.is_empty() { "0".into() } else { missing.join(", ") })?;
    for answer in &summary.expectations {
        line(out, "expected", verdict(answer))?;
    }
    if let Some(precision) = summary.precision {
        line(out, "precision", format_args!("±{} (wanted ±{})", percent(precision), percent(summary.plan.half_width)))?;
    }
    for warning in &summary.warnings {
        line(out, "warning", warning)?;
    }
    match &summary.record {
        Some(record) => line(out, "record", record),
        None => Ok(()),
    }
}

fn verdict(answer: &Answer) -> String {
    let seen = match (answer.ratio, answer.low) {
        (None, _) => "no round of both".into(),
        (Some(found), None) => format!("{}, too few rounds for an interval", ratio(found)),
        (Some(found), Some(_)) => {
            let confidence = format!("{:.1}", answer.confidence * 100.0);
            let confidence = confidence.trim_end_matches(".0");
            format!("{}, {confidence} % interval {}", ratio(found), range(answer.low, answer.high, ratio))
        }
    };
    format!("{}: {} ({seen})", answer.expectation, answer.verdict.name())
}

fn wire(summary: &Summary) -> impl Iterator<Item = &ArmSummary> {
    summary.arms.iter().filter(|arm| arm.side != Side::Server)
}

fn ratio_cells(found: &Comparison) -> (String, String) {
    (ratio(found.ratio), range(found.low, found.high, ratio))
}

pub(super) fn grid<const N: usize>(header: [&str; N]) -> Grid {
    let mut grid = Grid::new();
    grid.load_preset(presets::NOTHING).set_header(header);
    grid
}

/// The grid without the blanks that fill its lines.
pub(super) fn lines(grid: Grid) -> String {
    grid.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Numbers to the right, from column `first` on; no padding left of the first column.
pub(super) fn align(grid: &mut Grid, first: usize) {
    for (at, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 0 } else { 2 }, 0));
        if at >= first {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}
