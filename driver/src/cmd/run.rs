//! `sps run`: one arm, flags and lines as pgbench has them.

use crate::arm::{ArmSpec, pgbench};
use crate::cmd::layout::{BLOCK_MS, Layout};
use crate::cmd::subject::{Opened, Subject};
use crate::error::{Error, Exit, Result};
use crate::measure::Measurement;
use crate::record::Plan;
use crate::report;
use crate::watch::{Compared, Stop};

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
    /// The loop of the 2012 patch: selects in PL/pgSQL inside the server, 10,000 a call. Not pgbench's -P, which shows progress
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
    #[command(flatten)]
    layout: Layout,
    #[command(flatten)]
    subject: Subject,
}

pub fn run(args: Args) -> Result<Exit> {
    let spec = args.spec()?;
    let plan = args.plan(&spec)?;
    let opened = args.subject.open()?;
    let Opened { target, dataset, lookup, .. } = &opened;
    let mut measurement = Measurement::prepare(target, dataset, lookup, &[spec], args.subject.pin, plan)?;
    if let Some(units) = args.transactions {
        measurement.limit(units);
    }
    let arms = measurement.arms();
    let reference = arms.first().map(|arm| arm.name.clone()).unwrap_or_default();
    let compared = Compared { reference, pairs: Vec::new() };
    let report = opened.measure("run", &measurement, compared, Stop::Limits, true)?;
    let exit = report.summary.status.exit();
    let format = report::format("pgbench").ok_or_else(|| Error::failed("the format of pgbench's lines is missing"))?;
    report::print(format, &[report])?;
    Ok(exit)
}

impl Args {
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
        let milliseconds = self.time * 1000;
        if spec.arm == pgbench::NAME {
            // it starts anew in every block
            plan.block_ms = milliseconds;
        }
        plan.block_ms = plan.block_ms.min(milliseconds);
        let rounds = if self.transactions.is_some() { 1 } else { milliseconds.div_ceil(plan.block_ms) };
        (plan.max_rounds, plan.rounds_per_epoch, plan.min_epochs) = (Some(rounds), rounds, 1);
        Ok(plan)
    }
}

/// A time limit for runs that have none: a week.
const MAX_SECONDS: f64 = 604_800.0;
