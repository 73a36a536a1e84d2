//! Where a select's time goes: perf on the backend of one arm, from when it is warm to when it has had its time.
//!
//! Of a layer only what lies under its loop is kept; of a wire arm the backend and the client, each by itself.

mod flame;
mod hot;
mod perf;
mod script;
mod stack;
pub mod symbol;
mod table;
mod unwind;

use std::time::Duration;

pub use flame::{Caption, difference as difference_graph, graph};
pub use perf::{DEFAULT_EVENT, Script, version};
pub use stack::Stacks;
pub use table::{difference as difference_text, text};
pub use unwind::Unwind;

use crate::arm::{ArmSpec, Lookup};
use crate::error::{Error, Result};
use crate::measure::{Done, Measurement, Single};
use crate::record::{Dataset, Plan, Side};
use crate::server::Target;
use perf::{Recipe, Recording};
use stack::Part;

/// What to profile, and how.
#[derive(Clone, Debug)]
pub struct Order {
    pub spec: ArmSpec,
    pub time: Duration,
    pub event: String,
    /// Samples a second.
    pub frequency: u64,
    /// None: what the server's program allows.
    pub unwind: Option<Unwind>,
    /// One client's.
    pub plan: Plan,
}

/// An arm's profile.
pub struct Profile {
    /// With its placement: `prepared@same`.
    pub arm: String,
    pub backend: Stacks,
    /// Of wire arms.
    pub client: Option<Stacks>,
    pub selects: i64,
    /// Of a layer by the server's clock.
    pub elapsed_ns: i64,
    pub frequency: u64,
    pub unwind: Unwind,
    pub layer: bool,
    pub warnings: Vec<String>,
    pub script: Script,
}

/// Below so many samples a function of a hundredth of the time is a guess.
const FEW_SAMPLES: usize = 500;
/// Below this share under the loop, unwinding does not work well enough.
const WHOLE: f64 = 0.95;

impl Profile {
    /// Unit of the weights: `ns` by the clock, else the event.
    pub fn unit(&self) -> &str {
        let event = self.backend.event.as_str();
        if event.contains("clock") { "ns" } else { event.split(':').next().unwrap_or(event) }
    }

    /// How it was made, in a line.
    pub fn about(&self) -> String {
        format!("{} at {} Hz, by {}", self.backend.event, self.frequency, self.unwind.name())
    }

    /// What a flame graph is drawn from; a wire arm's begins with which process it is.
    pub fn folded(&self) -> Vec<String> {
        let Some(client) = &self.client else { return self.backend.folded("", |weight| weight) };
        let mut lines = self.backend.folded("backend", |weight| weight);
        lines.extend(client.folded("client", |weight| weight));
        lines
    }

    /// The backend's stacks, as thousandths of the unit per select, a layer's loop called `loop`.
    pub fn folded_per_select(&self) -> Vec<String> {
        let selects = self.selects.max(1) as f64;
        let per_select = |weight: u64| (weight as f64 * 1000.0 / selects).round() as u64;
        self.backend.clone().with_loop_renamed().folded("", per_select)
    }
}

/// Profiles one arm.
///
/// # Errors
/// The server runs elsewhere, the arm is unknown or refused, perf is refused, or nothing was sampled.
pub fn record(order: &Order, target: &Target, dataset: &Dataset, lookup: &Lookup) -> Result<Profile> {
    let measurement = ready(order, target, dataset, lookup)?;
    let warnings = measurement.verify()?;
    let mut single = Single::start(&measurement, 0)?;
    let backend = backend(&single)?;
    let layer = single.is_layer();
    let unwind = match order.unwind {
        Some(unwind) => unwind,
        None => Unwind::of(backend)?,
    };
    let me = std::process::id() as i32;
    let client = single.info().side == Side::Wire;
    let processes = if client { vec![backend, me] } else { vec![backend] };
    let recipe = Recipe { event: order.event.clone(), frequency: order.frequency, unwind };
    let mut recording = Recording::attach(&processes, &recipe)?;
    recording.enable()?;
    let done = single.lasting(order.time)?;
    recording.disable()?;
    let script = recording.finish()?;
    let samples = script::parse(&script.text)?;
    let profile = Profile {
        arm: single.info().name.clone(),
        backend: Stacks::of(&samples, backend, if layer { Part::Loop } else { Part::All }),
        client: client.then(|| Stacks::of(&samples, me, Part::All)),
        selects: done.tally.selects,
        elapsed_ns: elapsed(&done),
        frequency: order.frequency,
        unwind,
        layer,
        warnings,
        script,
    };
    warned(profile)
}

/// Makes an arm ready, lets `pause` say which processes it is (backend, client) and wait, and runs it for its time.
pub fn paused(
    order: &Order,
    target: &Target,
    dataset: &Dataset,
    lookup: &Lookup,
    pause: impl FnOnce(&str, i32, i32) -> Result<()>,
) -> Result<(i64, i64)> {
    let measurement = ready(order, target, dataset, lookup)?;
    let mut single = Single::start(&measurement, 0)?;
    pause(&single.info().name.clone(), backend(&single)?, std::process::id() as i32)?;
    let done = single.lasting(order.time)?;
    Ok((done.tally.selects, elapsed(&done)))
}

/// Of several placements the first counts: one core, where that can be had.
fn ready<'a>(order: &Order, target: &'a Target, dataset: &'a Dataset, lookup: &'a Lookup) -> Result<Measurement<'a>> {
    if target.postmaster.is_none() {
        return Err(Error::failed("the server's processes are not to be seen from here").hint(
            "run sps on the server's machine, without a pooler between; or profile on a private server: --private",
        ));
    }
    Measurement::prepare(target, dataset, lookup, std::slice::from_ref(&order.spec), None, order.plan.clone())
}

fn backend(single: &Single<'_>) -> Result<i32> {
    single.backends().first().copied().ok_or_else(|| Error::failed("the arm has no backend"))
}

fn elapsed(done: &Done) -> i64 {
    done.tally.server_ns.unwrap_or(done.driver_ns)
}

fn warned(mut profile: Profile) -> Result<Profile> {
    let Profile { backend, layer, unwind, .. } = &profile;
    if backend.samples == 0 {
        return Err(
            Error::failed("perf took no sample of the backend").hint("lengthen it with --time, or raise --frequency")
        );
    }
    let mut warnings = Vec::new();
    if *layer && backend.share_under_loop() < WHOLE {
        let other = if *unwind == Unwind::Fp { "dwarf" } else { "fp" };
        warnings.push(format!("many stacks could not be followed to the layer's loop: try --unwind {other}"));
    }
    if backend.samples < FEW_SAMPLES {
        warnings.push(format!("{} samples are few: lengthen it with --time", backend.samples));
    }
    if backend.is_stripped("postgres") {
        warnings.push(symbol::SYMBOLS_HINT.into());
    }
    profile.warnings.extend(warnings);
    Ok(profile)
}
