//! What each round measured, for formats that draw a run's course.

use std::collections::{BTreeMap, HashMap};

use super::arm::amount;
use crate::record::{Block, Comparison};

/// What one round says: a rate, or a ratio of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    pub round: u64,
    pub epoch: u64,
    pub value: f64,
}

/// An arm's rate, round after round.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    pub arm: String,
    /// In selects per second.
    pub spots: Vec<Spot>,
}

/// A comparison's ratio, round after round, where both arms have a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratios {
    pub test: String,
    pub base: String,
    pub spots: Vec<Spot>,
}

/// The courses of `arms`, and of `comparisons` between them.
pub fn of_rounds<'a>(
    blocks: &[Block],
    arms: impl Iterator<Item = &'a str>,
    comparisons: &[Comparison],
) -> (Vec<Rates>, Vec<Ratios>) {
    let mut found: HashMap<&str, BTreeMap<u64, Spot>> = HashMap::new();
    for block in blocks {
        if let Some(amount) = amount(block) {
            let spot = Spot { round: block.round, epoch: block.epoch, value: amount.rate() };
            found.entry(&block.arm).or_default().insert(block.round, spot);
        }
    }
    let spots = |arm: &str| found.get(arm).into_iter().flat_map(BTreeMap::values).copied();
    let rates = arms.map(|arm| Rates { arm: arm.into(), spots: spots(arm).collect() }).collect();
    let ratio = |test: Spot, base: &str| {
        let value = test.value / found.get(base)?.get(&test.round)?.value;
        Some(Spot { value, ..test })
    };
    let ratios = |found: &Comparison| Ratios {
        test: found.test.clone(),
        base: found.base.clone(),
        spots: spots(&found.test).filter_map(|spot| ratio(spot, &found.base)).collect(),
    };
    (rates, comparisons.iter().map(ratios).collect())
}
