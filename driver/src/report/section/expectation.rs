//! What the run was expected to show, and what became of it.

use super::{Part, Records};
use crate::record::Answer;
use crate::report::document::Sheet;
use crate::report::number::{range, ratio};

const ABOUT: &str = "A verdict is from the whole interval: confirmed or refuted where all of it lies on one side of the bound, else \
                     inconclusive. Several verdicts share the 5 % among them (Bonferroni).";

pub fn parts(records: &Records<'_>) -> Vec<Part> {
    let columns = ["expected", "record", "verdict", "#ratio", "#interval", "#confidence", "#rounds"];
    let mut sheet = Sheet::new(&columns);
    for (letter, report) in records.iter() {
        for answer in &report.summary.expectations {
            sheet.row(row(letter, answer));
        }
    }
    if sheet.rows.is_empty() {
        return Vec::new();
    }
    vec![Part::Text(ABOUT.into()), Part::Table(if records.several() { sheet } else { sheet.without(1) })]
}

fn row(letter: &str, answer: &Answer) -> [String; 7] {
    [
        answer.expectation.to_string(),
        letter.to_owned(),
        answer.verdict.name().into(),
        answer.ratio.map(ratio).unwrap_or_default(),
        range(answer.low, answer.high, ratio),
        format!("{:.2} %", answer.confidence * 100.0),
        answer.rounds.to_string(),
    ]
}
