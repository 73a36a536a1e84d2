//! The latencies below the table of arms.

use std::io::{Result, Write};

use super::number::{count, time};
use super::table::{align, grid, line, lines};
use crate::record::{ArmSummary, Latency, Summary, Unit};

/// A row an arm; nothing where no arm tells its latencies.
pub fn write(summary: &Summary, out: &mut dyn Write) -> Result<()> {
    let told: Vec<(&ArmSummary, &Latency)> =
        summary.arms.iter().filter_map(|arm| Some((arm, arm.latency.as_ref()?))).collect();
    if told.is_empty() {
        return Ok(());
    }
    let mut grid = grid(["latency", "of a", "mean", "stddev", "p50", "p90", "p95", "p99", "p99.9", "max"]);
    for (arm, latency) in &told {
        let ns = |value: u64| time(value as f64);
        grid.add_row([
            arm.name.clone(),
            latency.unit.name().into(),
            time(latency.mean_ns),
            time(latency.stddev_ns),
            ns(latency.p50_ns),
            ns(latency.p90_ns),
            ns(latency.p95_ns),
            ns(latency.p99_ns),
            ns(latency.p999_ns),
            ns(latency.max_ns),
        ]);
    }
    align(&mut grid, 2);
    writeln!(out, "{}\n", lines(grid))?;
    if told.iter().any(|(_, latency)| latency.unit == Unit::Call) {
        let size = count(summary.plan.selects_per_call as f64);
        line(out, "call", format_args!("{size} selects: its latency is no select's"))?;
    }
    Ok(())
}
