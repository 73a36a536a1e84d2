//! CSV: a row an arm and comparison; an arm that is compared with nothing has one row with an empty base.

use std::io::{Result, Write};

use super::Format;
use crate::record::{ArmSummary, Comparison, Summary};

pub struct Csv;

const COLUMNS: [&str; 29] = [
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
];

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn write(&self, summaries: &[Summary], out: &mut dyn Write) -> Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS)?;
        for summary in summaries {
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
    ]
}
