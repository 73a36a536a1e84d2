//! `--dry-run`: the schedule of a run, printed instead of measured. No server is asked; what only it knows is said.

use std::fmt::Write;

use crate::arm::{ArmSpec, Placement, WIRE_ARMS, pgbench, tokio};
use crate::error::{Error, Result};
use crate::measure::{Pin, beside_pgbench};
use crate::record::{ArmInfo, Plan, Side};
use crate::report::{Asked, comparisons_among, lengths, percent, plural};
use crate::schedule::{first_look, is_look, order};
use crate::watch::Compared;

/// The arms as they are called where sps may pin, which it may on its private server; a name that is no wire arm's is taken
/// for a layer's.
///
/// # Errors
/// An arm that is named twice.
pub fn arms(specs: &[ArmSpec], pin: Option<Pin>) -> Result<Vec<ArmInfo>> {
    let of_wire = pin.unwrap_or(Pin::Both).placements();
    let mut arms: Vec<ArmInfo> = Vec::new();
    for spec in specs {
        let wire = WIRE_ARMS.iter().find(|arm| arm.name() == spec.arm);
        let side = match spec.arm.as_str() {
            name if pgbench::protocol(name).is_some() => Side::Pgbench,
            tokio::NAME => Side::Wire,
            _ if wire.is_some() => Side::Wire,
            _ => Side::Server,
        };
        let placements = match (&spec.placement, side) {
            (Some(placement), _) => std::slice::from_ref(placement),
            (None, Side::Server) => &[Placement::Same],
            (None, Side::Wire | Side::Pgbench) => of_wire,
        };
        for &placement in placements {
            let written = (side != Side::Server || spec.placement.is_some()).then_some(placement);
            let name = ArmSpec { placement: written, ..spec.clone() }.to_string();
            if arms.iter().any(|arm| arm.name == name) {
                return Err(Error::usage(format!("arm \"{name}\" is named twice"))
                    .hint("to compare an arm with itself use --aa"));
            }
            let control = wire.is_some_and(|arm| arm.control());
            arms.push(ArmInfo { name, arm: spec.arm.clone(), placement, side, control });
        }
    }
    Ok(arms)
}

/// The schedule of `arms` under `plan`, in words.
pub fn schedule(arms: &[ArmInfo], plan: Plan, compared: &Compared) -> String {
    let plan = if arms.iter().any(|arm| arm.side == Side::Pgbench) { beside_pgbench(plan) } else { plan };
    let expected = compared.expectations.iter().map(|one| (one.test.clone(), one.base.clone()));
    let pairs = compared.pairs.iter().cloned().chain(expected);
    let asked = Asked::among(arms, &comparisons_among(arms, &compared.reference, pairs));
    let mut out = head(&plan);
    let names = |of: &dyn Fn(&&ArmInfo) -> bool| -> String {
        let named: Vec<&str> = arms.iter().filter(of).map(|arm| arm.name.as_str()).collect();
        if named.is_empty() { "none".into() } else { named.join(", ") }
    };
    line(&mut out, "arms", names(&|_| true));
    line(&mut out, "layers", names(&|arm| arm.side == Side::Server) + "; whether the server has them is not known");
    line(&mut out, "placements", "as on the private server; on another where sps may pin, else free (--pin chooses)");
    line(&mut out, "reference", &compared.reference);
    line(
        &mut out,
        "precision",
        format!("±{} asked of {}", percent(plan.half_width), names(&|arm| asked.names(&arm.name))),
    );
    for expectation in &compared.expectations {
        line(&mut out, "expected", expectation);
    }
    let round_ms = (plan.block_ms * arms.len() as u64) as f64;
    let in_time = (plan.time_limit_s * 1e3 / round_ms) as u64;
    let rounds = plan.max_rounds.map_or(in_time, |most| most.min(in_time));
    let epochs = rounds.div_ceil(plan.rounds_per_epoch);
    line(
        &mut out,
        "at most",
        format!(
            "{} in {}, in {} s of measuring",
            plural(rounds as usize, "round"),
            plural(epochs as usize, "epoch"),
            plan.time_limit_s
        ),
    );
    line(&mut out, "", "a layer's block ends with a whole call: where that takes longer, there are fewer");
    let first_look = first_look(plan.min_epochs, plan.rounds_per_epoch, plan.block_ms);
    for round in 0..rounds {
        if round % plan.rounds_per_epoch == 0 {
            let _ = writeln!(out, "epoch {}: fresh connections", round / plan.rounds_per_epoch + 1);
        }
        let order: Vec<&str> =
            order(plan.seed, round, arms.len()).into_iter().map(|arm| arms[arm].name.as_str()).collect();
        let look = if is_look(round + 1) && round + 1 >= first_look { "; look" } else { "" };
        let _ = writeln!(out, "  round {}: {}{look}", round + 1, order.join(" "));
    }
    out
}

/// The schedule of a ladder, as far as it is known without the server's list of layers.
pub fn of_ladder(specs: &[ArmSpec], plan: &Plan) -> String {
    let mut out = head(plan);
    let wire: Vec<String> = specs.iter().map(ToString::to_string).collect();
    line(&mut out, "arms", wire.join(", "));
    line(&mut out, "", "and every layer of the extension, which the server lists: without it the order is not known");
    line(&mut out, "precision", format!("±{} asked of each rung's time", percent(plan.half_width)));
    line(&mut out, "at most", format!("{} s of measuring", plan.time_limit_s));
    out
}

/// What all schedules have.
fn head(plan: &Plan) -> String {
    let mut out = String::new();
    line(&mut out, "seed", format!("{} (--seed {} repeats this order)", plan.seed, plan.seed));
    line(&mut out, "blocks", lengths(plan));
    // looks are at the schedule's rounds only
    let first = (first_look(plan.min_epochs, plan.rounds_per_epoch, plan.block_ms)..).find(|&rounds| is_look(rounds));
    let epochs = format!("{} rounds each; the first look after {} rounds", plan.rounds_per_epoch, first.unwrap_or(0));
    line(&mut out, "epochs", epochs);
    out
}

fn line(out: &mut String, label: &str, text: impl std::fmt::Display) {
    let _ = writeln!(out, "{label:<12} {text}");
}
