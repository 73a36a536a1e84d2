//! `sps ladder`: every arm from the wire to the buffer; what each rung costs, and the step to the next.

use std::path::PathBuf;

use crate::arm::{self, ArmSpec, LOOPS};
use crate::cmd::destination::Destination;
use crate::cmd::layout::{Layout, share};
use crate::error::{Error, Exit, Result};
use crate::interrupt;
use crate::measure::{self, Measurement, Pin};
use crate::record::Writer;
use crate::report;
use crate::server::{ConnectArgs, Target, dataset, finding};
use crate::watch::{Compared, Stop, Watch, header};

/// Short, since a round has some thirty of them: a ladder is 2 s a round, and drift within one is small.
const BLOCK_MS: u64 = 100;

#[derive(Debug, clap::Args)]
pub struct Args {
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
    #[arg(long, value_name = "SECONDS", default_value_t = 240.0)]
    time_limit: f64,
    /// Stop when the interval of each rung's time has this half-width, as a share of the time: 2%, 0.02
    #[arg(long, value_name = "SHARE", default_value = "2%", value_parser = share)]
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
    let mut warnings = finding::warnings(&finding::inspect(&session, &target.info, Some((&dataset, &lookup)))?);
    let layers = match &target.extension_schema {
        Some(schema) => Some(arm::layers(&session, schema)?),
        None => {
            warnings.push("without the extension the ladder ends at PL/pgSQL: CREATE EXTENSION select_loop".into());
            None
        }
    };
    drop(session);
    let mut specs = arm::ladder(&measure::wire_placements(&target, args.pin)?, layers.as_deref());
    if plan.distribution != "uniform" {
        leave_out_uniform(&mut specs, layers.is_some(), &mut warnings);
    }
    let mut measurement = Measurement::prepare(&target, &dataset, &lookup, &specs, args.pin, plan)?;
    warnings.extend(measurement.leave_out_refused()?);
    let reference =
        measurement.arms().into_iter().find(|info| !info.control && info.placement != arm::Placement::Split);
    let reference = reference.or_else(|| measurement.arms().into_iter().next());
    let reference = reference.ok_or_else(|| Error::failed("no arm can run here"))?.name;
    let compared = Compared { reference, pairs: Vec::new() };
    let header = header(report::LADDER, &target, &dataset, &measurement, compared, warnings)?;

    let writer = Writer::create(args.record.as_deref(), report::LADDER)?;
    let mut watch = Watch::start(header, writer, Stop::Precise, destination.shows_progress())?;
    let measured = measurement.run(&mut watch);
    let summary = watch.finish(measured)?;
    let exit = summary.status.exit();
    destination.write(&[summary])?;
    Ok(exit)
}

/// Loops that we send ourselves draw uniform keys only.
fn leave_out_uniform(specs: &mut Vec<ArmSpec>, extension: bool, warnings: &mut Vec<String>) {
    specs.retain(|spec| {
        let ours = LOOPS.iter().any(|which| which.name == spec.arm && (which.commits || !extension));
        if ours {
            warnings
                .push(format!("{spec}: left out: a loop that is no layer of the extension draws uniform keys only"));
        }
        !ours
    });
}
