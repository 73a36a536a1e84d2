//! Verdicts on what a run was expected to show.

use std::collections::BTreeSet;

use super::comparison::Blocks;
use crate::record::{Answer, Expectation, Header};
use crate::stats::estimate;
use crate::stats::verdict::{self, Verdict};

/// The verdict on each of the header's expectations.
pub fn answers(header: &Header, blocks: &Blocks<'_>) -> Vec<Answer> {
    let expected = &header.expectations;
    // two bounds of one ratio are held against one interval
    let ratios: BTreeSet<(&str, &str)> = expected.iter().map(|one| (one.test.as_str(), one.base.as_str())).collect();
    let confidence = verdict::confidence(ratios.len());
    expected.iter().map(|one| answer(one, blocks, confidence)).collect()
}

fn answer(expectation: &Expectation, blocks: &Blocks<'_>, confidence: f64) -> Answer {
    let Expectation { test, base, relation, bound } = expectation;
    let pairs = blocks.pairs(test, base);
    let found = estimate::typical(&pairs, confidence);
    let interval = found.and_then(|found| found.interval);
    Answer {
        verdict: Verdict::of(interval, *relation, *bound),
        ratio: found.map(|found| found.value),
        low: interval.map(|ends| ends.low),
        high: interval.map(|ends| ends.high),
        confidence,
        rounds: pairs.len(),
        expectation: expectation.clone(),
    }
}
