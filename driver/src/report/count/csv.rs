//! CSV: a row an arm, its function columns empty, then a row for each of its functions.

use std::io::{Result, Write};

use super::Named;
use crate::record::{Count, CountedArm, CountedFunction};

const COLUMNS: [&str; 19] = [
    "record",
    "started",
    "server_version_num",
    "relation",
    "rows",
    "method",
    "counted_by",
    "selects",
    "seed",
    "arm",
    "side",
    "instructions_per_select",
    "harness_share",
    "ratio_to_reference",
    "function",
    "module",
    "self",
    "inclusive",
    "calls",
];

pub fn write(counts: &[Named], out: &mut dyn Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for (name, count) in counts {
        for arm in &count.arms {
            writer.write_record(row(name, count, arm, None))?;
            for function in &arm.functions {
                writer.write_record(row(name, count, arm, Some(function)))?;
            }
        }
    }
    writer.flush()
}

fn row(name: &str, count: &Count, arm: &CountedArm, function: Option<&CountedFunction>) -> [String; COLUMNS.len()] {
    let reference = count.arm(&count.reference).map(|reference| reference.instructions_per_select);
    let ratio = reference.map(|reference| (arm.instructions_per_select / reference).to_string());
    let of = |part: fn(&CountedFunction) -> String| function.map(part).unwrap_or_default();
    [
        name.to_owned(),
        count.started.clone(),
        count.server.version_num.to_string(),
        count.dataset.relation.clone(),
        count.dataset.rows.to_string(),
        count.method.name().to_owned(),
        count.counted_by.clone(),
        count.selects.to_string(),
        count.seed.to_string(),
        arm.name.clone(),
        arm.side.name().to_owned(),
        arm.instructions_per_select.to_string(),
        arm.harness_share.map(|share| share.to_string()).unwrap_or_default(),
        ratio.unwrap_or_default(),
        of(|function| function.name.clone()),
        of(|function| function.module.clone()),
        of(|function| function.own.to_string()),
        of(|function| function.inclusive.map(|inclusive| inclusive.to_string()).unwrap_or_default()),
        of(|function| function.calls.to_string()),
    ]
}
