//! What the results database holds: sets, the runs that they plan, what each run measured. The names are those of
//! `sql/results.sql`, and of the lines of an exported set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::arm::Placement;
use crate::record::{Host, Latency, ServerInfo, Tool};

/// How far a set or a run came. Only runs that are done enter statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Running,
    Done,
    /// By an error, which is kept.
    Failed,
    /// By Ctrl-C.
    Interrupted,
    /// Its sps died; found out by whoever looks next.
    Killed,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Killed => "killed",
        }
    }
}

/// A set that is about to begin.
#[derive(Clone, Debug)]
pub struct NewSet {
    /// Neither `latest` nor a number: those find a set otherwise.
    pub name: String,
    pub description: String,
    /// The suite's file. What looks like a password in it is masked before it is stored.
    pub definition: String,
    pub seed: i64,
}

/// A set: one suite, or what was imported as one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetInfo {
    /// The database's; another one in each database that the set is imported into.
    pub id: i32,
    /// The same in all of them.
    pub uuid: String,
    pub name: String,
    pub description: String,
    pub status: Status,
    /// UTC, RFC 3339; so are all times here.
    pub started: String,
    pub ended: Option<String>,
    pub definition: String,
    pub seed: i64,
    pub tool: Tool,
    /// The machine that sps ran on; not necessarily the server's.
    pub host: Host,
}

/// Whose loop a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An arm of sps.
    Arm,
    /// The pgbench binary with one of its built-ins or a script.
    Pgbench,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Pgbench => "pgbench",
        }
    }
}

/// One planned run of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunKey {
    /// In the order of execution, from 0; with the set it names the planned run.
    pub position: i32,
    /// As the suite names it.
    pub workload: String,
    pub kind: Kind,
    pub arm: Option<String>,
    /// `simple`, `extended`, `prepared`; None inside the server.
    pub protocol: Option<String>,
    pub placement: Option<Placement>,
    pub scale: Option<i64>,
    pub clients: i32,
    pub threads: i32,
    /// Wanted per second, all clients together; None: as fast as it goes.
    pub rate: Option<f64>,
    /// From 1.
    pub repeat: i32,
}

/// What a run counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Selects,
    Transactions,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Selects => "selects",
            Self::Transactions => "transactions",
        }
    }
}

/// How a run ended and what it measured. One that is done has a unit, a count, a time and a rate; others have what they
/// came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    pub status: Status,
    /// Why it failed, in a line; passwords are masked before it is stored.
    pub error: Option<String>,
    pub unit: Option<Unit>,
    pub count: Option<i64>,
    /// Measured time, preparation apart.
    pub elapsed_ns: Option<i64>,
    pub per_second: Option<f64>,
    /// The 95 % interval within the run, where it has one.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Rows found by selects.
    pub found: Option<i64>,
    /// Transactions that failed.
    pub failed: Option<i64>,
    pub latency: Option<Latency>,
    pub series: Vec<Second>,
    pub samples: Vec<Sample>,
    pub metrics: Vec<Metric>,
    /// The server's settings that are not default, name to value with unit.
    pub settings: BTreeMap<String, String>,
    pub warnings: Vec<String>,
    /// The run's record as it was written, JSON Lines.
    pub record: Option<String>,
}

impl RunResult {
    /// A run that came to nothing.
    pub fn without_numbers(status: Status, error: Option<String>) -> Self {
        Self {
            status,
            error,
            unit: None,
            count: None,
            elapsed_ns: None,
            per_second: None,
            low: None,
            high: None,
            found: None,
            failed: None,
            latency: None,
            series: Vec::new(),
            samples: Vec::new(),
            metrics: Vec::new(),
            settings: BTreeMap::new(),
            warnings: Vec::new(),
            record: None,
        }
    }
}

/// One second of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// From 0.
    pub second: i32,
    pub count: i64,
    #[serde(default)]
    pub failed: i64,
    /// Mean.
    pub latency_ns: Option<f64>,
    pub latency_max_ns: Option<f64>,
}

/// Something looked at while a run went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// `host`: the server's machine; `sql`: a query of the suite's.
    pub source: String,
    pub name: String,
    pub unit: String,
    /// Seconds from the run's first measured moment.
    pub at: f64,
    pub value: f64,
}

/// What a counter of the server, or of sps itself, rose by over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// The view it is from (`pg_stat_database`), or `sps`.
    pub source: String,
    pub name: String,
    pub unit: String,
    pub delta: f64,
}

/// A setting that is not what it was in the workload's run before; None: the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    pub name: String,
    pub before: Option<String>,
    pub value: Option<String>,
}

/// One attempt at a planned run, as stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub id: i64,
    #[serde(flatten)]
    pub key: RunKey,
    pub started: String,
    pub ended: Option<String>,
    pub transport: String,
    pub server: ServerInfo,
    #[serde(flatten)]
    pub result: RunResult,
    #[serde(default)]
    pub changed: Vec<Changed>,
}
