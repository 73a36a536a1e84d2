//! What clients waited: percentiles with the histogram that they are taken from, so that parts can be put together.
//!
//! Percentiles of parts cannot be averaged; histograms can be added. The histogram is Gil Tene's HdrHistogram in its own
//! format (V2, deflated, base64), which its tools in other languages read.

use std::cmp::Ordering;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Two digits: percentiles within 0.4 %, and a block's histogram takes some hundred bytes. Mean, standard deviation and
/// maximum are exact, they do not come from the histogram.
pub const DIGITS: u8 = 2;

/// What one wait was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Select,
    /// Of a layer: many selects.
    Call,
    /// Of a script that pgbench runs.
    Transaction,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Call => "call",
            Self::Transaction => "transaction",
        }
    }
}

/// Waits of one arm, in one block or in many. Times in nanoseconds; with a rate they count from the scheduled start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    pub unit: Unit,
    pub count: u64,
    pub mean_ns: f64,
    pub stddev_ns: f64,
    pub p50_ns: u64,
    pub p90_ns: u64,
    pub p95_ns: u64,
    pub p99_ns: u64,
    pub p999_ns: u64,
    pub max_ns: u64,
    /// Longer than the latency limit; None without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
    /// Never sent, since they would have been late already; None without a rate and a limit. They are not in `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// How long after their scheduled time they were sent; None without a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_mean_ns: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_max_ns: Option<u64>,
    /// HdrHistogram of nanoseconds, V2, deflated, base64.
    pub histogram: String,
}

/// How long the given share of waits is at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From 0 to 1.
    pub share: f64,
    pub ns: u64,
}

impl Latency {
    /// With mean, standard deviation and maximum as far as `histogram` tells them.
    pub fn from_histogram(unit: Unit, histogram: &Histogram<u64>) -> Self {
        Self::exact(unit, histogram, histogram.mean(), histogram.stdev(), histogram.max())
    }

    /// With those three known exactly.
    pub fn exact(unit: Unit, histogram: &Histogram<u64>, mean_ns: f64, stddev_ns: f64, max_ns: u64) -> Self {
        // the middle of the slot, which is off by less than its end
        let at = |share| histogram.median_equivalent(histogram.value_at_quantile(share)).min(max_ns);
        Self {
            unit,
            count: histogram.len(),
            mean_ns,
            stddev_ns,
            p50_ns: at(0.5),
            p90_ns: at(0.9),
            p95_ns: at(0.95),
            p99_ns: at(0.99),
            p999_ns: at(0.999),
            max_ns,
            late: None,
            skipped: None,
            lag_mean_ns: None,
            lag_max_ns: None,
            histogram: encode(histogram),
        }
    }

    /// All of `parts` together; None where there is none.
    ///
    /// # Errors
    /// Parts of different units, or a damaged histogram.
    pub fn merge<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Result<Option<Self>> {
        let parts: Vec<&Self> = parts.into_iter().collect();
        let Some(&first) = parts.first() else { return Ok(None) };
        if parts.iter().any(|part| part.unit != first.unit) {
            return Err(Error::failed("latencies of selects, calls and transactions cannot be put together"));
        }
        let mut histogram = Histogram::new(DIGITS).map_err(|error| damaged(&error))?;
        histogram.auto(true);
        for part in &parts {
            histogram.add(part.histogram()?).map_err(|error| damaged(&error))?;
        }
        let count: u64 = parts.iter().map(|part| part.count).sum();
        let weighted = |value: &dyn Fn(&Self) -> f64| {
            let sum: f64 = parts.iter().map(|part| part.count as f64 * value(part)).sum();
            if count == 0 { 0.0 } else { sum / count as f64 }
        };
        let mean = weighted(&|part| part.mean_ns);
        // within the parts and between them
        let variance = weighted(&|part| part.stddev_ns.powi(2) + (part.mean_ns - mean).powi(2));
        let max = parts.iter().map(|part| part.max_ns).max().unwrap_or(0);
        let sum = |part: fn(&Self) -> Option<u64>| parts.iter().try_fold(0, |sum, one| Some(sum + part(one)?));
        // where all was skipped nothing lagged
        let mut sent = parts.iter().filter(|part| part.count > 0);
        let lagged = sent.all(|part| part.lag_mean_ns.is_some());
        Ok(Some(Self {
            late: sum(|part| part.late),
            skipped: sum(|part| part.skipped),
            lag_mean_ns: (lagged && count > 0).then(|| weighted(&|part| part.lag_mean_ns.unwrap_or(0.0))),
            lag_max_ns: parts.iter().filter_map(|part| part.lag_max_ns).max(),
            ..Self::exact(first.unit, &histogram, mean, variance.sqrt(), max)
        }))
    }

    /// The histogram itself.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn histogram(&self) -> Result<Histogram<u64>> {
        let bytes = STANDARD.decode(&self.histogram).map_err(|error| damaged(&error))?;
        Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|error| damaged(&error))
    }

    /// Points of the percentile curve, shares rising to 1; denser towards the end, as a logarithmic axis of 1 - share
    /// shows them.
    ///
    /// # Errors
    /// When the histogram is damaged.
    pub fn curve(&self) -> Result<Vec<Point>> {
        let histogram = self.histogram()?;
        let mut points: Vec<Point> = Vec::new();
        for step in histogram.iter_quantiles(STEPS_PER_HALVING) {
            let ns = histogram.median_equivalent(step.value_iterated_to()).min(self.max_ns);
            points.push(Point { share: step.quantile_iterated_to(), ns });
        }
        // the last is the longest of all
        if let Some(last) = points.last_mut().filter(|last| last.share.total_cmp(&1.0) != Ordering::Less) {
            last.ns = self.max_ns;
        }
        Ok(points)
    }
}

/// So many points of the curve for each halving of what is left of the shares.
const STEPS_PER_HALVING: u32 = 5;

fn encode(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    // writing to memory fails for histograms of more slots than memory has only
    let written = V2DeflateSerializer::new().serialize(histogram, &mut bytes);
    written.map(|_| STANDARD.encode(bytes)).unwrap_or_default()
}

#[cold]
fn damaged(error: &dyn std::fmt::Display) -> Error {
    Error::failed(format!("a latency histogram is damaged: {error}"))
}
