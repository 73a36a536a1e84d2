//! Flags that measuring commands share: clients, threads, keys, and how blocks are laid out.

use select_loop_keys::Distribution;

use crate::error::{Error, Result};
use crate::record::Plan;
use crate::report;
use crate::schedule::{MIN_EPOCHS, ROUNDS_PER_EPOCH};

/// Length of a block of `run`.
pub const BLOCK_MS: u64 = 250;

/// Length of a block where arms take turns. What machines do to one arm and not to the next lasts: neighbouring
/// stretches differ as much when they are long as when they are short, and of short ones there are more.
const TURN_MS: u64 = 25;

/// An arm's first milliseconds find the caches full of the others' data.
const LEAD_IN_MS: u64 = 5;

#[derive(Clone, Debug, clap::Args)]
pub struct Layout {
    /// Clients, each with a connection of its own
    #[arg(short = 'c', long = "client", value_name = "N", default_value_t = 1, value_parser = number(10_000))]
    clients: u64,
    /// Threads of the driver
    #[arg(short = 'j', long = "jobs", value_name = "N", default_value_t = 1, value_parser = number(10_000))]
    threads: u64,
    /// Selects in one call of a layer
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = number(1_000_000_000))]
    selects: u64,
    /// Length of every block [default: compare and ladder 25, run 250]
    #[arg(long, value_name = "MILLISECONDS", value_parser = number(3_600_000))]
    block: Option<u64>,
    /// Decides order and keys; in the record (also --random-seed) [default: random]
    #[arg(long, alias = "random-seed", value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<Seed>,
    /// How keys are spread: uniform, zipfian, gaussian, exponential
    #[arg(long, value_name = "NAME", default_value = "uniform")]
    distribution: String,
    /// Parameter of the distribution [default: 1.07 for zipfian, 5 for gaussian and exponential]
    #[arg(long, value_name = "NUMBER")]
    skew: Option<f64>,
}

pub fn number(most: u64) -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=most)
}

/// What decides order and keys.
#[derive(Clone, Copy, Debug)]
enum Seed {
    Number(i64),
    Random,
}

/// A number, or pgbench's words for a new one each time.
fn seed(text: &str) -> std::result::Result<Seed, String> {
    match text {
        "time" | "rand" => Ok(Seed::Random),
        _ => text.parse().map(Seed::Number).map_err(|_| "write a number, or rand for a new one each time".into()),
    }
}

impl Layout {
    /// The plan of a run of `time_limit` seconds at most, in blocks of `block_ms` unless another length is asked for.
    ///
    /// # Errors
    /// A usage error for a distribution, skew or time limit that makes no sense.
    pub fn plan(&self, time_limit: f64, block_ms: u64) -> Result<Plan> {
        Distribution::new(&self.distribution, self.skew)
            .map_err(|error| Error::usage(error.to_string()).hint(error.hint()))?;
        if !(time_limit.is_finite() && time_limit > 0.0) {
            return Err(Error::usage(format!("time limit {time_limit} is not a number of seconds above 0")));
        }
        Ok(Plan {
            // short enough to type again
            seed: match self.seed {
                Some(Seed::Number(seed)) => seed,
                None | Some(Seed::Random) => i64::from(rand::random::<u32>()),
            },
            clients: self.clients as usize,
            threads: self.threads as usize,
            selects_per_call: self.selects as i64,
            block_ms: self.block.unwrap_or(block_ms),
            lead_in_ms: 0,
            rounds_per_epoch: ROUNDS_PER_EPOCH,
            min_epochs: MIN_EPOCHS,
            max_rounds: None,
            time_limit_s: time_limit,
            half_width: 0.01,
            distribution: self.distribution.clone(),
            skew: self.skew,
            per_client: None,
            rate: None,
            latency_limit_ms: None,
        })
    }
}

/// The plan of one client that pairs nothing and draws uniform keys: of it only seed and selects a call matter.
pub fn unpaired(seed: i64, selects_per_call: i64) -> Plan {
    Plan {
        seed,
        clients: 1,
        threads: 1,
        selects_per_call,
        block_ms: BLOCK_MS,
        lead_in_ms: 0,
        rounds_per_epoch: 1,
        min_epochs: 1,
        max_rounds: Some(1),
        time_limit_s: 60.0,
        half_width: 0.01,
        distribution: "uniform".into(),
        skew: None,
        per_client: None,
        rate: None,
        latency_limit_ms: None,
    }
}

/// When a run that looks at its precision ends.
#[derive(Clone, Debug, clap::Args)]
pub struct Limits {
    /// Rounds at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: Option<u64>,
    /// Print the schedule and stop; no server is asked
    #[arg(long)]
    pub dry_run: bool,
    /// Epochs before precision is looked at (and 2.5 s of each arm)
    #[arg(long, value_name = "N", default_value_t = MIN_EPOCHS, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Measure for so long at most [default: 60; ladder: 240]
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
    /// Stop when the intervals' half-width is this share: of the ratio; in ladder, of each rung's time [default: 1%; ladder: 2%]
    #[arg(long, value_name = "SHARE", value_parser = report::share_of)]
    half_width: Option<f64>,
}

/// What a command does unless told otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Defaults {
    pub time_limit_s: f64,
    pub half_width: f64,
}

impl Limits {
    /// The plan of `layout` within these limits.
    ///
    /// # Errors
    /// As [`Layout::plan`].
    pub fn plan(&self, layout: &Layout, defaults: Defaults) -> Result<Plan> {
        let mut plan = layout.plan(self.time_limit.unwrap_or(defaults.time_limit_s), TURN_MS)?;
        plan.lead_in_ms = LEAD_IN_MS;
        plan.max_rounds = self.rounds;
        plan.min_epochs = self.epochs;
        plan.half_width = self.half_width.unwrap_or(defaults.half_width);
        Ok(plan)
    }
}
