//! The headline: how many times as many selects an arm does as another.

use std::io::Result;

use super::{Part, Records, axis, tick};
use crate::record::{Comparison, Summary};
use crate::report::chart::{Axis, Bar, Frame, bars};
use crate::report::document::{Chart, Sheet};
use crate::report::number::{self, range};

pub fn parts(records: &Records<'_>) -> Result<Vec<Part>> {
    records.each(|report| {
        let summary = &report.summary;
        if summary.comparisons.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Part::Chart(Chart { caption: caption(summary), svg: chart(summary)?, numbers: table(summary) })])
    })
}

fn caption(summary: &Summary) -> String {
    format!(
        "Selects per second as a multiple of {}'s, with 95 % intervals: above 1 is faster. Paired by round: what slows both \
         arms down at a time does not count.",
        summary.reference
    )
}

fn chart(summary: &Summary) -> Result<String> {
    let name = |found: &Comparison| match found.base == summary.reference {
        true => found.test.clone(),
        false => format!("{} / {}", found.test, found.base),
    };
    // how much faster an empty loop is says nothing
    let control = |name: &str| summary.arms.iter().any(|arm| arm.name == name && arm.control);
    let measured = summary.comparisons.iter().filter(|found| !control(&found.test));
    let named: Vec<(String, &Comparison)> = measured.map(|found| (name(found), found)).collect();
    let shown: Vec<Bar<'_>> = named
        .iter()
        .map(|(name, found)| Bar {
            name,
            value: found.ratio,
            text: number::ratio(found.ratio),
            interval: found.low.zip(found.high),
            shared: None,
            kind: usize::from(found.base != summary.reference),
        })
        .collect();
    let label = format!("ratio to {}", summary.reference);
    let x = axis::of_bars(&label, tick::count, shown.iter().map(|bar| bar.value));
    let title = format!("Ratios to {}", summary.reference);
    let y = Axis::linear("", tick::plain);
    bars(
        &Frame { title: &title, about: "Bars with intervals; the table beneath has the numbers", x, y, level: None },
        &shown,
    )
}

pub fn table(summary: &Summary) -> Sheet {
    let columns =
        ["arm", "compared with", "#ratio", "#95 % interval", "interval by", "#rounds", "#ratio of totals", "noise"];
    let mut sheet = Sheet::new(&columns);
    for found in &summary.comparisons {
        sheet.row([
            found.test.clone(),
            found.base.clone(),
            number::ratio(found.ratio),
            range(found.low, found.high, number::ratio),
            found.interval.clone().unwrap_or_else(|| "too few rounds".into()),
            found.rounds.to_string(),
            number::ratio(found.total_ratio),
            noise(found),
        ]);
    }
    sheet
}

/// What the intervals had to bear.
fn noise(found: &Comparison) -> String {
    let said = [(found.skewed, "skewed"), (found.dependent, "rounds depend on the one before")];
    said.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect::<Vec<_>>().join(", ")
}
