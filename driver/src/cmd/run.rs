//! `sps run`: one arm, flags and lines as pgbench has them.

use crate::arm::{ArmSpec, pgbench};
use crate::cmd::foreign::Foreign;
use crate::cmd::layout::{BLOCK_MS, Layout};
use crate::cmd::subject::{Opened, Subject};
use crate::error::{Error, Exit, Result};
use crate::measure::{Measurement, Pin};
use crate::record::Plan;
use crate::report;
use crate::watch::{Compared, Shown, Stop};

/// pgbench's -M.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    Simple,
    Extended,
    Prepared,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Selects over the wire, as pgbench -S (the default)
    #[arg(short = 'S', long, conflicts_with_all = ["in_server", "arm"])]
    select_only: bool,
    /// Protocol of the selects
    #[arg(short = 'M', long = "protocol", value_enum, value_name = "MODE", default_value = "simple",
          conflicts_with_all = ["in_server", "arm"])]
    mode: Mode,
    /// The loop of the 2012 patch: selects in PL/pgSQL inside the server, 10,000 a call. Not pgbench's -P: see --progress
    #[arg(short = 'P', long = "plpgsql", conflicts_with = "arm")]
    in_server: bool,
    /// Any arm by its name: prepared@same, rescan, pgbench, …
    #[arg(long, value_name = "NAME")]
    arm: Option<String>,
    /// Seconds to measure for
    #[arg(short = 'T', long = "time", value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    time: u64,
    /// Selects (calls of a layer) of each client, instead of a time
    #[arg(short = 't', long = "transactions", value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u64).range(1..))]
    transactions: Option<u64>,
    /// Selects (calls of a layer) a second that are due, over all clients; latencies then count from when they were due
    #[arg(short = 'R', long, value_name = "N", value_parser = above_zero)]
    rate: Option<f64>,
    /// Count longer latencies as late; with --rate, leave out what would be late already
    #[arg(short = 'L', long, value_name = "MILLISECONDS", value_parser = above_zero)]
    latency_limit: Option<f64>,
    /// A line of progress every so many seconds of measuring (pgbench's -P)
    #[arg(long, value_name = "SECONDS", conflicts_with = "transactions", value_parser = above_zero)]
    progress: Option<f64>,
    /// What the statement takes, as pgbench reports it
    #[arg(short = 'r', long)]
    report_per_command: bool,
    /// Nothing to leave out: sps run never vacuums
    #[arg(short = 'n', long)]
    no_vacuum: bool,
    /// As -d
    #[arg(value_name = "DBNAME")]
    database: Option<String>,
    #[command(flatten)]
    foreign: Foreign,
    #[command(flatten)]
    layout: Layout,
    #[command(flatten)]
    subject: Subject,
}

pub fn run(mut args: Args) -> Result<Exit> {
    args.foreign.refuse()?;
    args.take_database()?;
    let spec = args.spec()?;
    let plan = args.plan(&spec)?;
    let opened = args.subject.open()?;
    let Opened { target, dataset, lookup, .. } = &opened;
    // as pgbench: one result, wherever the scheduler has it
    let pin = args.subject.pin.or(Some(Pin::Free));
    let measurement = Measurement::prepare(target, dataset, lookup, &[spec], pin, plan)?;
    let arms = measurement.arms();
    let reference = arms.first().map(|arm| arm.name.clone()).unwrap_or_default();
    let compared = Compared { reference, pairs: Vec::new(), expectations: Vec::new() };
    let shown = args.progress.map_or(Shown::Bar, Shown::Lines);
    let report = opened.measure("run", &measurement, compared, Stop::Limits, shown)?;
    let exit = report.summary.exit();
    let format = report::Pgbench { deviation: args.progress.is_some(), statements: args.report_per_command };
    report::print(&format, &[report])?;
    Ok(exit)
}

impl Args {
    /// pgbench has the database last, without a flag.
    fn take_database(&mut self) -> Result<()> {
        let Some(name) = self.database.take() else { return Ok(()) };
        if self.in_server && name.parse::<f64>().is_ok() {
            return Err(Error::usage(format!("-P takes no number: it is the loop of the 2012 patch, not \"{name}\""))
                .hint(format!("for progress as pgbench shows it use --progress {name}")));
        }
        self.subject.database(name)
    }

    fn spec(&self) -> Result<ArmSpec> {
        let name = match (&self.arm, self.in_server, self.mode) {
            (Some(name), _, _) => name,
            (None, true, _) => "plpgsql",
            (None, false, Mode::Simple) => "simple",
            (None, false, Mode::Extended) => "extended",
            (None, false, Mode::Prepared) => "prepared",
        };
        name.parse()
    }

    /// One epoch: the connections stay, as pgbench's do. Its blocks are short, so that Ctrl-C loses the last one only.
    fn plan(&self, spec: &ArmSpec) -> Result<Plan> {
        // the number of rounds ends it; this only ends calls that are far longer than a block
        let limit = if self.transactions.is_some() { MAX_SECONDS } else { (3 * self.time) as f64 };
        let mut plan = self.layout.plan(limit, BLOCK_MS)?;
        let whole = self.time * 1000;
        if pgbench::protocol(&spec.arm).is_some() {
            // it starts anew in every block
            plan.block_ms = whole;
        }
        // blocks of one length that fill the time, and a line of progress, exactly
        let period = self.progress.map_or(whole, |seconds| ((seconds * 1e3) as u64).clamp(1, whole));
        plan.block_ms = (period / period.div_ceil(plan.block_ms)).max(1);
        let rounds = if self.transactions.is_some() { 1 } else { whole.div_ceil(plan.block_ms) };
        (plan.max_rounds, plan.rounds_per_epoch, plan.min_epochs) = (Some(rounds), rounds, 1);
        (plan.per_client, plan.rate, plan.latency_limit_ms) = (self.transactions, self.rate, self.latency_limit);
        Ok(plan)
    }
}

/// A time limit for runs that have none: a week.
const MAX_SECONDS: f64 = 604_800.0;

fn above_zero(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err("write a number above 0".into()),
    }
}
