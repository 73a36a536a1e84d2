//! `sps compare`: rounds of arms, ratios with intervals.

use std::path::PathBuf;

use crate::arm::ArmSpec;
use crate::cmd::destination::Destination;
use crate::cmd::layout::{BLOCK_MS, Layout, share};
use crate::error::{Error, Exit, Result};
use crate::interrupt;
use crate::measure::{Measurement, Pin};
use crate::record::{ArmInfo, Writer, mask};
use crate::report;
use crate::server::{ConnectArgs, Target, dataset, finding};
use crate::watch::{Compared, Stop, Watch, header};

/// The patch's three numbers: each select sent as text, prepared, and looped in the server.
const DEFAULT_ARMS: [&str; 3] = ["simple", "prepared", "plpgsql"];

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
    /// Where client and backend run [default: both where sps may pin, else free]
    #[arg(long, value_enum)]
    pin: Option<Pin>,
    /// Scale of a private server's tables
    #[arg(long, short = 's', default_value_t = 10, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    scale: i64,
    /// Table to look up in; pgbench_accounts where there is one
    #[arg(long, value_name = "NAME")]
    relation: Option<String>,
    #[command(flatten)]
    layout: Layout,
    /// Rounds at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rounds: Option<u64>,
    /// Epochs before precision is looked at
    #[arg(long, value_name = "N", default_value_t = crate::schedule::MIN_EPOCHS, value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Measure for so long at most
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    time_limit: f64,
    /// Stop when the intervals' half-width is this share of the ratio: 1%, 0.005
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share)]
    half_width: f64,
    #[command(flatten)]
    destination: Destination,
    /// The record: a new file, or a folder for one [default: results/]
    #[arg(long, value_name = "FILE|DIR")]
    record: Option<PathBuf>,
    #[command(flatten)]
    connect: ConnectArgs,
}

pub fn run(args: Args) -> Result<Exit> {
    let specs = args.specs()?;
    let pairs = args.pairs.iter().map(|text| pair(text)).collect::<Result<Vec<_>>>()?;
    let mut plan = args.layout.plan(args.time_limit, BLOCK_MS)?;
    plan.max_rounds = args.rounds;
    plan.min_epochs = args.epochs;
    plan.half_width = args.half_width;
    let destination = args.destination.open()?;
    Writer::check(args.record.as_deref())?;

    interrupt::install()?;
    let target = Target::open(&args.connect, args.scale)?;
    let session = target.session()?;
    let (dataset, lookup) = dataset::inspect(&session, args.relation.as_deref())?;
    let measurement = Measurement::prepare(&target, &dataset, &lookup, &specs, args.pin, plan)?;
    let arms = measurement.arms();
    let compared = Compared { reference: reference(&arms, &specs)?, pairs: resolve(&arms, &pairs)? };
    let warnings = finding::warnings(&finding::inspect(&session, &target.info, Some((&dataset, &lookup)))?);
    drop(session);
    let header = header("compare", &target, &dataset, &measurement, compared, warnings)?;

    let writer = Writer::create(args.record.as_deref(), "compare")?;
    let mut watch = Watch::start(header, writer, Stop::Precise, destination.shows_progress())?;
    let measured = measurement.run(&mut watch);
    let summary = watch.finish(measured)?;
    let exit = summary.status.exit();
    destination.write(&[summary])?;
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
