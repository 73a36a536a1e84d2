//! A run of an arm: the engine of `sps run` and `sps compare`, one arm by itself.

use super::{Around, Measured, Suite};
use crate::arm::{ArmSpec, WIRE_ARMS, tokio};
use crate::error::{Error, Result};
use crate::measure::{Measurement, Next, Sink};
use crate::record::{Block, Lost, Plan, Writer};
use crate::results::{Metric, RunResult, Second, Status, Unit};
use crate::schedule::{MIN_EPOCHS, ROUNDS_PER_EPOCH};
use crate::suite::definition::{Definition, Length};
use crate::suite::plan::Planned;
use crate::watch::{Compared, Shown, Stop, Watch, header};

/// Blocks of a run of fixed length: one a second, as the series has it.
const BLOCK_MS: u64 = 1000;
/// Of a run that looks at its precision.
const SHORT_BLOCK_MS: u64 = 250;
const SELECTS_PER_CALL: i64 = 10_000;

/// How an arm is measured.
pub fn plan(definition: &Definition, clients: usize, rate: Option<f64>, position: i32) -> Plan {
    let (block_ms, rounds, limit, half_width) = match definition.length {
        Length::Seconds(seconds) => (BLOCK_MS, Some(seconds), 3.0 * seconds as f64, 0.01),
        // a week: the number of transactions ends it
        Length::Transactions(_) => (BLOCK_MS, Some(1), 604_800.0, 0.01),
        Length::Precise { half_width, at_most } => (SHORT_BLOCK_MS, None, at_most as f64, half_width),
    };
    let per_client = match definition.length {
        Length::Transactions(count) => Some(count),
        _ => None,
    };
    Plan {
        // keys of its own for every run, the same when it is done again
        seed: definition.seed.wrapping_add(i64::from(position)),
        clients,
        threads: definition.threads(clients),
        selects_per_call: SELECTS_PER_CALL,
        block_ms,
        lead_in_ms: 0,
        rounds_per_epoch: rounds.unwrap_or(ROUNDS_PER_EPOCH),
        min_epochs: if rounds.is_some() { 1 } else { MIN_EPOCHS },
        max_rounds: rounds,
        time_limit_s: limit,
        half_width,
        distribution: "uniform".into(),
        skew: None,
        per_client,
        rate,
        latency_limit_ms: None,
    }
}

/// The protocol of a wire arm; None in the server.
pub fn protocol(spec: &ArmSpec) -> Option<&'static str> {
    match WIRE_ARMS.iter().find(|arm| arm.name() == spec.arm) {
        Some(arm) if arm.statement().is_some() => Some("prepared"),
        Some(arm) if arm.name() == "extended" => Some("extended"),
        Some(_) => Some("simple"),
        None => (spec.arm == tokio::NAME).then_some("prepared"),
    }
}

