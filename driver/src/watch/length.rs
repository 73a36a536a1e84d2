//! Block lengths that follow the noise: of arms of which no precision is asked short ones, of the others as their noise asks.

use crate::record::{ArmInfo, Block, Header, Side};
use crate::report::Asked;
use crate::stats::allocation::{self, Noise, Room};
use crate::stats::{mean, median, variance};

/// The length of each arm's blocks in `epoch`, milliseconds, in the header's order; None where all are as long as the plan
/// says.
pub fn lengths(header: &Header, blocks: &[Block], epoch: u64) -> Option<Vec<u64>> {
    let adapt = header.plan.adapt?;
    let asked = Asked::of(header);
    let paired = matches!(asked, Asked::Comparisons(_));
    let start = |info: &ArmInfo| if asked.names(&info.name) { header.plan.block_ms } else { adapt.shortest_ms };
    if epoch < adapt.after_epochs {
        return Some(header.arms.iter().map(start).collect());
    }
    let known: Vec<Series<'_>> =
        header.arms.iter().filter(|info| asked.names(&info.name)).filter_map(|info| Series::of(info, blocks)).collect();
    let noises = noises(&known, paired, adapt.shortest_ms as f64);
    let spent_ms = blocks.iter().map(|block| block.driver_ns as f64 / 1e6).sum::<f64>();
    let others = header.arms.len() - known.len();
    let room = Room {
        fixed_ms: others as f64 * adapt.shortest_ms as f64,
        left_ms: (header.plan.time_limit_s * 1e3 - spent_ms).max(0.0),
        longest_ms: adapt.longest_ms as f64,
        epochs_done: epoch as f64,
        rounds_per_epoch: header.plan.rounds_per_epoch as f64,
    };
    let lengths = allocation::lengths(&noises, room);
    let of = |info: &ArmInfo| {
        let found = known.iter().position(|series| series.info.name == info.name);
        found.map_or(adapt.shortest_ms, |at| lengths[at].round() as u64)
    };
    Some(header.arms.iter().map(of).collect())
}

/// An arm's blocks, rounds in order.
struct Series<'a> {
    info: &'a ArmInfo,
    blocks: Vec<&'a Block>,
}

impl<'a> Series<'a> {
    /// None without a usable block.
    fn of(info: &'a ArmInfo, blocks: &'a [Block]) -> Option<Self> {
        let usable = |block: &&Block| block.arm == info.name && block.selects > 0 && block.elapsed_ns > 0;
        let blocks: Vec<&Block> = blocks.iter().filter(usable).collect();
        (!blocks.is_empty()).then_some(Self { info, blocks })
    }

    fn log_rate(&self, round: u64) -> Option<f64> {
        self.blocks.iter().find(|block| block.round == round).map(|block| block.sps().ln())
    }

    /// A call is not cut in two.
    fn shortest_ms(&self, shortest_ms: f64) -> f64 {
        let call = |block: &Block| Some(block.elapsed_ns as f64 / 1e6 / block.calls.filter(|&calls| calls > 0)? as f64);
        let calls: Vec<f64> = self.blocks.iter().filter_map(|block| call(block)).collect();
        if self.info.side == Side::Server && !calls.is_empty() { shortest_ms.max(mean(&calls)) } else { shortest_ms }
    }
}

/// The noise of each arm; where ratios are what counts, of what the arms do not share in a round.
fn noises(known: &[Series<'_>], paired: bool, shortest_ms: f64) -> Vec<Noise> {
    let shared = |round: u64| {
        let rates: Vec<f64> = known.iter().filter_map(|series| series.log_rate(round)).collect();
        if paired { mean(&rates) } else { 0.0 }
    };
    let noise = |series: &Series<'_>| {
        let mut middles = Vec::new();
        let mut deviations = Vec::new();
        let mut inverse_lengths = Vec::new();
        for epoch in series.blocks.chunk_by(|a, b| a.epoch == b.epoch) {
            let values: Vec<f64> = epoch.iter().map(|block| block.sps().ln() - shared(block.round)).collect();
            let middle = median(&values);
            for (block, value) in epoch.iter().zip(values) {
                let length = block.driver_ns as f64 / 1e6;
                deviations.push((value - middle).abs() * length.sqrt());
                inverse_lengths.push(1.0 / length);
            }
            middles.push(middle);
        }
        // by medians: a stalled block must not pass for noise that longer blocks would mend
        let within = (MAD * median(&deviations)).powi(2);
        let per_epoch = series.blocks.len() as f64 / middles.len() as f64;
        let of_blocks = MEDIAN_OF_NORMAL * within * mean(&inverse_lengths) / per_epoch;
        let between = if middles.len() > 1 { (variance(&middles) - of_blocks).max(0.0) } else { 0.0 };
        Noise { between, within, shortest_ms: series.shortest_ms(shortest_ms) }
    };
    known.iter().map(noise).collect()
}

/// The standard deviation of normal values over the median of their absolute deviations.
const MAD: f64 = 1.4826;

/// The variance of a median of many normal values over that of their mean, π / 2.
const MEDIAN_OF_NORMAL: f64 = std::f64::consts::FRAC_PI_2;
