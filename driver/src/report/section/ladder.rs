//! The ladder: what every rung takes, and what each step down saves.

use std::io::Result;

use super::{Part, Records, axis, tick};
use crate::record::{ArmSummary, Side, Summary};
use crate::report::chart::{Axis, Bar, Frame, bars};
use crate::report::document::{Chart, Sheet};
use crate::report::ladder::UNCLEAR;
use crate::report::number::{range, signed, time};

const CAPTION: &str = "Time per select of every rung, logarithmic. The strong part of a bar is the step: what the rung takes more than \
                       the next one down (of an arm over two cores, than itself on one). Wire arms and layers in two colours.";

const LEGEND: &str = "Less control: wire arms less sync in their placement, which is what the server adds to a round trip; layers less \
                      keys, heap_tid and buffer less empty. Nothing stands where a control is no part of the arm.";

pub fn parts(records: &Records<'_>) -> Result<Vec<Part>> {
    records.each(|report| {
        let summary = &report.summary;
        if summary.steps.is_empty() {
            return Ok(Vec::new());
        }
        let chart = Chart { caption: CAPTION.into(), svg: chart(summary)?, numbers: table(summary) };
        Ok(vec![Part::Chart(chart), Part::Text(LEGEND.into())])
    })
}

fn rungs(summary: &Summary) -> impl Iterator<Item = &ArmSummary> {
    summary.arms.iter().filter(|arm| !arm.control)
}

fn chart(summary: &Summary) -> Result<String> {
    let next = |arm: &ArmSummary| {
        let step = summary.steps.iter().find(|step| step.from == arm.name)?;
        summary.arms.iter().find(|below| below.name == step.to)
    };
    let bar = |arm: &'_ ArmSummary| (arm.ns_per_select, next(arm).map(|below| below.ns_per_select));
    let shown: Vec<Bar<'_>> = rungs(summary)
        .map(|arm| {
            let (value, shared) = bar(arm);
            Bar {
                name: &arm.name,
                value,
                text: time(value),
                interval: arm.ns_low.zip(arm.ns_high),
                // a step that saves nothing has no part of the bar
                shared: shared.map(|below| below.min(value)),
                kind: usize::from(arm.side == Side::Server),
            }
        })
        .collect();
    let least = rungs(summary).map(|arm| arm.ns_per_select).fold(f64::INFINITY, f64::min);
    let x = axis::logarithmic("time per select, logarithmic", tick::time, least);
    let y = Axis::linear("", tick::plain);
    let about = "Bars from the wire down to the buffer; the table beneath has times and steps";
    bars(&Frame { title: "The ladder", about, x, y, level: None }, &shown)
}

pub fn table(summary: &Summary) -> Sheet {
    let columns = [
        "rung",
        "#time/select",
        "#95 % interval",
        "#less control",
        "#step down",
        "#95 % interval",
        "what the step leaves out",
    ];
    let mut sheet = Sheet::new(&columns);
    for arm in rungs(summary) {
        let net = summary.nets.iter().find(|net| net.arm == arm.name).map(|net| signed(net.difference.ns));
        let mut row = vec![
            arm.name.clone(),
            time(arm.ns_per_select),
            range(arm.ns_low, arm.ns_high, time),
            net.unwrap_or_default(),
        ];
        if let Some(step) = summary.steps.iter().find(|step| step.from == arm.name) {
            let found = &step.difference;
            let doubt = if found.clear == Some(false) { UNCLEAR } else { "" };
            row.extend([signed(found.ns), range(found.low, found.high, signed), format!("{doubt}{}", step.about)]);
        }
        sheet.row(row);
    }
    sheet
}
