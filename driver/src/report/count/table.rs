//! A count as text.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::{Named, across};
use crate::error::printable;
use crate::record::{Count, CountVerdict, CountedArm, CountedFunction};
use crate::report::number::{count as number, plural, ratio};
use crate::report::percent;

/// The whole of it, each arm with its `top` functions.
pub fn text(count: &Count, top: usize) -> String {
    let mut out = head(count);
    let _ = write!(out, "\n{}\n", arms(count));
    if 0 < top {
        for arm in count.arms.iter().filter(|arm| !arm.functions.is_empty()) {
            let _ = write!(out, "\n{}: functions by instructions of their own, per select\n\n", arm.name);
            out.push_str(&functions(arm, top));
        }
    }
    if let Some(check) = &count.check {
        let _ = write!(out, "\nagainst {}, threshold {}\n\n", check.record, percent(check.threshold));
        let mut grid = grid(&["arm", "before", "now/before", "verdict"]);
        for checked in &check.arms {
            let verdict = checked.verdict.name();
            grid.add_row([checked.arm.as_str(), &number(checked.base), &fine(checked.ratio), verdict]);
        }
        out.push_str(&lines(grid, &[1, 2]));
    }
    out.push('\n');
    out.push_str(&foot(count));
    out
}

/// What grew and what shrank from arm `base` to arm `test`, the largest `top` changes first.
pub fn difference(count: &Count, base: &str, test: &str, top: usize) -> String {
    let (Some(a), Some(b)) = (count.arm(base), count.arm(test)) else { return String::new() };
    let of = |arm: &CountedArm, name: &str, module: &str| {
        let found = arm.functions.iter().find(|function| function.name == name && function.module == module);
        found.map_or(0.0, |function| function.own)
    };
    let mut names: Vec<(&str, &str)> =
        a.functions.iter().chain(&b.functions).map(|f| (f.name.as_str(), f.module.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    let mut rows: Vec<(f64, f64, &str, &str)> =
        names.into_iter().map(|(name, module)| (of(a, name, module), of(b, name, module), name, module)).collect();
    rows.sort_by(|x, y| (y.1 - y.0).abs().total_cmp(&(x.1 - x.0).abs()));
    let mut grid = grid(&["function", "module", base, test, "difference"]);
    for (before, after, name, module) in rows.into_iter().take(top) {
        grid.add_row([name, module, &number(before), &number(after), &signed(after - before)]);
    }
    let total = b.instructions_per_select - a.instructions_per_select;
    format!(
        "{test} takes {} instructions a select {} than {base}; functions by how much of their own\n\n{}\n",
        number(total.abs()),
        if total < 0.0 { "less" } else { "more" },
        lines(grid, &[2, 3, 4])
    )
}

/// Calls per select of `functions`, a row an arm.
pub fn calls(count: &Count, functions: &[String]) -> String {
    let header: Vec<&str> = std::iter::once("arm").chain(functions.iter().map(String::as_str)).collect();
    let mut grid = grid(&header);
    for arm in &count.arms {
        let calls = functions.iter().map(|wanted| {
            let all: f64 = arm.functions.iter().filter(|f| &f.name == wanted).map(|f| f.calls).sum();
            if all == 0.0 { String::new() } else { trimmed(all) }
        });
        grid.add_row(std::iter::once(arm.name.clone()).chain(calls));
    }
    let columns: Vec<usize> = (1..header.len()).collect();
    format!("calls per select\n\n{}\n", lines(grid, &columns))
}

fn head(count: &Count) -> String {
    let mut out = String::new();
    let mut line = |label: &str, text: String| {
        let _ = writeln!(out, "{label:<12} {}", printable(&text, &[]));
    };
    line("run", format!("sps count, {}, {}", count.started, count.status.name()));
    line("server", version(count).to_owned());
    line("data set", format!("{}, {} rows", count.dataset.relation, number(count.dataset.rows as f64)));
    let selects = plural(count.selects as usize, "select");
    line(
        "counted",
        format!("{selects} of each arm, seed {}, by {} ({})", count.seed, count.method.name(), count.counted_by),
    );
    out
}

fn arms(count: &Count) -> String {
    let compared = format!("ratio to {}", count.reference);
    let mut grid = grid(&["arm", "instructions/select", "ours", "share", &compared]);
    for arm in &count.arms {
        grid.add_row(std::iter::once(arm.name.clone()).chain(arm_cells(count, arm)));
    }
    lines(grid, &[1, 2, 3, 4])
}

/// Instructions per select, of these ours, our share, the ratio to the reference.
pub fn arm_cells(count: &Count, arm: &CountedArm) -> [String; 4] {
    let ours = arm.harness_share.map(|share| number(share * arm.instructions_per_select)).unwrap_or_default();
    let share = arm.harness_share.map(percent).unwrap_or_default();
    let found = count.comparisons.iter().find(|pair| pair.test == arm.name);
    let compared = found.map_or("1".into(), |pair| ratio(pair.ratio));
    [number(arm.instructions_per_select), ours, share, compared]
}

fn functions(arm: &CountedArm, top: usize) -> String {
    let mut grid = grid(&["function", "module", "self", "share", "with callees", "calls"]);
    for function in arm.functions.iter().take(top) {
        grid.add_row(function_cells(arm, function));
    }
    lines(grid, &[2, 3, 4, 5])
}

/// Name, module, instructions of its own, their share of the arm's, with its callees, calls.
pub fn function_cells(arm: &CountedArm, function: &CountedFunction) -> [String; 6] {
    let inclusive = function.inclusive.map(number).unwrap_or_default();
    let share = percent(function.own / arm.instructions_per_select);
    let (name, module) = (function.name.clone(), function.module.clone());
    [name, module, number(function.own), share, inclusive, trimmed(function.calls)]
}

/// Counts against the first of them, arm by arm, and what else is not alike.
pub fn side_by_side(counts: &[Named], unlike: &[String]) -> String {
    let mut header = vec!["arm"];
    for (at, (name, _)) in counts.iter().enumerate() {
        header.push(name);
        header.extend((at > 0).then_some("to the first"));
    }
    let columns: Vec<usize> = (1..header.len()).collect();
    let mut grid = grid(&header);
    for arm in super::arms(counts) {
        let mut row = vec![arm.to_owned()];
        for (at, found) in across(counts, arm).enumerate() {
            row.push(found.map(|(instructions, _)| number(instructions)).unwrap_or_default());
            row.extend((at > 0).then(|| found.and_then(|(_, ratio)| ratio).map(fine).unwrap_or_default()));
        }
        grid.add_row(row);
    }
    let mut out = format!("instructions per select, side by side\n\n{}", lines(grid, &columns));
    if !unlike.is_empty() {
        out.push('\n');
    }
    for text in unlike {
        let _ = writeln!(out, "{:<12} {}", "warning", printable(text, &[]));
    }
    out
}

/// version() goes on with platform and compiler.
pub fn version(count: &Count) -> &str {
    count.server.version.split(" on ").next().unwrap_or_default()
}

/// A ratio of counts, which repeat to a thousandth of a percent.
pub fn fine(ratio: f64) -> String {
    format!("{ratio:.4}")
}

fn foot(count: &Count) -> String {
    let mut out = String::new();
    if let Some(check) = &count.check {
        let of = |verdict| check.arms.iter().filter(|arm| arm.verdict == verdict).count();
        let worse = of(CountVerdict::Regression);
        let text = if worse == 0 { "no regression".into() } else { format!("regression in {}", plural(worse, "arm")) };
        let _ = writeln!(out, "{:<12} {text}", "verdict");
    }
    for warning in &count.warnings {
        let _ = writeln!(out, "{:<12} {}", "warning", printable(warning, &[]));
    }
    if let Some(record) = &count.record {
        let _ = writeln!(out, "{:<12} {}", "record", printable(record, &[]));
    }
    out
}

/// `2`, `0.25`: calls are whole numbers, mostly.
fn trimmed(calls: f64) -> String {
    let text = format!("{calls:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn signed(value: f64) -> String {
    if value > 0.0 { format!("+{}", number(value)) } else { number(value) }
}

fn grid(header: &[&str]) -> Table {
    let mut grid = Table::new();
    grid.load_preset(presets::NOTHING).set_header(header);
    grid
}

/// The grid's lines, the columns numbered in `right` to the right.
fn lines(mut grid: Table, right: &[usize]) -> String {
    for (at, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 0 } else { 2 }, 0));
        if right.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid.lines().map(|line| printable(line.trim_end(), &[]) + "\n").collect()
}
