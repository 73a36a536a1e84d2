//! A run of a script by pgbench; several in a row where the precision is looked at.

use super::{Around, Measured, Suite};
use crate::arm::pgbench::{Length as Ends, Pgbench};
use crate::error::Result;
use crate::record::{Unit as Wait, Waits};
use crate::results::{Metric, RunResult, Second, Status, Unit};
use crate::schedule::{self, ROUNDS_PER_EPOCH};
use crate::stats::estimate;
use crate::stats::ratio_of_totals::Amount;
use crate::suite::definition::Length;
use crate::suite::pgbench::{self, Done, Request};
use crate::suite::plan::Planned;
use crate::suite::workload::{Script, Workload};

/// Transactions a second that are logged at most: 5000 make the 99.9th percentile of a minute stand on 300 of them, and
/// take pgbench half a percent of a core.
const LOGGED_PER_SECOND: f64 = 5000.0;
/// What a script is taken to do until it has been seen.
const READS: f64 = 50_000.0;

/// Parts of a run whose precision is looked at, each on connections of its own, as epochs are: twelve in the time given.
const PARTS: u64 = 12;

impl Suite<'_> {
    pub(super) fn script(&mut self, planned: &Planned, workload: &Workload, script: &Script) -> Result<Measured> {
        let definition = self.definition;
        let target = self.ground.target;
        let bindir = target.private().map(|server| server.installation.bindir.as_path());
        let program = Pgbench::find(bindir)?;
        let known = self.rates.get(&(planned.workload, planned.clients)).copied();
        let expected = planned.rate.or(known).unwrap_or(if workload.writes { 0.0 } else { READS });
        let mut request = Request {
            script,
            scale: planned.scale,
            clients: planned.clients,
            threads: definition.threads(planned.clients),
            length: match definition.length {
                Length::Seconds(seconds) => Ends::Seconds(seconds),
                Length::Transactions(count) => Ends::Transactions(count),
                Length::Precise { at_most, .. } => Ends::Seconds(at_most.div_ceil(PARTS)),
            },
            rate: planned.rate,
            seed: definition.seed.wrapping_add(i64::from(planned.position)),
            sampling: (LOGGED_PER_SECOND / expected.max(1.0)).min(1.0),
        };
        let mut waits = Waits::new(None)?;
        let mut parts: Vec<Done> = Vec::new();
        let around = Around::begin(self)?;
        loop {
            parts.push(pgbench::run(&program, &target.config, &request, &mut waits)?);
            if self.enough(&parts) {
                break;
            }
            request.seed = request.seed.wrapping_add(1 << 16);
        }
        let count: i64 = parts.iter().map(|part| part.output.transactions).sum();
        let elapsed_ns: i64 = parts.iter().map(|part| part.elapsed_ns).sum();
        let mut per_second = count as f64 * 1e9 / elapsed_ns as f64;
        self.rates.insert((planned.workload, planned.clients), per_second);
        let precise = matches!(definition.length, Length::Precise { .. });
        let estimate = estimate::rate(&amounts(&parts)).filter(|_| precise);
        if let Some(found) = &estimate {
            per_second = found.value;
        }
        let interval = estimate.and_then(|found| found.interval);
        let mut latency = waits.latency(Wait::Transaction);
        if let (Some(latency), Some(_)) = (&mut latency, planned.rate) {
            latency.skipped = Some(parts.iter().map(|part| part.output.skipped.max(0) as u64).sum());
        }
        let result = RunResult {
            unit: Some(Unit::Transactions),
            count: Some(count),
            elapsed_ns: Some(elapsed_ns),
            per_second: Some(per_second),
            low: interval.map(|found| found.low),
            high: interval.map(|found| found.high),
            failed: Some(parts.iter().map(|part| part.output.failed).sum()),
            latency,
            series: series(&parts),
            ..RunResult::without_numbers(Status::Done, None)
        };
        let cpu: Option<i64> = parts.iter().map(|part| part.used.map(|used| used.cpu_ns)).sum();
        let metrics = cpu.and_then(|ns| seconds("client_cpu", ns)).into_iter().collect();
        Ok(Measured { result, around, metrics })
    }

    /// Is the run at its end after `parts`?
    fn enough(&self, parts: &[Done]) -> bool {
        let Length::Precise { half_width, at_most } = self.definition.length else { return true };
        let done = parts.len() as u64;
        if at_most.div_ceil(PARTS) * (done + 1) > at_most {
            return true;
        }
        // at the looks of epochs, since a part is one
        let found = estimate::rate(&amounts(parts)).and_then(|found| Some((found.value, found.interval?)));
        let narrow = found.is_some_and(|(rate, interval)| interval.width() / 2.0 / rate <= half_width);
        schedule::is_look(done * ROUNDS_PER_EPOCH) && narrow
    }
}

fn amounts(parts: &[Done]) -> Vec<(u64, Amount)> {
    let amount = |part: &Done| Amount { selects: part.output.transactions as f64, elapsed: part.elapsed_ns as f64 };
    (0..).zip(parts).map(|(epoch, part)| (epoch, amount(part))).collect()
}

/// The parts' series, one behind the other.
fn series(parts: &[Done]) -> Vec<Second> {
    let mut all: Vec<Second> = Vec::new();
    for part in parts {
        let from = all.last().map_or(0, |last| last.second + 1);
        all.extend(part.output.series.iter().map(|second| Second { second: from + second.second, ..second.clone() }));
    }
    all
}

/// A metric of sps's own in seconds.
pub fn seconds(name: &str, ns: i64) -> Option<Metric> {
    let delta = ns as f64 / 1e9;
    (ns >= 0).then(|| Metric { source: "sps".into(), name: name.into(), unit: "s".into(), delta })
}
