//! Which arms are compared, and the comparisons.

use std::collections::HashMap;

use super::arm::amount;
use crate::arm::{Placement, pgbench};
use crate::record::{ArmInfo, Block, Comparison, Header};
use crate::stats::ratio_of_totals::Pair;
use crate::stats::{estimate, lag, steady};

/// The arm meant by `text`: a full name as in records, or an arm's name, which means `same` placement where it runs in
/// several, else the first.
pub fn named<'a>(arms: &'a [ArmInfo], text: &str) -> Option<&'a ArmInfo> {
    let fits = |info: &&ArmInfo| info.arm == text || info.name.split('#').next() == Some(text);
    arms.iter()
        .find(|info| info.name == text)
        .or_else(|| arms.iter().filter(fits).find(|info| info.placement == Placement::Same))
        .or_else(|| arms.iter().find(fits))
}

/// All (test, base): each arm against the reference, the pairs asked for or expected something of, both sides of an A/A comparison, and each wire
/// arm that pgbench calibrates.
pub fn comparisons_of(header: &Header) -> Vec<(String, String)> {
    let expected = header.expectations.iter().map(|one| (one.test.clone(), one.base.clone()));
    comparisons_among(&header.arms, &header.reference, header.pairs.iter().cloned().chain(expected))
}

/// The same before there is a header; `asked` are the pairs asked for.
pub fn comparisons_among(
    arms: &[ArmInfo],
    reference: &str,
    asked: impl Iterator<Item = (String, String)>,
) -> Vec<(String, String)> {
    let others = arms.iter().filter(|info| info.name != reference);
    let mut out: Vec<(String, String)> = others.map(|info| (info.name.clone(), reference.to_owned())).collect();
    out.extend(asked);
    for test in arms {
        if let Some(stem) = test.name.strip_suffix("#2") {
            out.push((test.name.clone(), format!("{stem}#1")));
        }
        let calibrates = |base: &&ArmInfo| calibrates(base, test);
        out.extend(arms.iter().find(calibrates).map(|base| (test.name.clone(), base.name.clone())));
    }
    let mut seen = std::collections::HashSet::new();
    out.retain(|pair| seen.insert(pair.clone()));
    out
}

/// Is `base` pgbench doing what `test` does, where `test` does it?
pub fn calibrates(base: &ArmInfo, test: &ArmInfo) -> bool {
    base.placement == test.placement && pgbench::protocol(&base.arm) == Some(&test.arm)
}

/// Every comparison that there are rounds for.
pub fn all(header: &Header, blocks: &Blocks<'_>) -> Vec<Comparison> {
    let one = |(test, base): (String, String)| {
        let pairs = blocks.pairs(&test, &base);
        estimate::ratio(&pairs).map(|ratio| summary(test, base, &pairs, ratio))
    };
    comparisons_of(header).into_iter().filter_map(one).collect()
}

/// A run's blocks, by arm and round.
pub struct Blocks<'a>(HashMap<&'a str, HashMap<u64, &'a Block>>);

impl<'a> Blocks<'a> {
    pub fn new(blocks: &'a [Block]) -> Self {
        let mut by_arm: HashMap<&str, HashMap<u64, &Block>> = HashMap::new();
        for block in blocks {
            by_arm.entry(&block.arm).or_default().insert(block.round, block);
        }
        Self(by_arm)
    }

    /// The two arms' blocks paired by round, each pair with its epoch, rounds in order.
    pub fn pairs(&self, test: &str, base: &str) -> Vec<(u64, Pair)> {
        let (Some(test), Some(base)) = (self.0.get(test), self.0.get(base)) else { return Vec::new() };
        let mut rounds: Vec<u64> = test.keys().filter(|round| base.contains_key(round)).copied().collect();
        rounds.sort_unstable();
        let pair =
            |round: u64| Some((test[&round].epoch, Pair { test: amount(test[&round])?, base: amount(base[&round])? }));
        rounds.into_iter().filter_map(pair).collect()
    }
}

fn summary(test: String, base: String, pairs: &[(u64, Pair)], ratio: estimate::Ratio) -> Comparison {
    let ends = |interval: Option<crate::stats::Interval>| interval.map(|found| (found.low, found.high)).unzip();
    let (low, high) = ends(ratio.estimate.interval);
    let (total_low, total_high) = ends(ratio.total_interval);
    let (t_low, t_high) = ends(ratio.t_interval);
    let logs = estimate::logs(pairs);
    let lag = lag::lag1(&logs);
    Comparison {
        base,
        test,
        ratio: ratio.estimate.value,
        low,
        high,
        method: "hodges-lehmann".into(),
        interval: ratio.estimate.source.map(|source| source.name().into()),
        rounds: pairs.len(),
        total_ratio: ratio.total,
        total_low,
        total_high,
        t_low,
        t_high,
        skewed: ratio.skewed,
        lag1: lag.map(|found| found.correlation),
        dependent: lag.is_some_and(|found| found.clear),
        course: Some(steady::class(&logs)),
    }
}