impl Suite<'_> {
    /// What was written of the record is in `record`, however the run ends.
    pub(super) fn arm(&self, planned: &Planned, spec: &ArmSpec, record: &mut Option<String>) -> Result<Measured> {
        let target = self.ground.target;
        let (dataset, lookup) = self.ground.data()?;
        let plan = plan(self.definition, planned.clients, planned.rate, planned.position);
        let specs = std::slice::from_ref(spec);
        let mut measurement = Measurement::prepare(target, dataset, lookup, specs, None, plan)?;
        // the ground is as warm as the definition wants it
        measurement.leave_data();
        let reference = measurement.arms().first().map(|arm| arm.name.clone()).unwrap_or_default();
        let compared = Compared { reference, pairs: Vec::new(), expectations: Vec::new() };
        let header = header("suite", target, dataset, &measurement, compared, Vec::new())?;
        let folder = tempfile::Builder::new().prefix("sps-").tempdir()?;
        let writer = Writer::create(Some(self.records.as_deref().unwrap_or(folder.path())), "suite")?;
        let path = writer.path().to_owned();
        let precise = matches!(self.definition.length, Length::Precise { .. });
        let stop = if precise { Stop::Precise } else { Stop::Limits };
        let watch = Watch::start(header, writer, stop, Shown::Nothing)?;
        let mut kept = Kept { watch, blocks: Vec::new(), suite: self, around: None };
        let measured = measurement.run(&mut kept);
        let Kept { watch, blocks, around, .. } = kept;
        let ended = measured.as_ref().err().map(|error| error.exit);
        let finished = watch.finish(measured);
        *record = std::fs::read_to_string(&path).ok();
        let summary = match (finished, ended) {
            // its hint names the file, which goes with its folder
            (Err(error), Some(_)) if self.records.is_none() => return Err(Error { hint: None, ..error }),
            (Ok(_), Some(exit)) => return Err(Error { exit, ..Error::interrupted() }),
            (finished, _) => finished?.summary,
        };
        let arm = summary.arms.first().ok_or_else(|| Error::failed("no block of the run holds a select"))?;
        let count: i64 = blocks.iter().map(|block| block.selects).sum();
        let elapsed_ns: i64 = blocks.iter().map(|block| block.elapsed_ns).sum();
        // by the estimator that the precision was asked of, where it was; else what was counted
        let per_second = if precise { arm.sps } else { count as f64 * 1e9 / elapsed_ns as f64 };
        let result = RunResult {
            unit: Some(Unit::Selects),
            count: Some(count),
            elapsed_ns: Some(elapsed_ns),
            per_second: Some(per_second),
            low: arm.sps_low.filter(|_| precise),
            high: arm.sps_high.filter(|_| precise),
            found: arm.found,
            latency: arm.latency.clone(),
            series: series(&blocks),
            warnings: summary.warnings.clone(),
            ..RunResult::without_numbers(Status::Done, None)
        };
        let around = around.ok_or_else(|| Error::failed("no block was measured"))?;
        Ok(Measured { result, around, metrics: cpu(&blocks) })
    }
}

/// CPU time of both sides, where every block tells it.
fn cpu(blocks: &[Block]) -> Vec<Metric> {
    let sum = |part: fn(&Block) -> Option<i64>| blocks.iter().map(part).sum::<Option<i64>>();
    let times = [("client_cpu", sum(|block| block.client_cpu_ns)), ("backend_cpu", sum(|block| block.backend_cpu_ns))];
    times.into_iter().filter_map(|(name, ns)| super::script::seconds(name, ns?)).collect()
}

/// Blocks as seconds: each counts in the second of measured time in which it ended.
fn series(blocks: &[Block]) -> Vec<Second> {
    let mut series: Vec<Second> = Vec::new();
    let mut measured = 0;
    for block in blocks {
        measured += block.elapsed_ns;
        // a block of a second ends a little after it
        let second = ((measured - block.elapsed_ns / 2) / 1_000_000_000) as i32;
        let mean = block.latency.as_ref().map(|latency| (latency.mean_ns, latency.max_ns as f64));
        match series.last_mut().filter(|last| last.second == second) {
            Some(last) => {
                let weight = block.selects as f64 / (last.count + block.selects).max(1) as f64;
                last.latency_ns = last.latency_ns.zip(mean).map(|(all, (one, _))| all + (one - all) * weight);
                last.latency_max_ns = last.latency_max_ns.zip(mean).map(|(all, (_, one))| all.max(one));
                last.count += block.selects;
            }
            None => series.push(Second {
                second,
                count: block.selects,
                failed: 0,
                latency_ns: mean.map(|(mean, _)| mean),
                latency_max_ns: mean.map(|(_, max)| max),
            }),
        }
    }
    series
}

/// The record's sink, whose blocks are wanted afterwards, too; it has the server watched from the first of them on.
struct Kept<'s> {
    watch: Watch,
    blocks: Vec<Block>,
    suite: &'s Suite<'s>,
    around: Option<Around>,
}

impl Sink for Kept<'_> {
    fn ready(&mut self, epoch: u64) -> Result<()> {
        if self.around.is_none() {
            self.around = Some(Around::begin(self.suite)?);
        }
        self.watch.ready(epoch)
    }

    fn block(&mut self, block: Block) -> Result<()> {
        self.blocks.push(block.clone());
        self.watch.block(block)
    }

    fn lost(&mut self, lost: Lost) -> Result<()> {
        self.watch.lost(lost)
    }

    fn round(&mut self, round: u64, epoch: u64, epoch_done: bool) -> Result<Next> {
        self.watch.round(round, epoch, epoch_done)
    }
}
