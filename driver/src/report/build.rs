//! The summary of a run, from its header and blocks alone, so that a killed run reports as a finished one does.

use std::collections::BTreeSet;

use super::comparison::{self, Blocks};
use super::course::{self, Rates, Ratios};
use super::precision::Asked;
use super::{arm, expectation, step, warning};
use crate::record::{ArmSummary, Block, Gates, Header, Host, Lost, Point, Record, Status, Summary};

/// What only the run itself knows.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub status: Status,
    /// Warnings that came up while measuring.
    pub warnings: Vec<String>,
    pub lost: Vec<Lost>,
    /// Path of the record.
    pub record: Option<String>,
}

/// What formats see.
#[derive(Clone, Debug)]
pub struct Report {
    pub summary: Summary,
    pub host: Host,
    /// What the honesty gates saw of each arm that they look at, in its first epoch; later epochs were held against it.
    pub gates: Vec<(String, Gates)>,
    /// The course of every arm.
    pub rates: Vec<Rates>,
    /// The course of every comparison.
    pub ratios: Vec<Ratios>,
    /// The percentile curve of each arm that has one.
    pub curves: Vec<(String, Vec<Point>)>,
}

impl Report {
    /// The report on `blocks`, which `summary` sums up.
    pub fn new(header: &Header, blocks: &[Block], summary: Summary) -> Self {
        let gates = |arm: &str| blocks.iter().find(|block| block.arm == arm && block.gates.is_some())?.gates.clone();
        let arms = || summary.arms.iter().map(|arm| arm.name.as_str());
        let (rates, ratios) = course::of_rounds(blocks, &summary.arms, &summary.comparisons);
        let gates = arms().filter_map(|arm| Some((arm.to_owned(), gates(arm)?))).collect();
        // the summary's histogram was put together just now: it is whole
        let curve = |arm: &ArmSummary| Some((arm.name.clone(), arm.latency.as_ref()?.curve().ok()?));
        let curves = summary.arms.iter().filter_map(curve).collect();
        Self { host: header.host.clone(), gates, rates, ratios, curves, summary }
    }
}

/// Sums up `blocks` under `header`.
pub fn build(header: &Header, blocks: &[Block], outcome: &Outcome) -> Summary {
    let distinct = |part: fn(&Block) -> u64| blocks.iter().map(part).collect::<BTreeSet<_>>().len() as u64;
    let paired = Blocks::new(blocks);
    let comparisons = comparison::all(header, &paired);
    let arms: Vec<_> = header.arms.iter().filter_map(|info| arm::sum_up(info, blocks, &header.plan)).collect();
    let precision = Asked::of(header).precision(&arms, &comparisons);
    let mut summary = Summary {
        schema_version: header.schema_version,
        command: header.command.clone(),
        command_line: header.command_line.clone(),
        started: header.started.clone(),
        tool: header.tool.clone(),
        status: outcome.status,
        server: header.server.clone(),
        dataset: header.dataset.clone(),
        plan: header.plan.clone(),
        rounds: distinct(|block| block.round),
        epochs: distinct(|block| block.epoch),
        reference: header.reference.clone(),
        arms,
        lost_blocks: outcome.lost.len(),
        comparisons,
        expectations: expectation::answers(header, &paired),
        steps: step::steps(header, &paired),
        nets: step::nets(header, &paired),
        round_trip_us: header.round_trip_us.clone(),
        precision,
        precision_reached: precision.map(|reached| reached <= header.plan.half_width),
        interrupted: outcome.status == Status::Interrupted,
        warnings: Vec::new(),
        record: outcome.record.clone(),
    };
    summary.warnings = warning::all(header, blocks, &summary, outcome);
    summary
}

/// How precise `blocks` are: what a summary's `precision` would be.
pub fn precision(header: &Header, blocks: &[Block]) -> Option<f64> {
    let arms: Vec<_> = header.arms.iter().filter_map(|info| arm::sum_up(info, blocks, &header.plan)).collect();
    Asked::of(header).precision(&arms, &comparison::all(header, &Blocks::new(blocks)))
}

/// Sums up a record that was read from `path`. Its own summary only adds how the run ended and what came up meanwhile;
/// the numbers are computed anew.
pub fn of_record(record: &Record, path: &str) -> Report {
    let mut warnings = Vec::new();
    let status = match &record.summary {
        Some(summary) => {
            warnings.clone_from(&summary.warnings);
            summary.status
        }
        None => {
            warnings.push("the record has no summary: the run was killed, or is still going on".into());
            Status::Unfinished
        }
    };
    if record.torn {
        warnings.push("the record's last line was torn and has been left out".into());
    }
    let (header, blocks) = (&record.header, &record.blocks);
    let summary =
        build(header, blocks, &Outcome { status, warnings, lost: record.lost.clone(), record: Some(path.to_owned()) });
    Report::new(header, blocks, summary)
}
