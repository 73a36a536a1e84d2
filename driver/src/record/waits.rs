//! Waits as they are counted while clients run: a slot of a histogram, two sums and a maximum each.

use std::time::Duration;

use hdrhistogram::Histogram;

use super::latency::{DIGITS, Latency, Unit};
use crate::error::{Error, Result};

/// Longer waits count as this long: an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// The waits of one thread's clients in one block.
#[derive(Clone, Debug)]
pub struct Waits {
    histogram: Histogram<u64>,
    sum: u64,
    squares: f64,
    max: u64,
    limit: Option<u64>,
    late: u64,
    skipped: u64,
    lag: Option<Lag>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Lag {
    sum: u64,
    max: u64,
}

impl Waits {
    /// Waits above `limit` are counted as late.
    pub fn new(limit: Option<Duration>) -> Result<Self> {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, DIGITS)
            .map_err(|error| Error::failed(format!("cannot count latencies: {error}")))?;
        let limit = limit.map(nanoseconds);
        Ok(Self { histogram, sum: 0, squares: 0.0, max: 0, limit, late: 0, skipped: 0, lag: None })
    }

    /// One wait.
    #[inline]
    pub fn add(&mut self, wait: Duration) {
        let ns = nanoseconds(wait);
        self.histogram.saturating_record(ns);
        self.sum = self.sum.wrapping_add(ns);
        self.squares += (ns as f64) * (ns as f64);
        self.max = self.max.max(ns);
        if self.limit.is_some_and(|limit| ns > limit) {
            self.late += 1;
        }
    }

    /// One was sent so long after its time.
    #[inline]
    pub fn lagged(&mut self, late_by: Duration) {
        let ns = nanoseconds(late_by);
        let lag = self.lag.get_or_insert_default();
        lag.sum = lag.sum.wrapping_add(ns);
        lag.max = lag.max.max(ns);
    }

    /// One was not sent, since it would have been late already.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Those of another thread, too.
    pub fn merge(&mut self, other: &Self) {
        // the bounds of all are the same, so there is a slot for each
        let _ = self.histogram.add(&other.histogram);
        self.sum = self.sum.wrapping_add(other.sum);
        self.squares += other.squares;
        self.max = self.max.max(other.max);
        self.late += other.late;
        self.skipped += other.skipped;
        if let Some(lag) = other.lag {
            let all = self.lag.get_or_insert_default();
            *all = Lag { sum: all.sum.wrapping_add(lag.sum), max: all.max.max(lag.max) };
        }
    }

    /// What is recorded of them; None where there were none.
    pub fn latency(&self, unit: Unit) -> Option<Latency> {
        let count = self.histogram.len();
        if count == 0 && self.skipped == 0 {
            return None;
        }
        let number = count.max(1) as f64;
        let mean = self.sum as f64 / number;
        let variance = (self.squares / number - mean * mean).max(0.0);
        Some(Latency {
            late: self.limit.map(|_| self.late),
            skipped: (self.limit.is_some() && (self.lag.is_some() || self.skipped > 0)).then_some(self.skipped),
            lag_mean_ns: self.lag.map(|lag| lag.sum as f64 / number),
            lag_max_ns: self.lag.map(|lag| lag.max),
            ..Latency::exact(unit, &self.histogram, mean, variance.sqrt(), self.max)
        })
    }
}

/// Saturates after some centuries.
#[inline]
fn nanoseconds(time: Duration) -> u64 {
    // in 64 bits: as_nanos() has 128
    time.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(time.subsec_nanos()))
}
