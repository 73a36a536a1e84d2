//! What `sps count` found: instructions per select, counted, not timed. A record of it is one line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Dataset, Host, SCHEMA_VERSION, ServerInfo, Side, Status, Tool};
use crate::arm::Placement;
use crate::error::{Error, Result};

/// Name of the command, by which its records are known.
pub const COUNT: &str = "count";

/// How records of it begin.
const RECORD: [u8; 15] = *b"{\"type\":\"count\"";

/// How instructions were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Every instruction of a backend under valgrind, by function; repeats to a fraction of 0.1 %
    Callgrind,
    /// The processor's counter, read around a layer's loop; user mode only, no functions
    Hardware,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Callgrind => "callgrind",
            Self::Hardware => "hardware",
        }
    }
}

/// All that one run counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Count {
    pub schema_version: u32,
    /// `count`.
    pub command: String,
    /// The command line, passwords masked.
    pub command_line: Vec<String>,
    /// Start, UTC, RFC 3339.
    pub started: String,
    pub tool: Tool,
    pub host: Host,
    pub status: Status,
    pub server: ServerInfo,
    pub dataset: Dataset,
    pub method: Method,
    /// What counted: `valgrind-3.19.0`.
    pub counted_by: String,
    /// Selects of each arm that were counted: the difference of two run lengths.
    pub selects: i64,
    /// Decides the keys.
    pub seed: i64,
    /// Name of the arm that the others are compared with.
    pub reference: String,
    pub arms: Vec<CountedArm>,
    pub comparisons: Vec<CountedPair>,
    /// Held against an earlier count; None unless asked for.
    pub check: Option<Check>,
    pub warnings: Vec<String>,
    /// Path of the record.
    pub record: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountedArm {
    pub name: String,
    pub arm: String,
    pub placement: Placement,
    pub side: Side,
    pub control: bool,
    /// Of the backend.
    pub instructions_per_select: f64,
    /// Share of our library and its error guards, from 0 to 1; None where functions are not told apart.
    pub harness_share: Option<f64>,
    /// By instructions of their own, most first; what costs less than half an instruction a select and is called less than once in
    /// a hundred selects is left out.
    pub functions: Vec<CountedFunction>,
}

/// A function, per select.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountedFunction {
    pub name: String,
    /// File name of the program or library.
    pub module: String,
    /// Instructions of its own.
    #[serde(rename = "self")]
    pub own: f64,
    /// With its callees; None for functions without a name.
    pub inclusive: Option<f64>,
    pub calls: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountedPair {
    pub base: String,
    pub test: String,
    /// Instructions of `test` over those of `base`.
    pub ratio: f64,
    /// Instructions per select that `test` takes more.
    pub difference: f64,
}

/// Arms held against an earlier count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Path of the earlier count.
    pub record: String,
    /// More than this share of instructions more is a regression.
    pub threshold: f64,
    pub arms: Vec<Checked>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checked {
    pub arm: String,
    /// Instructions per select of the earlier count.
    pub base: f64,
    pub ratio: f64,
    pub verdict: CountVerdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountVerdict {
    #[serde(rename = "regression")]
    Regression,
    #[serde(rename = "no regression")]
    NoRegression,
    #[serde(rename = "improvement")]
    Improvement,
}

impl CountVerdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::NoRegression => "no regression",
            Self::Improvement => "improvement",
        }
    }
}

impl Count {
    /// Is the file at `path` a count? One that cannot be read is none.
    pub fn is(path: &Path) -> bool {
        let Ok(mut file) = File::open(path) else { return false };
        let mut start = [0; RECORD.len()];
        match file.read(&mut start) {
            Ok(read) if read == start.len() && start == RECORD => true,
            // what --json wrote is laid out for reading
            Ok(_) if start.starts_with(b"{\n") => {
                let value = std::fs::read(path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
                value.is_some_and(|value| value.get("command").and_then(Value::as_str) == Some(COUNT))
            }
            _ => false,
        }
    }

    /// Reads a count: its record, or what `--json` wrote.
    ///
    /// # Errors
    /// The file cannot be read, holds no count, or one of another version.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::failed(format!("cannot read {name}: {error}")))?;
        let none = || {
            Error::failed(format!("{name} is not a count"))
                .hint("sps count writes its record into results/, and --json FILE")
        };
        let value: Value = serde_json::from_str(&text).map_err(|_| none())?;
        if value.get("command").and_then(Value::as_str) != Some(COUNT) {
            return Err(none());
        }
        match value.get("schema_version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(SCHEMA_VERSION) => {}
            version => {
                let version = version.map_or("no".into(), |version| version.to_string());
                return Err(Error::failed(format!(
                    "{name} has schema version {version}, this sps reads {SCHEMA_VERSION}"
                ))
                .hint("count anew with this version of sps"));
            }
        }
        serde_json::from_value(value).map_err(|error| Error::failed(format!("{name} is damaged: {error}")))
    }

    pub fn arm(&self, name: &str) -> Option<&CountedArm> {
        self.arms.iter().find(|arm| arm.name == name)
    }
}
