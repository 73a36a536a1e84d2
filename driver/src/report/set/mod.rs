//! Reports on sets of the results database: repeats summed up, like with like, sets side by side.
//!
//! As with records, a format sees a finished report and never queries or computes. A new one is a file here and a line in
//! [`FORMATS`].

mod contrast;
mod csv;
mod gather;
mod html;
mod json;
mod markdown;
mod section;
mod table;

use std::io::{Result, Write};

use serde::Serialize;

pub use contrast::{Contrast, contrasts};
pub use gather::gather;

use crate::arm::Placement;
use crate::record::Latency;
use crate::results::{Kind, Run, RunKey, SetInfo, Unit};
use crate::stats::spread::Spread;

/// A set, its runs and what they come to.
#[derive(Clone, Debug, Serialize)]
pub struct SetReport {
    pub set: SetInfo,
    /// How many runs it plans.
    pub planned: usize,
    /// One for each kind of run that came to its end at least once, by workload and size.
    pub points: Vec<Point>,
    /// Every attempt.
    #[serde(skip)]
    pub runs: Vec<Run>,
    /// Attempts that did not come to their end.
    pub broken: Vec<Broken>,
    pub warnings: Vec<String>,
}

/// What runs have in common that are averaged together: everything but when they ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointKey {
    pub workload: String,
    pub kind: Kind,
    pub arm: Option<String>,
    pub protocol: Option<String>,
    pub transport: String,
    pub placement: Option<Placement>,
    pub unit: Unit,
    pub scale: Option<i64>,
    pub clients: i32,
    pub threads: i32,
    pub rate: Option<f64>,
    pub server_version_num: u32,
    /// A server with assertions is another one.
    pub assertions: bool,
}

/// Repeats of one kind of run.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    #[serde(flatten)]
    pub key: PointKey,
    /// Of the repeats' rates per second.
    pub per_second: Spread,
    /// Those rates.
    pub rates: Vec<f64>,
    /// All repeats' histograms together; percentiles are of this, none is an average of percentiles.
    pub latency: Option<Latency>,
    /// Transactions that failed, in all repeats.
    pub failed: Option<i64>,
    /// Means over the repeats of what the server counted per run.
    pub metrics: Vec<Mean>,
    /// Ids of the runs.
    pub runs: Vec<i64>,
}

/// A metric, averaged over the repeats that have it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mean {
    pub source: String,
    pub name: String,
    pub unit: String,
    pub mean: f64,
    pub runs: usize,
}

/// A run that enters no statistic.
#[derive(Clone, Debug, Serialize)]
pub struct Broken {
    pub run: i64,
    #[serde(flatten)]
    pub key: RunKey,
    pub status: crate::results::Status,
    pub error: Option<String>,
    pub started: String,
}

impl PointKey {
    /// The same but for the machine and the server: what sets are compared by.
    pub fn like(&self, other: &Self) -> bool {
        let bare =
            |key: &Self| Self { server_version_num: 0, assertions: false, transport: String::new(), ..key.clone() };
        bare(self) == bare(other)
    }

    /// What the run does, without how large and how many: `prepared`, `tpcb-like (rate 100)`.
    pub fn line(&self) -> String {
        let mut line = self.workload.clone();
        if let Some(placement) = self.placement.filter(|_| !self.workload.contains('@')) {
            line += &format!("@{}", placement.name());
        }
        line
    }
}

/// A way of printing reports on sets.
pub trait SetFormat: Sync {
    /// As on the command line.
    fn name(&self) -> &'static str;
    /// Prints `reports` side by side.
    fn write(&self, reports: &[SetReport], out: &mut dyn Write) -> Result<()>;
}

/// Every format; the first is the default.
pub const FORMATS: &[&dyn SetFormat] = &[&table::Table, &markdown::Markdown, &csv::Csv, &json::Json, &html::Html];

/// The format called `name`.
pub fn format(name: &str) -> Option<&'static dyn SetFormat> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}
