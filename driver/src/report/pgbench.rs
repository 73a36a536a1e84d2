//! pgbench's lines, for eyes and scripts that know them: what `sps run` prints.

use std::io::{Result, Write};

use super::{Format, Report};
use crate::record::{ArmSummary, Side, Summary};

pub struct Pgbench;

impl Format for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()> {
        for Report { summary, .. } in reports {
            for arm in &summary.arms {
                one(summary, arm, out)?;
            }
            for warning in &summary.warnings {
                writeln!(out, "warning: {warning}")?;
            }
            if let Some(record) = &summary.record {
                writeln!(out, "record: {record}")?;
            }
        }
        Ok(())
    }
}

fn one(summary: &Summary, arm: &ArmSummary, out: &mut dyn Write) -> Result<()> {
    let (dataset, plan) = (&summary.dataset, &summary.plan);
    writeln!(out, "transaction type: {}", kind(arm))?;
    match dataset.scale {
        Some(scale) => writeln!(out, "scaling factor: {scale}")?,
        None => writeln!(out, "table: {} ({} keys)", dataset.relation, dataset.rows)?,
    }
    writeln!(out, "query mode: {}", mode(arm))?;
    writeln!(out, "number of clients: {}", plan.clients)?;
    writeln!(out, "number of threads: {}", plan.threads)?;
    writeln!(out, "placement: {}", arm.placement)?;
    if arm.side == Side::Server {
        writeln!(out, "number of selects per call: {}", plan.selects_per_call)?;
    }
    writeln!(out, "number of selects actually processed: {}", arm.selects)?;
    if let Some(found) = arm.found {
        let missing = arm.selects - found;
        let share = 100.0 * missing as f64 / arm.selects.max(1) as f64;
        writeln!(out, "number of selects that found no row: {missing} ({share:.3}%)")?;
    }
    let latency_ms = plan.clients as f64 * arm.ns_per_select / 1e6;
    writeln!(out, "latency average = {latency_ms:.6} ms")?;
    if let Some(calls) = arm.calls_per_second {
        writeln!(out, "calls per second = {calls:.6}")?;
    }
    writeln!(out, "selects per second = {:.6} (without initial connection time)", arm.sps)?;
    if let (Some(low), Some(high)) = (arm.sps_low, arm.sps_high) {
        writeln!(out, "95% interval of selects per second = {low:.0} to {high:.0}")?;
    }
    Ok(())
}

fn kind(arm: &ArmSummary) -> String {
    match arm.side {
        Side::Wire | Side::Pgbench => "select only, over the wire".into(),
        Side::Server => format!("select only, loop in the server (layer {})", arm.arm),
    }
}

/// pgbench's -M; a layer sends no selects, and the `pgbench` arm runs prepared.
fn mode(arm: &ArmSummary) -> &str {
    match arm.side {
        Side::Wire => &arm.arm,
        Side::Pgbench => "prepared (pgbench itself)",
        Side::Server => "none",
    }
}
