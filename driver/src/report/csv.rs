//! CSV: a row an arm and comparison; an arm that is compared with nothing has one row with an empty base. What a ladder
//! knows of an arm beside that (the step to the next rung, the time without its control) is in columns of their own.

use std::io::{Result, Write};

use super::{Format, Report};
use crate::record::{Answer, ArmSummary, Comparison, Summary};

pub struct Csv;

const COLUMNS: [&str; 53] = [
    "record",
    "started",
    "command",
    "status",
    "server_version_num",
    "transport",
    "relation",
    "scale",
    "rows",
    "clients",
    "threads",
    "seed",
    "arm",
    "placement",
    "side",
    "sps",
    "sps_low",
    "sps_high",
    "ns_per_select",
    "ns_low",
    "ns_high",
    "blocks",
    "selects",
    "found",
    "base",
    "ratio",
    "ratio_low",
    "ratio_high",
    "rounds",
    "step_to",
    "step_ns",
    "step_low",
    "step_high",
    "control",
    "net_ns",
    "net_low",
    "net_high",
    "latency_unit",
    "latency_count",
    "latency_mean_ns",
    "latency_stddev_ns",
    "latency_p50_ns",
    "latency_p90_ns",
    "latency_p95_ns",
    "latency_p99_ns",
    "latency_p999_ns",
    "latency_max_ns",
    "latency_late",
    "latency_skipped",
    "lag_mean_ns",
    "lag_max_ns",
    "expected",
    "verdict",
];

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn write(&self, reports: &[Report], out: &mut dyn Write) -> Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS)?;
        for Report { summary, .. } in reports {
            for arm in &summary.arms {
                let mut compared = summary.comparisons.iter().filter(|found| found.test == arm.name).peekable();
                if compared.peek().is_none() {
                    writer.write_record(row(summary, arm, None))?;
                }
                for found in compared {
                    writer.write_record(row(summary, arm, Some(found)))?;
                }
            }
        }
        writer.flush()
    }
}

fn row(summary: &Summary, arm: &ArmSummary, found: Option<&Comparison>) -> [String; COLUMNS.len()] {
    let float = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let natural = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    let latency = arm.latency.as_ref();
    let step = summary.steps.iter().find(|step| step.from == arm.name);
    let net = summary.nets.iter().find(|net| net.arm == arm.name);
    // several bounds of one ratio share a cell
    let answered = |part: &dyn Fn(&Answer) -> String| {
        let base = found.map(|found| found.base.as_str());
        let of =
            |answer: &&Answer| answer.expectation.test == arm.name && Some(answer.expectation.base.as_str()) == base;
        summary.expectations.iter().filter(of).map(part).collect::<Vec<_>>().join("; ")
    };
    let int = |value: Option<i64>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        summary.record.clone().unwrap_or_default(),
        summary.started.clone(),
        summary.command.clone(),
        summary.status.name().into(),
        summary.server.version_num.to_string(),
        summary.server.transport.clone(),
        summary.dataset.relation.clone(),
        int(summary.dataset.scale),
        summary.dataset.rows.to_string(),
        summary.plan.clients.to_string(),
        summary.plan.threads.to_string(),
        summary.plan.seed.to_string(),
        arm.name.clone(),
        arm.placement.to_string(),
        arm.side.name().into(),
        float(Some(arm.sps)),
        float(arm.sps_low),
        float(arm.sps_high),
        float(Some(arm.ns_per_select)),
        float(arm.ns_low),
        float(arm.ns_high),
        arm.blocks.to_string(),
        arm.selects.to_string(),
        int(arm.found),
        found.map(|found| found.base.clone()).unwrap_or_default(),
        float(found.map(|found| found.ratio)),
        float(found.and_then(|found| found.low)),
        float(found.and_then(|found| found.high)),
        found.map(|found| found.rounds.to_string()).unwrap_or_default(),
        step.map(|step| step.to.clone()).unwrap_or_default(),
        float(step.map(|step| step.difference.ns)),
        float(step.and_then(|step| step.difference.low)),
        float(step.and_then(|step| step.difference.high)),
        net.map(|net| net.control.clone()).unwrap_or_default(),
        float(net.map(|net| net.difference.ns)),
        float(net.and_then(|net| net.difference.low)),
        float(net.and_then(|net| net.difference.high)),
        latency.map(|latency| latency.unit.name().to_owned()).unwrap_or_default(),
        natural(latency.map(|latency| latency.count)),
        float(latency.map(|latency| latency.mean_ns)),
        float(latency.map(|latency| latency.stddev_ns)),
        natural(latency.map(|latency| latency.p50_ns)),
        natural(latency.map(|latency| latency.p90_ns)),
        natural(latency.map(|latency| latency.p95_ns)),
        natural(latency.map(|latency| latency.p99_ns)),
        natural(latency.map(|latency| latency.p999_ns)),
        natural(latency.map(|latency| latency.max_ns)),
        natural(latency.and_then(|latency| latency.late)),
        natural(latency.and_then(|latency| latency.skipped)),
        float(latency.and_then(|latency| latency.lag_mean_ns)),
        natural(latency.and_then(|latency| latency.lag_max_ns)),
        answered(&|answer| format!("{} {}", answer.expectation.relation.sign(), answer.expectation.bound)),
        answered(&|answer| answer.verdict.name().into()),
    ]
}
