//! What a record ends with and `--json` prints: the numbers of a run, computed from its blocks.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::{Answer, Dataset, Latency, Plan, ServerInfo, Side, Tool};
use crate::arm::Placement;
use crate::error::Exit;
use crate::stats::steady::Class;

/// How a run ended. Only numbers of blocks that were finished are ever given, whatever the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Done,
    /// By Ctrl-C.
    Interrupted,
    /// By an error, which is among the warnings.
    Failed,
    /// Killed: the record has no summary.
    Unfinished,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Unfinished => "unfinished",
        }
    }
}

/// The summary: what `--json` prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    pub schema_version: u32,
    pub command: String,
    pub command_line: Vec<String>,
    /// Start, UTC, RFC 3339.
    pub started: String,
    pub tool: Tool,
    pub status: Status,
    pub server: ServerInfo,
    pub dataset: Dataset,
    pub plan: Plan,
    pub rounds: u64,
    pub epochs: u64,
    /// Name of the arm that the others are compared with.
    pub reference: String,
    pub arms: Vec<ArmSummary>,
    /// Blocks that a lost connection hit; nothing of them is in the numbers.
    #[serde(default)]
    pub lost_blocks: usize,
    pub comparisons: Vec<Comparison>,
    /// What was expected with `--expect`, and what became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Answer>,
    /// The ladder's steps, from the wire down; empty in other commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// What the ladder's rungs take more than the control that belongs to each; empty in other commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<Net>,
    pub round_trip_us: BTreeMap<String, f64>,
    /// Largest half-width among the intervals that the wanted precision is asked of, as a share; None without interval.
    pub precision: Option<f64>,
    /// Is `precision` as wanted? None where there is none.
    pub precision_reached: Option<bool>,
    pub interrupted: bool,
    pub warnings: Vec<String>,
    /// Path of the record.
    pub record: Option<String>,
}

impl Summary {
    /// What a command that measured ends with; failures end it by their error. That a run was interrupted weighs more than
    /// what it has shown until then.
    pub fn exit(&self) -> Exit {
        if self.interrupted { Exit::Interrupted } else { super::exit(&self.expectations) }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArmSummary {
    pub name: String,
    pub arm: String,
    pub placement: Placement,
    pub side: Side,
    pub control: bool,
    pub sps: f64,
    pub sps_low: Option<f64>,
    pub sps_high: Option<f64>,
    /// 10^9 / `sps`: over all clients together.
    pub ns_per_select: f64,
    pub ns_low: Option<f64>,
    pub ns_high: Option<f64>,
    pub blocks: usize,
    pub selects: i64,
    /// All blocks' time, by the clock that rates are computed from.
    #[serde(default)]
    pub elapsed_ns: i64,
    pub found: Option<i64>,
    pub calls_per_second: Option<f64>,
    pub client_cpu_ns_per_select: Option<f64>,
    /// CPU time of the client's threads as a share of what they could have had.
    pub client_cpu_share: Option<f64>,
    pub backend_cpu_ns_per_select: Option<f64>,
    /// CPU time of client and backend together as a share of the blocks' time: 1 where they share a core that is theirs.
    pub cpu_share: Option<f64>,
    /// Did the rate stay the same through the run?
    pub course: Class,
    /// Blocks far out, counted, not dropped.
    pub outliers: usize,
    pub involuntary_switches: Option<i64>,
    /// Steal time over the arm's blocks as a share of their time.
    pub steal: Option<f64>,
    /// How long the clients took to connect, all of them, on average over the epochs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_ns: Option<f64>,
    /// Waits of all blocks together, from their histograms; None where the arm does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    pub base: String,
    pub test: String,
    pub ratio: f64,
    /// None below six rounds.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// `hodges-lehmann`.
    pub method: String,
    /// Which interval is the wider and therefore given: `wilcoxon` or `epoch-t`.
    pub interval: Option<String>,
    pub rounds: usize,
    pub total_ratio: f64,
    pub total_low: Option<f64>,
    pub total_high: Option<f64>,
    pub t_low: Option<f64>,
    pub t_high: Option<f64>,
    pub skewed: bool,
    /// Lag-1 rank correlation of the rounds' ratios, about 0 where they are independent; None below 20 rounds.
    #[serde(default)]
    pub lag1: Option<f64>,
    /// Is that more than chance would make it?
    #[serde(default)]
    pub dependent: bool,
    /// Did the ratio stay the same through the run?
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<Class>,
}

/// From a rung of the ladder to the next one down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    pub from: String,
    pub to: String,
    /// What `to` does not do that `from` does.
    pub about: String,
    /// What `from` takes more than `to`.
    #[serde(flatten)]
    pub difference: Difference,
}

/// A rung without what its control takes, too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Net {
    pub arm: String,
    pub control: String,
    /// What `arm` takes more than `control`.
    #[serde(flatten)]
    pub difference: Difference,
}

/// A difference of times per select, paired by round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Difference {
    pub ns: f64,
    /// None below six rounds.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Does the interval leave out 0? None where there is none.
    pub clear: Option<bool>,
    /// `hodges-lehmann`.
    pub method: String,
    /// Which interval is the wider and therefore given: `wilcoxon` or `epoch-t`.
    pub interval: Option<String>,
    pub rounds: usize,
}
