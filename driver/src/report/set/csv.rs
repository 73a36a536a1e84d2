//! CSV: a row for each kind of run of each set.

use std::io::{Result, Write};

use super::{Point, SetFormat, SetReport};
use crate::arm::Placement;

pub struct Csv;

const COLUMNS: [&str; 35] = [
    "set",
    "name",
    "started",
    "host",
    "server_version_num",
    "transport",
    "workload",
    "kind",
    "arm",
    "protocol",
    "placement",
    "scale",
    "clients",
    "threads",
    "rate",
    "unit",
    "repeats",
    "mean",
    "median",
    "sd",
    "cv",
    "low",
    "high",
    "min",
    "max",
    "failed",
    "latency_mean_ns",
    "latency_stddev_ns",
    "latency_p50_ns",
    "latency_p90_ns",
    "latency_p95_ns",
    "latency_p99_ns",
    "latency_p999_ns",
    "latency_max_ns",
    "latency_late",
];

impl SetFormat for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn write(&self, reports: &[SetReport], out: &mut dyn Write) -> Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS)?;
        for report in reports {
            for point in &report.points {
                writer.write_record(row(report, point))?;
            }
        }
        writer.flush()
    }
}

fn row(report: &SetReport, point: &Point) -> [String; 35] {
    let (set, key, rate) = (&report.set, &point.key, &point.per_second);
    let latency = point.latency.as_ref();
    [
        set.id.to_string(),
        set.name.clone(),
        set.started.clone(),
        set.host.hostname.clone(),
        key.server_version_num.to_string(),
        key.transport.clone(),
        key.workload.clone(),
        key.kind.name().into(),
        key.arm.clone().unwrap_or_default(),
        key.protocol.clone().unwrap_or_default(),
        key.placement.map_or("", Placement::name).into(),
        given(key.scale),
        key.clients.to_string(),
        key.threads.to_string(),
        given(key.rate),
        key.unit.name().into(),
        rate.n.to_string(),
        rate.mean.to_string(),
        rate.median.to_string(),
        given(rate.sd),
        given(rate.cv),
        given(rate.low),
        given(rate.high),
        rate.min.to_string(),
        rate.max.to_string(),
        given(point.failed),
        given(latency.map(|all| all.mean_ns)),
        given(latency.map(|all| all.stddev_ns)),
        given(latency.map(|all| all.p50_ns)),
        given(latency.map(|all| all.p90_ns)),
        given(latency.map(|all| all.p95_ns)),
        given(latency.map(|all| all.p99_ns)),
        given(latency.map(|all| all.p999_ns)),
        given(latency.map(|all| all.max_ns)),
        given(latency.and_then(|all| all.late)),
    ]
}

/// Empty where there is nothing.
fn given(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
