//! What the honesty gates saw.

use super::{Part, Records};
use crate::report::document::Sheet;
use crate::report::number::count;

const ABOUT: &str = "Untimed selects at each epoch's start, the same for every arm: found and checksum agreed, the plan was an index scan \
                     on the key, and the index was scanned once a lookup; else the run would have stopped. Empty: not checked there, \
                     as in layers, where the extension checks every call.";

pub fn parts(records: &Records<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    let columns = [
        "arm",
        "record",
        "#selects",
        "#found",
        "#checksum",
        "#scans of the index",
        "#generic plans",
        "#custom plans",
        "plan",
    ];
    let mut sheet = Sheet::new(&columns);
    let number = |value: Option<i64>| value.map(|value| count(value as f64)).unwrap_or_default();
    for (letter, report) in records.iter() {
        for (arm, gates) in &report.gates {
            sheet.row([
                arm.clone(),
                letter.to_owned(),
                count(gates.selects as f64),
                number(gates.found),
                gates.checksum.map(|sum| sum.to_string()).unwrap_or_default(),
                number(gates.scans),
                number(gates.generic_plans),
                number(gates.custom_plans),
                gates.plan.clone().unwrap_or_default(),
            ]);
        }
    }
    if !sheet.rows.is_empty() {
        parts.push(Part::Text(ABOUT.into()));
        parts.push(Part::Table(if records.several() { sheet } else { sheet.without(1) }));
    }
    parts
}
