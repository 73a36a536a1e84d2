//! Counting instructions per select: the same on a busy machine as on an idle one.
//!
//! An arm runs twice on new backends, once with few selects and once with many; the difference, over the selects that make it, is
//! what one costs.

pub mod callgrind;
mod check;
mod difference;
mod hardware;
mod valgrind;

use std::time::SystemTime;

pub use check::{check, comparable, differences};

use crate::arm::{ArmSpec, Lookup};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::measure::{Measurement, Pin, Single};
use crate::profile::symbol::SYMBOLS_HINT;
use crate::record::{
    COUNT, Count, CountedArm, CountedPair, Dataset, Host, Method, Plan, SCHEMA_VERSION, Side, Status, Tool, mask, utc,
};
use crate::server::Target;
use valgrind::Valgrind;

/// Selects of the shorter run: the caches of a new backend are filled by then.
const FEW: i64 = 1000;

/// What to count, and how.
#[derive(Clone, Debug)]
pub struct Order {
    pub specs: Vec<ArmSpec>,
    pub method: Method,
    /// Selects that are counted of each arm.
    pub selects: i64,
    /// One client's; of it the seed counts.
    pub plan: Plan,
}

/// What counts, found before a server is started for its sake.
pub enum Counter {
    Callgrind(Valgrind),
    Hardware,
}

impl Counter {
    pub fn find(method: Method) -> Result<Self> {
        match method {
            Method::Callgrind => Valgrind::find().map(Self::Callgrind),
            Method::Hardware => Ok(Self::Hardware),
        }
    }

    fn version(&self) -> String {
        match self {
            Self::Callgrind(valgrind) => valgrind.version.clone(),
            Self::Hardware => "perf_event_open".into(),
        }
    }
}

/// Checks that every arm does what it says, then counts each; `progress` is told the name of each before.
///
/// # Errors
/// An arm that is unknown or refused, a failed check, an interrupt: nothing of a count is kept then.
pub fn count(
    order: &Order,
    counter: &Counter,
    target: &mut Target,
    dataset: &Dataset,
    lookup: &Lookup,
    progress: &mut dyn FnMut(&str),
) -> Result<Count> {
    let started = utc(SystemTime::now());
    // without valgrind: it takes a fraction of the time
    let mut warnings = prepare(order, target, dataset, lookup)?.verify()?;
    let mut arms = match counter {
        Counter::Hardware => by_hardware(order, target, dataset, lookup, progress)?,
        Counter::Callgrind(valgrind) => {
            by_callgrind(order, valgrind, target, dataset, lookup, progress, &mut warnings)?
        }
    };
    // as typed: where an arm runs makes no difference here
    arms.iter_mut().zip(&order.specs).for_each(|(arm, spec)| arm.name = spec.to_string());
    if target.info.assertions {
        warnings.push("the server is built with assertions: a select costs more than on any other".into());
    }
    let reference = arms.first().ok_or_else(|| Error::usage("no arm is named"))?;
    let pair = |test: &CountedArm| CountedPair {
        base: reference.name.clone(),
        test: test.name.clone(),
        ratio: test.instructions_per_select / reference.instructions_per_select,
        difference: test.instructions_per_select - reference.instructions_per_select,
    };
    Ok(Count {
        schema_version: SCHEMA_VERSION,
        command: COUNT.into(),
        command_line: std::env::args_os().map(|arg| mask(&arg.to_string_lossy())).collect(),
        started,
        tool: Tool::this(),
        host: Host::this(),
        status: Status::Done,
        server: target.info.clone(),
        dataset: dataset.clone(),
        method: order.method,
        counted_by: counter.version(),
        selects: order.selects,
        seed: order.plan.seed,
        reference: reference.name.clone(),
        comparisons: arms.iter().skip(1).map(pair).collect(),
        arms,
        check: None,
        warnings,
        record: None,
    })
}

fn by_callgrind(
    order: &Order,
    valgrind: &Valgrind,
    target: &mut Target,
    dataset: &Dataset,
    lookup: &Lookup,
    progress: &mut dyn FnMut(&str),
    warnings: &mut Vec<String>,
) -> Result<Vec<CountedArm>> {
    // every row's hint bits: VACUUM could not set those of a commit that was not on disk yet, and the first select that reads a row
    // would, with WAL where pages have checksums
    let session = target.session()?;
    let sql = format!("SELECT count({}) FROM {}", lookup.value, lookup.relation);
    session.interruptible(|| session.batch(&sql))?;
    drop(session);
    let outputs = valgrind.start(target)?;
    let measurement = prepare(order, target, dataset, lookup)?;
    let mut arms = Vec::with_capacity(order.specs.len());
    for (at, info) in measurement.arms().into_iter().enumerate() {
        progress(&info.name);
        let run = |selects: i64| {
            let mut single = Single::start(&measurement, at)?;
            let backend = single.backends().first().copied().ok_or_else(|| Error::failed("the arm has no backend"))?;
            single.selects(selects)?;
            drop(single);
            outputs.of(backend)
        };
        // what only the first of all does, as setting hint bits in the catalogs
        run(FEW)?;
        let (few, many) = (run(FEW)?, run(FEW + order.selects)?);
        if many.is_stripped() && !warnings.iter().any(|warning| warning == SYMBOLS_HINT) {
            warnings.push(SYMBOLS_HINT.into());
        }
        let found = difference::per_select(&few, &many, order.selects);
        arms.push(CountedArm {
            name: info.name,
            arm: info.arm,
            placement: info.placement,
            side: info.side,
            control: info.control,
            instructions_per_select: found.instructions,
            harness_share: Some(found.harness_share),
            functions: found.functions,
        });
    }
    Ok(arms)
}

fn by_hardware(
    order: &Order,
    target: &Target,
    dataset: &Dataset,
    lookup: &Lookup,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<CountedArm>> {
    let measurement = prepare(order, target, dataset, lookup)?;
    let session = target.session()?;
    let mut arms = Vec::with_capacity(order.specs.len());
    for info in measurement.arms() {
        progress(&info.name);
        let schema =
            target.extension_schema.as_deref().filter(|_| info.side == Side::Server && info.arm != "call_commit");
        let schema = schema.ok_or_else(|| {
            Error::usage(format!("arm \"{}\" is no layer, and the counter is read in the extension", info.arm))
                .hint("count it with --by callgrind")
        })?;
        let (relation, layer) = (&lookup.relation, &info.arm);
        let counted = hardware::per_select(&session, schema, layer, relation, FEW, order.selects, order.plan.seed)?;
        arms.push(CountedArm {
            name: info.name,
            arm: info.arm,
            placement: info.placement,
            side: info.side,
            control: info.control,
            instructions_per_select: counted,
            harness_share: None,
            functions: Vec::new(),
        });
    }
    Ok(arms)
}

/// The arms, unpinned: nothing is timed.
fn prepare<'a>(order: &Order, target: &'a Target, dataset: &'a Dataset, lookup: &'a Lookup) -> Result<Measurement<'a>> {
    interrupt::check()?;
    Measurement::prepare(target, dataset, lookup, &order.specs, Some(Pin::Free), order.plan.clone())
}
