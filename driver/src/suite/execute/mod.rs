//! The runs of a suite, one after another: prepare, watch, measure, keep.

mod arm;
mod script;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use super::capture::{self, Capture};
use super::definition::Definition;
use super::ground::Ground;
use super::hook;
use super::plan::Planned;
use super::sample::{Sampling, Taken};
use super::workload::{Kind, Workload};
use crate::error::{Error, Exit, Result};
use crate::interrupt;
use crate::results::{Metric, RunKey, RunResult, SetInfo, Status, Store};
use crate::server::non_default;

pub use arm::plan;

/// A set that is being run.
pub struct Suite<'a> {
    definition: &'a Definition,
    store: &'a Store,
    set: &'a SetInfo,
    ground: Ground<'a>,
    /// Where records of single runs go, too.
    records: Option<PathBuf>,
    /// How fast each script ran last, by workload and clients: decides how many of its transactions are logged.
    rates: HashMap<(usize, usize), f64>,
}

/// How a run that was measured went, before what was seen around it is added.
struct Measured {
    result: RunResult,
    around: Around,
    metrics: Vec<Metric>,
}

/// What goes on beside the measuring, from its first moment on.
struct Around {
    capture: Option<Capture>,
    sampling: Sampling,
    began: Instant,
}

impl Around {
    fn begin(suite: &Suite<'_>) -> Result<Self> {
        let Suite { definition, ground, .. } = suite;
        let capture = match definition.statistics {
            true => Some(Capture::before(&ground.session, ground.target)?),
            false => None,
        };
        let sampling = Sampling::start(ground.target, definition.host, &definition.metrics)?;
        Ok(Self { capture, sampling, began: Instant::now() })
    }

    /// Adds what was seen to `result`. The run's backends end meanwhile: those in `before` are others'.
    fn end(self, suite: &Suite<'_>, before: &[i32], result: &mut RunResult) -> Result<()> {
        let length = self.began.elapsed().as_secs_f64();
        let Taken { samples, warnings } = self.sampling.finish();
        result.samples = samples;
        result.warnings.extend(warnings);
        if let Some(capture) = self.capture {
            let session = &suite.ground.session;
            capture::wait_until_quiet(session, before)?;
            let captured = capture.after(session, length)?;
            result.metrics.extend(captured.metrics);
            result.samples.extend(captured.samples);
            result.warnings.extend(captured.warnings);
        }
        Ok(())
    }
}

/// What is told of each run as the suite goes.
pub trait Tell {
    fn ends(&mut self, planned: &Planned, workload: &Workload, result: &RunResult);
}

impl<'a> Suite<'a> {
    pub fn new(
        definition: &'a Definition,
        store: &'a Store,
        set: &'a SetInfo,
        ground: Ground<'a>,
        records: Option<PathBuf>,
    ) -> Self {
        Self { definition, store, set, ground, records, rates: HashMap::new() }
    }

    /// Runs `runs` in their order; how many failed. One that fails does not keep the others from being run, unless the server
    /// is gone.
    ///
    /// # Errors
    /// Interrupted, or no server to go on with, or results that cannot be stored. What was finished is kept.
    pub fn run(&mut self, runs: &[Planned], tell: &mut dyn Tell) -> Result<usize> {
        let mut failed = 0;
        for planned in runs {
            interrupt::check()?;
            let workload = &self.definition.workloads[planned.workload];
            let mut server = self.ground.target.info.clone();
            server.settings = non_default(&self.ground.session)?;
            let run = self.store.begin_run(self.set.id, planned.position, &server)?;
            let mut record = None;
            let outcome = self.one(planned, workload, &mut record);
            let (mut result, error) = match outcome {
                Ok(result) => (result, None),
                Err(error) => (RunResult::without_numbers(status(&error), said(&error)), Some(error)),
            };
            (result.settings, result.record) = (server.settings, record);
            self.store.finish_run(run, &result)?;
            tell.ends(planned, workload, &result);
            if let Some(error) = error {
                failed += 1;
                if error.exit == Exit::Interrupted {
                    return Err(error);
                }
                self.go_on(error)?;
            }
        }
        Ok(failed)
    }

    /// After a failure: a new session, since that one may be lost.
    fn go_on(&mut self, error: Error) -> Result<()> {
        match self.ground.target.session() {
            Ok(session) => {
                self.ground.session = session;
                Ok(())
            }
            Err(_) => Err(error.context("the server is gone")),
        }
    }

    fn one(&mut self, planned: &Planned, workload: &Workload, record: &mut Option<String>) -> Result<RunResult> {
        let definition = self.definition;
        let target = self.ground.target;
        let place = hook::Place {
            config: &target.config,
            set: self.set.id,
            workload: &workload.name,
            scale: planned.scale,
            clients: planned.clients,
            repeat: planned.repeat,
        };
        let prepared = self.ground.prepare(definition, planned, workload, &place)?;
        let backends = capture::backends(&self.ground.session)?;
        let measured = match &workload.kind {
            Kind::Arm(spec) => self.arm(planned, spec, record),
            Kind::Script(script) => self.script(planned, workload, script),
        };
        let Measured { mut result, around, metrics } = measured?;
        result.metrics = [prepared, metrics].concat();
        around.end(self, &backends, &mut result)?;
        result.metrics.extend(self.ground.clean_up(definition, workload)?);
        Ok(result)
    }
}

fn status(error: &Error) -> Status {
    if error.exit == Exit::Interrupted { Status::Interrupted } else { Status::Failed }
}

fn said(error: &Error) -> Option<String> {
    (error.exit != Exit::Interrupted).then(|| error.to_string())
}

/// A planned run as results name it.
pub fn key(definition: &Definition, planned: &Planned) -> RunKey {
    let workload = &definition.workloads[planned.workload];
    let (kind, arm, protocol, placement) = match &workload.kind {
        Kind::Arm(spec) => {
            let protocol = arm::protocol(spec).map(str::to_owned);
            (crate::results::Kind::Arm, Some(spec.arm.clone()), protocol, spec.placement)
        }
        Kind::Script(script) => (crate::results::Kind::Pgbench, None, Some(script.protocol.clone()), None),
    };
    RunKey {
        position: planned.position,
        workload: workload.name.clone(),
        kind,
        arm,
        protocol,
        placement,
        scale: Some(planned.scale),
        clients: planned.clients as i32,
        threads: definition.threads(planned.clients) as i32,
        rate: planned.rate,
        repeat: planned.repeat as i32,
    }
}
