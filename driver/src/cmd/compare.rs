//! `sps compare`: rounds of arms, ratios with intervals.

use crate::arm::ArmSpec;
use crate::cmd::destination::Destination;
use crate::cmd::layout::{BLOCK_MS, Defaults, Layout, Limits};
use crate::cmd::subject::{Opened, Subject};
use crate::error::{Error, Exit, Result};
use crate::measure::Measurement;
use crate::record::{ArmInfo, mask};
use crate::report;
use crate::watch::{Compared, Stop};

/// The patch's three numbers: each select sent as text, prepared, and looped in the server.
const DEFAULT_ARMS: [&str; 3] = ["simple", "prepared", "plpgsql"];

const DEFAULTS: Defaults = Defaults { block_ms: BLOCK_MS, time_limit_s: 60.0, half_width: 0.01 };

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Arms, the reference first: prepared, plpgsql, prepared@same, … [default: simple prepared plpgsql]
    #[arg(value_name = "ARM")]
    arms: Vec<String>,
    /// Compare these two, too (repeatable)
    #[arg(long = "pair", value_name = "TEST/BASE")]
    pairs: Vec<String>,
    /// Compare an arm with itself: the noise floor
    #[arg(long, value_name = "ARM", conflicts_with_all = ["arms", "pairs"])]
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
    let pairs = args.pairs.iter().map(|text| pair(text)).collect::<Result<Vec<_>>>()?;
    let plan = args.limits.plan(&args.layout, DEFAULTS)?;
    let destination = args.destination.open()?;

    let opened = args.subject.open()?;
    let Opened { target, dataset, lookup, .. } = &opened;
    let measurement = Measurement::prepare(target, dataset, lookup, &specs, args.subject.pin, plan)?;
    let arms = measurement.arms();
    let compared = Compared { reference: reference(&arms, &specs)?, pairs: resolve(&arms, &pairs)? };
    let report = opened.measure("compare", &measurement, compared, Stop::Precise, destination.shows_progress())?;
    let exit = report.summary.status.exit();
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

fn pair(text: &str) -> Result<(ArmSpec, ArmSpec)> {
    match text.split_once('/') {
        Some((test, base)) if !test.is_empty() && !base.is_empty() => Ok((test.parse()?, base.parse()?)),
        _ => Err(Error::usage(format!("--pair \"{}\" is not TEST/BASE", mask(text)))
            .hint("for example --pair plpgsql/prepared@same")),
    }
}

/// The first arm, in `same` placement where it runs in several.
fn reference(arms: &[ArmInfo], specs: &[ArmSpec]) -> Result<String> {
    let first = specs.first().map(|spec| ArmSpec { side: None, ..spec.clone() }.to_string());
    let found = first.as_deref().and_then(|first| report::named(arms, first));
    found.map(|info| info.name.clone()).ok_or_else(|| Error::usage("no arm is named"))
}

fn resolve(arms: &[ArmInfo], pairs: &[(ArmSpec, ArmSpec)]) -> Result<Vec<(String, String)>> {
    let find = |spec: &ArmSpec| {
        report::named(arms, &spec.to_string()).map(|info| info.name.clone()).ok_or_else(|| {
            let names: Vec<&str> = arms.iter().map(|info| info.name.as_str()).collect();
            Error::usage(format!("--pair names arm \"{spec}\", which is not measured"))
                .hint(format!("measured are {}", names.join(", ")))
        })
    };
    let named: Vec<(String, String)> =
        pairs.iter().map(|(test, base)| Ok((find(test)?, find(base)?))).collect::<Result<_>>()?;
    match named.iter().find(|(test, base)| test == base) {
        Some((arm, _)) => {
            Err(Error::usage(format!("--pair compares arm \"{arm}\" with itself"))
                .hint("to see the noise floor use --aa"))
        }
        None => Ok(named),
    }
}
