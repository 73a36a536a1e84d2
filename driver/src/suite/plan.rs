//! Which runs a suite has, in their order. Pure: the same definition and seed give the same list, which is what `--resume`
//! goes on with.

use super::definition::{Definition, Length};
use crate::schedule;

/// One run to be done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planned {
    /// From 0, through the suite.
    pub position: i32,
    pub scale: i64,
    /// From 1.
    pub repeat: u32,
    /// Which of the definition's workloads.
    pub workload: usize,
    pub clients: usize,
    pub rate: Option<f64>,
}

/// Every run. A scale's runs stand together, since its tables do; within it each repeat goes once through all workloads,
/// clients and rates in a seeded random order of its own, so that repeats of one thing are spread in time and no drift of the
/// machine can pass for a difference.
pub fn runs(definition: &Definition) -> Vec<Planned> {
    let mut kinds = Vec::new();
    for workload in 0..definition.workloads.len() {
        for &clients in &definition.clients {
            kinds.extend(definition.rates.iter().map(|&rate| (workload, clients, rate)));
        }
    }
    let mut runs = Vec::new();
    let mut round = 0;
    for &scale in &definition.scales {
        for repeat in 1..=definition.repeats {
            for at in schedule::order(definition.seed, round, kinds.len()) {
                let (workload, clients, rate) = kinds[at];
                runs.push(Planned { position: runs.len() as i32, scale, repeat, workload, clients, rate });
            }
            round += 1;
        }
    }
    runs
}

/// Seconds of measuring that `runs` runs take at most; None where that cannot be known.
pub fn seconds(length: Length, runs: usize) -> Option<u64> {
    match length {
        Length::Seconds(seconds) | Length::Precise { at_most: seconds, .. } => Some(seconds * runs as u64),
        Length::Transactions(_) => None,
    }
}
