//! pgbench's lines, for eyes and scripts that know them: what `sps run` prints. What pgbench has no line for follows them.

use std::io::{Result, Write};

use super::{Format, Report};
use crate::arm::pgbench::protocol;
use crate::record::{ArmSummary, Latency, Plan, Side, Summary};

/// What the command line asks for beside the lines that are always there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pgbench {
    /// The latencies' standard deviation, which pgbench prints where it took single times: with a rate, a limit, progress.
    pub deviation: bool,
    /// -r: what each statement takes. There is one; drawing its key is no statement of its own here.
    pub statements: bool,
}

impl Pgbench {
    pub const PLAIN: Self = Self { deviation: false, statements: false };
}

impl Format for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn for_people(&self) -> bool {
        true
    }

    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()> {
        for Report { summary, .. } in reports {
            for arm in &summary.arms {
                self.theirs(summary, arm, out)?;
                ours(&summary.plan, arm, out)?;
                if self.statements {
                    statement(summary, arm, out)?;
                }
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

fn statement(summary: &Summary, arm: &ArmSummary, out: &mut dyn Write) -> Result<()> {
    let data = &summary.dataset;
    let statement = match arm.side {
        Side::Server => format!("call of layer {}", arm.arm),
        _ => format!("SELECT {} FROM {} WHERE {} = :key;", data.value, data.relation, data.key),
    };
    let mean = latency_ms(&summary.plan, arm);
    writeln!(out, "statement latencies in milliseconds and failures:\n  {mean:11.3}  {:10} {statement}", 0)
}

impl Pgbench {
    /// In the order of pgbench's printResults(). Its transaction is a select here, and a call of a layer.
    fn theirs(&self, summary: &Summary, arm: &ArmSummary, out: &mut dyn Write) -> Result<()> {
        let (dataset, plan) = (&summary.dataset, &summary.plan);
        let server = summary.server.version.split(" on ").next().unwrap_or_default();
        let server = server.trim_start_matches("PostgreSQL ");
        writeln!(out, "sps ({}, server {server})", summary.tool.version)?;
        writeln!(out, "transaction type: {}", kind(arm))?;
        match dataset.scale {
            Some(scale) => writeln!(out, "scaling factor: {scale}")?,
            None => writeln!(out, "table: {} ({} keys)", dataset.relation, dataset.rows)?,
        }
        writeln!(out, "query mode: {}", mode(arm))?;
        writeln!(out, "number of clients: {}", plan.clients)?;
        writeln!(out, "number of threads: {}", plan.threads)?;
        writeln!(out, "maximum number of tries: 1")?;
        match (plan.per_client, plan.max_rounds) {
            (Some(units), _) => writeln!(out, "number of transactions per client: {units}")?,
            (None, Some(rounds)) => writeln!(out, "duration: {} s", (rounds * plan.block_ms) as f64 / 1e3)?,
            (None, None) => {}
        }
        let done = transactions(plan, arm);
        let wanted = plan.per_client.map(|units| format!("/{}", units * plan.clients as u64)).unwrap_or_default();
        writeln!(out, "number of transactions actually processed: {done}{wanted}")?;
        writeln!(out, "number of failed transactions: 0 (0.000%)")?;
        let average = latency_ms(plan, arm);
        match &arm.latency {
            Some(latency) if self.deviation || plan.rate.is_some() || plan.latency_limit_ms.is_some() => {
                paced(plan, latency, out)?
            }
            _ => writeln!(out, "latency average = {average:.3} ms")?,
        }
        if let Some(ns) = arm.connect_ns {
            writeln!(out, "initial connection time = {:.3} ms", ns / 1e6)?;
        }
        // pgbench divides all by all
        let tps = per_second(arm, done);
        writeln!(out, "tps = {tps:.6} (without initial connection time)")
    }
}

/// What single times tell, and --rate and --latency-limit.
fn paced(plan: &Plan, latency: &Latency, out: &mut dyn Write) -> Result<()> {
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    if let Some(skipped) = latency.skipped {
        let share = share(skipped, latency.count + skipped);
        writeln!(out, "number of transactions skipped: {skipped} ({share:.3}%)")?;
    }
    if let (Some(limit), Some(late)) = (plan.latency_limit_ms, latency.late) {
        let (count, share) = (latency.count, share(late, latency.count));
        writeln!(out, "number of transactions above the {limit:.1} ms latency limit: {late}/{count} ({share:.3}%)")?;
    }
    writeln!(out, "latency average = {:.3} ms", latency.mean_ns / 1e6)?;
    writeln!(out, "latency stddev = {:.3} ms", latency.stddev_ns / 1e6)?;
    if let (Some(mean), Some(max)) = (latency.lag_mean_ns, latency.lag_max_ns) {
        writeln!(out, "rate limit schedule lag: avg {:.3} (max {:.3}) ms", mean / 1e6, max as f64 / 1e6)?;
    }
    Ok(())
}

fn ours(plan: &Plan, arm: &ArmSummary, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "selects per second = {:.6} (without initial connection time)", per_second(arm, arm.selects))?;
    if let (Some(low), Some(high)) = (arm.sps_low, arm.sps_high) {
        writeln!(out, "typical selects per second = {:.0} (95% interval {low:.0} to {high:.0})", arm.sps)?;
    }
    if let Some(latency) = &arm.latency {
        let ms = |ns: u64| ns as f64 / 1e6;
        writeln!(
            out,
            "latency of a {}: stddev {:.3}, p50 {:.3}, p90 {:.3}, p95 {:.3}, p99 {:.3}, p99.9 {:.3}, max {:.3} ms",
            latency.unit.name(),
            latency.stddev_ns / 1e6,
            ms(latency.p50_ns),
            ms(latency.p90_ns),
            ms(latency.p95_ns),
            ms(latency.p99_ns),
            ms(latency.p999_ns),
            ms(latency.max_ns),
        )?;
    }
    if arm.side == Side::Server {
        writeln!(out, "number of selects per call: {}", plan.selects_per_call)?;
    }
    if let Some(found) = arm.found {
        let missing = arm.selects - found;
        let share = 100.0 * missing as f64 / arm.selects.max(1) as f64;
        writeln!(out, "number of selects that found no row: {missing} ({share:.3}%)")?;
    }
    writeln!(out, "placement: {}", arm.placement)
}

/// As pgbench without a rate: by the clients' time, which also the pgbench arm tells.
fn latency_ms(plan: &Plan, arm: &ArmSummary) -> f64 {
    match &arm.latency {
        Some(latency) => latency.mean_ns / 1e6,
        None => plan.clients as f64 * arm.ns_per_select / 1e6,
    }
}

fn per_second(arm: &ArmSummary, count: i64) -> f64 {
    count as f64 * 1e9 / arm.elapsed_ns.max(1) as f64
}

fn transactions(plan: &Plan, arm: &ArmSummary) -> i64 {
    match arm.side {
        Side::Server => arm.selects / plan.selects_per_call.max(1),
        Side::Wire | Side::Pgbench => arm.selects,
    }
}

fn kind(arm: &ArmSummary) -> String {
    match arm.side {
        Side::Wire => "<builtin: select only>".into(),
        Side::Pgbench => "<pgbench itself: select only>".into(),
        Side::Server => format!("<layer: {}>", arm.arm),
    }
}

/// pgbench's -M; a layer sends no selects, and pgbench's own arms have one each.
fn mode(arm: &ArmSummary) -> &str {
    match arm.side {
        Side::Wire => &arm.arm,
        Side::Pgbench => protocol(&arm.arm).unwrap_or("prepared"),
        Side::Server => "none",
    }
}
