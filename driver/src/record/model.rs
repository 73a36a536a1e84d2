//! What a record holds: one header, a line a block, one summary (`summary.rs`). `driver/record.schema.json` describes the same.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::{Count, Expectation, Latency, Lost, Summary};
use crate::arm::Placement;

/// Version of the record format. Fields that a record may lack came later and need no new version; a reader refuses versions
/// that it does not know.
pub const SCHEMA_VERSION: u32 = 1;

/// One line of a record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    Header(Box<Header>),
    Block(Box<Block>),
    Lost(Box<Lost>),
    Summary(Box<Summary>),
    /// The only line of its record.
    Count(Box<Count>),
}

/// Everything that is known before the first block.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    pub schema_version: u32,
    /// Subcommand: `compare`, `ladder`, `run`.
    pub command: String,
    /// The command line, passwords masked.
    pub command_line: Vec<String>,
    /// Start, UTC, RFC 3339.
    pub started: String,
    pub tool: Tool,
    pub host: Host,
    pub server: ServerInfo,
    pub dataset: Dataset,
    pub plan: Plan,
    /// The arms in the order asked for; the first is the reference unless `reference` says otherwise.
    pub arms: Vec<ArmInfo>,
    /// Name of the arm that the others are compared with.
    pub reference: String,
    /// Extra pairs asked for with `--pair`, (test, base).
    pub pairs: Vec<(String, String)>,
    /// Asked for with `--expect`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Expectation>,
    /// Known before measuring: what `sps check` would say.
    pub warnings: Vec<String>,
    /// Socket round trips in microseconds by placement, as measured before the rounds.
    pub round_trip_us: BTreeMap<String, f64>,
}

/// The tool that wrote the record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tool {
    pub version: String,
    /// Commit that sps was built from; None outside a checkout.
    pub git_commit: Option<String>,
}

/// The machine that the driver runs on; not necessarily the server's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Host {
    pub hostname: String,
    pub cpu_model: Option<String>,
    pub cpus: usize,
    pub kernel: Option<String>,
    pub governor: Option<String>,
    pub memory_bytes: Option<u64>,
    /// `always`, `madvise`, `never`: whether the kernel gives huge pages unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transparent_huge_pages: Option<String>,
    /// Huge pages set aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub huge_pages: Option<u64>,
    /// Load average of the minute before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<f32>,
    /// Share of its CPU time that the hypervisor has taken from the machine since it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// Clock of the driver's timings.
    pub clock: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerInfo {
    /// 150018 for 15.18.
    pub version_num: u32,
    pub version: String,
    /// `unix`, `tcp`, with `+tls` where that is on.
    pub transport: String,
    /// Version and cipher of TLS; None without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<String>,
    /// Started by sps for this run.
    pub private: bool,
    /// Does the server run on the driver's machine?
    pub local: bool,
    /// Version of the select_loop extension in the database; None without it.
    pub extension: Option<String>,
    pub database: String,
    #[serde(default)]
    pub user: String,
    /// Settings that are not default, name to value with unit.
    pub settings: BTreeMap<String, String>,
    pub in_recovery: bool,
    pub assertions: bool,
    /// What it was configured and compiled with, as pg_config says; None where we may not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
}

/// How a server was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Options of `configure`, or of meson.
    pub configure: String,
    pub cflags: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dataset {
    /// Schema-qualified, quoted as SQL.
    pub relation: String,
    /// By pgbench_branches; None for another table.
    pub scale: Option<i64>,
    /// max - min + 1 of the key: how many keys are drawn from.
    pub rows: i64,
    pub min: i64,
    pub key: String,
    pub value: String,
    pub index: String,
    pub table_bytes: i64,
    pub index_bytes: i64,
}

/// How blocks are laid out in time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub seed: i64,
    pub clients: usize,
    pub threads: usize,
    /// Selects in one call of a layer, and how many wire selects share one key sequence.
    pub selects_per_call: i64,
    pub block_ms: u64,
    /// For so long each arm runs untimed before its block.
    #[serde(default)]
    pub lead_in_ms: u64,
    pub rounds_per_epoch: u64,
    pub min_epochs: u64,
    pub max_rounds: Option<u64>,
    /// Cap on measuring, seconds.
    pub time_limit_s: f64,
    /// Wanted half-width of the ratios' intervals, as a share of the ratio.
    pub half_width: f64,
    pub distribution: String,
    pub skew: Option<f64>,
    /// Selects (calls of a layer) of each client, after which the run ends; None: it ends by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_client: Option<u64>,
    /// Selects (calls of a layer) a second that are due, over all clients; None: as many as go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Longer waits are counted as late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_limit_ms: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Wire,
    /// A layer: the loop runs in the server.
    Server,
    /// The pgbench binary.
    Pgbench,
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Server => "server",
            Self::Pgbench => "pgbench",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArmInfo {
    /// With placement (wire arms) and A/A side: `prepared@same#1`.
    pub name: String,
    pub arm: String,
    pub placement: Placement,
    pub side: Side,
    pub control: bool,
}

/// One timed stretch of one arm. Times in nanoseconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Block {
    pub epoch: u64,
    /// Counted through the run, from 0.
    pub round: u64,
    /// Position within the round, from 0.
    pub position: u32,
    pub arm: String,
    pub placement: Placement,
    /// How long it was to last, milliseconds; None in records of versions whose blocks were all of one length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_ms: Option<u64>,
    pub selects: i64,
    /// None where the arm does no lookup or does not say.
    pub found: Option<i64>,
    pub checksum: Option<i64>,
    /// Calls of a layer; None for wire arms.
    pub calls: Option<i64>,
    /// The clock that the rate is computed from: the layer's own (summed over calls and averaged over clients), else the
    /// driver's.
    pub elapsed_ns: i64,
    /// The driver's monotonic clock around the block.
    pub driver_ns: i64,
    pub client_cpu_ns: Option<i64>,
    pub backend_cpu_ns: Option<i64>,
    /// Involuntary context switches of the client's threads.
    pub involuntary_switches: Option<i64>,
    /// Steal time of the machine over the block, nanoseconds.
    pub steal_ns: Option<i64>,
    /// The logical CPUs that the client's threads and the backends were pinned to; None where the scheduler chose them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cpus: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_cpus: Option<Vec<usize>>,
    /// What clients waited, per select or per call of a layer; None where the arm does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// How long the clients took to connect, all of them; None but in the arm's first block of an epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_ns: Option<i64>,
    /// What the honesty gates saw before the arm's first block of the epoch; None in other blocks, and of arms that take
    /// no part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gates: Option<Gates>,
    /// What the reader has to know of this block; empty where all is well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The untimed selects that every arm does at an epoch's start, and what they were. Layers have no plan and scans here: the
/// extension holds both against the lookups in every call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gates {
    pub selects: i64,
    pub found: Option<i64>,
    pub checksum: Option<i64>,
    /// `Index Scan on "pgbench_accounts_pkey" with (aid = $1)`.
    pub plan: Option<String>,
    /// How many scans of the index the selects were; None where they are not counted.
    pub scans: Option<i64>,
    /// How often the prepared statement was executed by its generic plan since it was prepared; None without one.
    pub generic_plans: Option<i64>,
    pub custom_plans: Option<i64>,
}

impl Block {
    /// Selects per second.
    pub fn sps(&self) -> f64 {
        self.selects as f64 * 1e9 / self.elapsed_ns as f64
    }
}
