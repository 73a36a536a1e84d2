//! `sps compare`: rounds of arms, ratios with intervals.

use crate::arm::ArmSpec;
use crate::cmd::destination::Destination;
use crate::cmd::dry_run;
use crate::cmd::layout::{Defaults, Layout, Limits};
use crate::cmd::pair::{Expect, Pair};
use crate::cmd::subject::{Opened, Subject};
use crate::error::{Error, Exit, Result};
use crate::measure::Measurement;
use crate::record::ArmInfo;
use crate::report;
use crate::watch::{Compared, Stop};

/// The patch's three numbers: each select sent as text, prepared, and looped in the server.
const DEFAULT_ARMS: [&str; 3] = ["simple", "prepared", "plpgsql"];

const DEFAULTS: Defaults = Defaults { time_limit_s: 60.0, half_width: 0.01 };

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Arms, the reference first: prepared, plpgsql, prepared@same, … [default: simple prepared plpgsql]
    #[arg(value_name = "ARM")]
    arms: Vec<String>,
    /// Compare these two, too (repeatable)
    #[arg(long = "pair", value_name = "TEST/BASE")]
    pairs: Vec<String>,
    /// Expect a ratio and exit with 3 where it is refuted, 4 where it is left open: 'plpgsql/prepared@same>=2' (repeatable; >=, <=, >, <)
    #[arg(long = "expect", value_name = "TEST/BASE>=RATIO")]
    expected: Vec<String>,
    /// Compare an arm with itself: the noise floor
    #[arg(long, value_name = "ARM", conflicts_with_all = ["arms", "pairs", "expected"])]
    aa: Option<String>,
    #[command(flatten)]
    layout: Layout,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    subject: Subject,
}

pub fn run(args: Args) -> Result<Exit> {
    let specs = args.specs()?;
    let pairs = args.pairs.iter().map(|text| Pair::read(text)).collect::<Result<Vec<_>>>()?;
    let expected = args.expected.iter().map(|text| text.parse()).collect::<Result<Vec<Expect>>>()?;
    let plan = args.limits.plan(&args.layout, DEFAULTS)?;
    if args.limits.dry_run {
        let arms = dry_run::arms(&specs, args.subject.pin)?;
        let compared = compared(&arms, &specs, &pairs, &expected)?;
        report::print_text(&dry_run::schedule(&arms, plan, &compared))?;
        return Ok(Exit::Done);
    }
    let destination = args.destination.open()?;

    let opened = args.subject.open()?;
    let Opened { target, dataset, lookup, .. } = &opened;
    let measurement = Measurement::prepare(target, dataset, lookup, &specs, args.subject.pin, plan)?;
    let arms = measurement.arms();
    let compared = compared(&arms, &specs, &pairs, &expected)?;
    let report = opened.measure("compare", &measurement, compared, Stop::Precise, destination.shows_progress())?;
    let exit = report.summary.exit();
    destination.write(&[report])?;
    Ok(exit)
}

impl Args {
    fn specs(&self) -> Result<Vec<ArmSpec>> {
        if let Some(arm) = &self.aa {
            let spec: ArmSpec = arm.parse()?;
            return Ok([1, 2].map(|side| ArmSpec { side: Some(side), ..spec.clone() }).into());
        }
        if self.arms.is_empty() {
            return DEFAULT_ARMS.iter().map(|arm| arm.parse()).collect();
        }
        self.arms.iter().map(|arm| arm.parse()).collect()
    }
}

fn compared(arms: &[ArmInfo], specs: &[ArmSpec], pairs: &[Pair], expected: &[Expect]) -> Result<Compared> {
    Ok(Compared {
        reference: reference(arms, specs)?,
        pairs: pairs.iter().map(|pair| pair.resolve(arms)).collect::<Result<_>>()?,
        expectations: expected.iter().map(|one| one.resolve(arms)).collect::<Result<_>>()?,
    })
}

/// The first arm, in `same` placement where it runs in several.
fn reference(arms: &[ArmInfo], specs: &[ArmSpec]) -> Result<String> {
    let first = specs.first().map(|spec| ArmSpec { side: None, ..spec.clone() }.to_string());
    let found = first.as_deref().and_then(|first| report::named(arms, first));
    found.map(|info| info.name.clone()).ok_or_else(|| Error::usage("no arm is named"))
}
