//! A suite's definition as it is written: TOML, every key with its place in the file. [`super::Definition`] is what it means.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

/// The whole file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    pub name: Spanned<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Decides the order of runs and the keys; drawn where it is not given.
    pub seed: Option<i64>,
    /// Scales of pgbench's tables.
    pub scales: Spanned<Vec<Spanned<i64>>>,
    pub clients: Spanned<Vec<Spanned<i64>>>,
    /// Threads of the driver or of pgbench; as many as there are clients and cores where it is not given.
    pub threads: Option<Spanned<i64>>,
    pub repeats: Option<Spanned<i64>>,
    /// Seconds of a run; the most with `half_width`.
    pub time: Option<Spanned<i64>>,
    /// Transactions, selects or calls of each client, instead of a time.
    pub transactions: Option<Spanned<i64>>,
    /// Ends a run when the interval of its rate is so narrow: `"2%"`.
    pub half_width: Option<Spanned<String>>,
    /// Transactions or selects a second that all clients together begin; without it each begins when the last has ended.
    pub rates: Option<Spanned<Vec<Spanned<f64>>>>,
    #[serde(default)]
    pub tables: Tables,
    #[serde(default)]
    pub before: Before,
    #[serde(default)]
    pub during: During,
    #[serde(default)]
    pub after: After,
    /// Settings of the private server.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<Spanned<String>, Setting>,
    pub workload: Spanned<Vec<Spanned<Workload>>>,
}

/// What is measured: exactly one of the first five keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// An arm: `prepared`, `plpgsql`, `rescan@same`.
    pub arm: Option<Spanned<String>>,
    /// One of pgbench's own scripts: `tpcb-like`, `simple-update`, `select-only`.
    pub builtin: Option<Spanned<String>>,
    /// One of the scripts that come with sps: `insert-size`.
    pub shipped: Option<Spanned<String>>,
    /// A script for pgbench, its path relative to the definition's folder.
    pub script: Option<Spanned<String>>,
    /// The same, its text written here.
    pub sql: Option<Spanned<String>>,
    /// What it is called in results; its arm or script otherwise.
    pub name: Option<Spanned<String>>,
    /// pgbench's -M: `simple`, `extended`, `prepared`.
    pub protocol: Option<Spanned<String>>,
    /// Where client and backend of a wire arm run: `free`, `same`, `split`, `both`.
    pub pin: Option<Spanned<String>>,
    /// pgbench's -D.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<Spanned<String>, Setting>,
    /// Does it change tables? By what it is, unless said here.
    pub writes: Option<bool>,
}

/// A value as TOML has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    Flag(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(if *flag { "on" } else { "off" }),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// When and how tables are made, where sps may make them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// Made anew before each `scale`, `repeat` or `run`.
    pub rebuild: Option<Spanned<String>>,
    pub fillfactor: Option<Spanned<i64>>,
    pub unlogged: Option<bool>,
}

/// What is done before each run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    pub truncate_history: Option<bool>,
    pub vacuum: Option<bool>,
    pub checkpoint: Option<bool>,
    /// Seconds that a checkpoint may take.
    pub checkpoint_limit: Option<Spanned<i64>>,
    /// Read the tables into shared buffers.
    pub warm: Option<bool>,
    /// pg_stat_reset(), which changes what others see.
    pub reset_statistics: Option<bool>,
    /// A command for sh.
    pub hook: Option<String>,
}

/// What is watched while a run goes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct During {
    /// CPU, memory and disks of this machine, where the server runs on it.
    pub host: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sql: Vec<Metric>,
}

/// A number that is asked of the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    pub name: Spanned<String>,
    /// Its first column of its first row is the value.
    pub query: Spanned<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Seconds between two.
    pub every: Option<Spanned<i64>>,
}

/// What is done after each run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct After {
    /// Keep what the server's statistics views counted.
    pub statistics: Option<bool>,
    /// Vacuum and checkpoint after a run that writes, timed.
    pub cleanup: Option<bool>,
}
