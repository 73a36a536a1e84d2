//! What a run was expected to show (`--expect`), and what became of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Exit;
use crate::stats::verdict::{Relation, Verdict};

/// A ratio and the bound that it is expected to keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    pub test: String,
    pub base: String,
    pub relation: Relation,
    pub bound: f64,
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { test, base, relation, bound } = self;
        write!(f, "{test}/{base} {} {bound}", relation.sign())
    }
}

/// An expectation with its verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    #[serde(flatten)]
    pub expectation: Expectation,
    pub verdict: Verdict,
    /// None without a round of both arms.
    pub ratio: Option<f64>,
    /// Ends of the interval that the verdict is from; None where there are too few rounds for one.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Of that interval: 0.95 by Bonferroni over the ratios that verdicts are given for.
    pub confidence: f64,
    pub rounds: usize,
}

/// What a command that measured ends with where all went well: a refuted expectation is a regression.
pub fn exit(answers: &[Answer]) -> Exit {
    let any = |verdict| answers.iter().any(|answer| answer.verdict == verdict);
    if any(Verdict::Refuted) {
        Exit::Regression
    } else if any(Verdict::Inconclusive) {
        Exit::Inconclusive
    } else {
        Exit::Done
    }
}
