//! `sps ladder`: every arm from the wire to the buffer; what each rung costs, and the step to the next.

use crate::arm::{self, ArmSpec, LOOPS};
use crate::cmd::destination::Destination;
use crate::cmd::dry_run;
use crate::cmd::layout::{Defaults, Layout, Limits};
use crate::cmd::subject::Subject;
use crate::error::{Error, Exit, Result};
use crate::measure::{self, Measurement, Pin};
use crate::report;
use crate::watch::{Compared, Stop};

const DEFAULTS: Defaults = Defaults { time_limit_s: 240.0, half_width: 0.02 };

#[derive(Debug, clap::Args)]
pub struct Args {
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
    let plan = args.limits.plan(&args.layout, DEFAULTS)?;
    if args.limits.dry_run {
        let placements = args.subject.pin.unwrap_or(Pin::Both).placements();
        report::print_text(&dry_run::of_ladder(&arm::ladder(placements, None), &plan))?;
        return Ok(Exit::Done);
    }
    let destination = args.destination.open()?;

    let mut opened = args.subject.open()?;
    let (target, dataset, lookup, warnings) = (&opened.target, &opened.dataset, &opened.lookup, &mut opened.warnings);
    let layers = match &target.extension_schema {
        Some(schema) => Some(arm::layers(&target.session()?, schema)?),
        None => {
            warnings.push("without the extension the ladder ends at PL/pgSQL: CREATE EXTENSION select_loop".into());
            None
        }
    };
    let mut specs = arm::ladder(&measure::wire_placements(target, args.subject.pin)?, layers.as_deref());
    if plan.distribution != "uniform" {
        leave_out_uniform(&mut specs, layers.is_some(), warnings);
    }
    let mut measurement = Measurement::prepare(target, dataset, lookup, &specs, args.subject.pin, plan)?;
    warnings.extend(measurement.leave_out_refused()?);
    let reference =
        measurement.arms().into_iter().find(|info| !info.control && info.placement != arm::Placement::Split);
    let reference = reference.or_else(|| measurement.arms().into_iter().next());
    let reference = reference.ok_or_else(|| Error::failed("no arm can run here"))?.name;
    let compared = Compared { reference, pairs: Vec::new(), expectations: Vec::new() };
    let report = opened.measure(report::LADDER, &measurement, compared, Stop::Precise, destination.shows_progress())?;
    let exit = report.summary.exit();
    destination.write(&[report])?;
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
