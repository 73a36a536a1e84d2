//! What the table of a ladder has beside that of other commands: rungs and steps, and a picture.

use std::io::{Result, Write};

use super::bar::{Charset, Scale};
use super::number::{range, signed, time};
use super::table::{align, grid, line, lines};
use crate::record::{ArmSummary, Side, Summary};

/// The subcommand whose records are ladders.
pub const COMMAND: &str = "ladder";

/// Width of the longest bar.
const WIDTH: usize = 48;

/// What stands where an interval includes 0.
pub(super) const UNCLEAR: &str = "not distinguishable from 0: ";

pub fn write(summary: &Summary, out: &mut dyn Write) -> Result<()> {
    if summary.arms.iter().all(|arm| arm.control) {
        return Ok(());
    }
    writeln!(out, "{}\n", rungs(summary))?;
    picture(summary, Charset::of_locale(), out)?;
    legend(out)
}

fn rungs(summary: &Summary) -> String {
    let mut grid = grid([
        "rung",
        "time/select",
        "95 % interval",
        "less control",
        "step down",
        "95 % interval",
        "what the step leaves out",
    ]);
    for arm in summary.arms.iter().filter(|arm| !arm.control) {
        let net = summary.nets.iter().find(|net| net.arm == arm.name);
        let net = net.map(|net| signed(net.difference.ns)).unwrap_or_default();
        let mut row = vec![arm.name.clone(), time(arm.ns_per_select), range(arm.ns_low, arm.ns_high, time), net];
        if let Some(step) = summary.steps.iter().find(|step| step.from == arm.name) {
            let found = &step.difference;
            let doubt = if found.clear == Some(false) { UNCLEAR } else { "" };
            row.extend([signed(found.ns), range(found.low, found.high, signed), format!("{doubt}{}", step.about)]);
        }
        grid.add_row(row);
    }
    align(&mut grid, 1);
    if let Some(words) = grid.column_mut(6) {
        words.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    lines(grid)
}

fn picture(summary: &Summary, charset: Charset, out: &mut dyn Write) -> Result<()> {
    let rungs: Vec<&ArmSummary> = summary.arms.iter().filter(|arm| !arm.control).collect();
    let Some(scale) = Scale::of(rungs.iter().map(|arm| arm.ns_per_select)) else { return Ok(()) };
    let name = rungs.iter().map(|arm| arm.name.len()).max().unwrap_or(0);
    for (at, arm) in rungs.iter().enumerate() {
        // the server begins here
        if arm.side == Side::Server && at > 0 && rungs[at - 1].side != Side::Server {
            writeln!(out)?;
        }
        let bar = charset.bar(scale.share(arm.ns_per_select), WIDTH);
        writeln!(out, "{:<name$}  {bar} {}", arm.name, time(arm.ns_per_select))?;
    }
    let (low, high) = scale.ends();
    writeln!(out, "{:<name$}  time per select, logarithmic, from {} to {}\n", "", time(low), time(high))
}

fn legend(out: &mut dyn Write) -> Result<()> {
    line(out, "step down", "what a rung takes more than the next one; of an arm over two cores, than itself on one")?;
    line(
        out,
        "less control",
        "wire arms less sync in their placement: what the server adds to a round trip; layers less keys, heap_tid and \
         buffer (keys drawn with the clock stopped) less empty",
    )?;
    line(
        out,
        "",
        "empty where a control is no part of the arm: pipeline and tokio have other round trips, PL/pgSQL and \
         nested_loop draw keys in SQL",
    )
}
