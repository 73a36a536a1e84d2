//! Selects per second of every arm; of several records side by side.

use std::io::Result;

use super::{Part, Records, axis, tick};
use crate::record::{ArmSummary, Side};
use crate::report::chart::{Axis, Bar, Frame, bars};
use crate::report::document::{Chart, Sheet};
use crate::report::number::{count, range, time};
use crate::report::percent;

pub fn parts(records: &Records<'_>) -> Result<Vec<Part>> {
    let shown = shown(records);
    if shown.is_empty() {
        return Ok(vec![Part::Text("No block was finished.".into())]);
    }
    let which =
        if records.several() { "of each record, A above B and so on" } else { "wire arms and layers in two colours" };
    let caption = format!("Selects per second with 95 % intervals; {which}. A control looks nothing up.");
    Ok(vec![Part::Chart(Chart { caption, svg: chart(&shown)?, numbers: table(records, &shown) })])
}

/// An arm of a record.
struct Shown<'a> {
    name: String,
    record: &'a str,
    kind: usize,
    arm: &'a ArmSummary,
}

/// Every arm of every record, like names together, in the order of the first record that has them.
fn shown<'a>(records: &'a Records<'_>) -> Vec<Shown<'a>> {
    let mut names: Vec<&str> = Vec::new();
    for arm in records.iter().flat_map(|(_, report)| &report.summary.arms) {
        if !names.contains(&arm.name.as_str()) {
            names.push(&arm.name);
        }
    }
    let mut shown = Vec::new();
    for name in names {
        for (at, (record, report)) in records.iter().enumerate() {
            for arm in report.summary.arms.iter().filter(|arm| arm.name == name) {
                let several = records.several();
                let kind = if several { at } else { usize::from(arm.side == Side::Server) };
                let name = if several { format!("{name} {record}") } else { name.to_owned() };
                shown.push(Shown { name, record, kind, arm });
            }
        }
    }
    shown
}

fn chart(shown: &[Shown<'_>]) -> Result<String> {
    let bar = |shown: &Shown<'_>| Bar {
        name: "",
        value: shown.arm.sps,
        text: count(shown.arm.sps),
        interval: shown.arm.sps_low.zip(shown.arm.sps_high),
        shared: None,
        kind: shown.kind,
    };
    // controls would squeeze what is measured into a corner
    let measured: Vec<&Shown<'_>> = shown.iter().filter(|shown| !shown.arm.control).collect();
    let measured = if measured.is_empty() { shown.iter().collect() } else { measured };
    let all: Vec<Bar<'_>> = measured.iter().map(|shown| Bar { name: &shown.name, ..bar(shown) }).collect();
    let x = axis::of_bars("selects/s", tick::count, measured.iter().map(|shown| shown.arm.sps));
    let y = Axis::linear("", tick::plain);
    let about = "Bars with intervals; the table beneath has the numbers";
    bars(&Frame { title: "Selects per second", about, x, y, level: None }, &all)
}

fn table(records: &Records<'_>, shown: &[Shown<'_>]) -> Sheet {
    let columns = [
        "arm",
        "record",
        "#selects/s",
        "#95 % interval",
        "#time/select",
        "#95 % interval",
        "#blocks",
        "#selects",
        "#not found",
        "#client CPU",
        "course",
        "#outliers",
    ];
    let mut sheet = Sheet::new(&columns);
    for Shown { record, arm, .. } in shown {
        let missing = arm.found.map(|found| count((arm.selects - found) as f64));
        sheet.row([
            arm.name.clone(),
            (*record).to_owned(),
            count(arm.sps),
            range(arm.sps_low, arm.sps_high, count),
            time(arm.ns_per_select),
            range(arm.ns_low, arm.ns_high, time),
            count(arm.blocks as f64),
            count(arm.selects as f64),
            missing.unwrap_or_default(),
            arm.client_cpu_share.filter(|_| arm.side != Side::Server).map(percent).unwrap_or_default(),
            arm.course.about().split(':').next().unwrap_or_default().to_owned(),
            count(arm.outliers as f64),
        ]);
    }
    if records.several() { sheet } else { sheet.without(1) }
}
