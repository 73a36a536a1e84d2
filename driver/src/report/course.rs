//! What each round measured, for formats that draw a run's course.

use std::collections::{BTreeMap, HashMap};

use super::arm::amount;
use crate::record::{ArmSummary, Block, Comparison};

/// What one round says: a rate, or a ratio of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    pub round: u64,
    pub epoch: u64,
    pub value: f64,
    /// How far that is from what is typical of all rounds, as a share of it.
    pub off: f64,
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
pub fn of_rounds(blocks: &[Block], arms: &[ArmSummary], comparisons: &[Comparison]) -> (Vec<Rates>, Vec<Ratios>) {
    let mut found: HashMap<&str, BTreeMap<u64, Spot>> = HashMap::new();
    for block in blocks {
        if let Some(amount) = amount(block) {
            let spot = Spot { round: block.round, epoch: block.epoch, value: amount.rate(), off: 0.0 };
            found.entry(&block.arm).or_default().insert(block.round, spot);
        }
    }
    let spots = |arm: &str| found.get(arm).into_iter().flat_map(BTreeMap::values).copied();
    let rates = |arm: &ArmSummary| {
        let against = |spot: Spot| Spot { off: spot.value / arm.sps - 1.0, ..spot };
        Rates { arm: arm.name.clone(), spots: spots(&arm.name).map(against).collect() }
    };
    let ratio = |test: Spot, compared: &Comparison| {
        let value = test.value / found.get(compared.base.as_str())?.get(&test.round)?.value;
        Some(Spot { value, off: value / compared.ratio - 1.0, ..test })
    };
    let ratios = |compared: &Comparison| Ratios {
        test: compared.test.clone(),
        base: compared.base.clone(),
        spots: spots(&compared.test).filter_map(|spot| ratio(spot, compared)).collect(),
    };
    (arms.iter().map(rates).collect(), comparisons.iter().map(ratios).collect())
}
