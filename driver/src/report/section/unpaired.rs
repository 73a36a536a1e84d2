//! Two records against each other, arm by arm.

use std::io::Result;

use super::{Part, axis, tick};
use crate::report::chart::{Axis, Bar, Frame, bars};
use crate::report::document::{Chart, Sheet};
use crate::report::number::{count, range, ratio};
use crate::report::unpaired::Unpaired;

pub fn parts(found: &Unpaired) -> Result<Vec<Part>> {
    let caption = format!(
        "Selects per second of each arm in record B as a multiple of what it has in record A, with Welch's 95 % intervals \
         over epochs: above 1 is faster in B ({}) than in A ({}). Unpaired: the records were measured apart, so what else \
         changed between the two runs is in the ratios, too.",
        found.test, found.base
    );
    let mut parts = vec![Part::Chart(Chart { caption, svg: chart(found)?, numbers: table(found) })];
    if !found.warnings.is_empty() {
        parts.push(Part::Warnings(found.warnings.clone()));
    }
    Ok(parts)
}

fn chart(found: &Unpaired) -> Result<String> {
    let shown: Vec<Bar<'_>> = found
        .arms
        .iter()
        .map(|arm| Bar {
            name: &arm.arm,
            value: arm.ratio,
            text: ratio(arm.ratio),
            interval: arm.low.zip(arm.high),
            shared: None,
            kind: 1,
        })
        .collect();
    let x = axis::of_bars("unpaired ratio, B to A", tick::count, shown.iter().map(|bar| bar.value));
    let (title, y) = ("Unpaired ratios of record B to record A", Axis::linear("", tick::plain));
    bars(&Frame { title, about: "Bars with intervals; the table beneath has the numbers", x, y, level: None }, &shown)
}

fn table(found: &Unpaired) -> Sheet {
    let columns =
        ["arm", "#selects/s in A", "#selects/s in B", "#unpaired ratio", "#95 % interval", "#epochs in A", "#in B"];
    let mut sheet = Sheet::new(&columns);
    for arm in &found.arms {
        sheet.row([
            arm.arm.clone(),
            count(arm.base_sps),
            count(arm.test_sps),
            ratio(arm.ratio),
            range(arm.low, arm.high, ratio),
            arm.base_epochs.to_string(),
            arm.test_epochs.to_string(),
        ]);
    }
    sheet
}
