//! A profile as text: the hottest functions, and how they differ between two arms.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::script::Frame;
use super::{Profile, Stacks, hot};
use crate::error::printable;
use crate::report::number::{count, plural, time};
use crate::report::percent;

/// The hottest `top` functions of the backend, and of the client where there is one.
pub fn text(profile: &Profile, top: usize) -> String {
    let mut out = head(profile);
    out.push('\n');
    match &profile.client {
        None => out.push_str(&functions(profile, &profile.backend, top)),
        Some(client) => {
            let _ = write!(out, "backend\n\n{}\n", functions(profile, &profile.backend, top));
            let _ = write!(out, "client ({})\n\n{}", plural(client.samples, "sample"), functions(profile, client, top));
        }
    }
    out.push('\n');
    out.push_str(&warnings(&profile.warnings));
    out
}

/// Which functions of the backend take more in `test` than in `base`, and which less.
pub fn difference(base: &Profile, test: &Profile, top: usize) -> String {
    let mut out = head(base);
    out.push_str(&head(test));
    let unit = test.unit();
    let per_select = |profile: &Profile| profile.backend.weight() as f64 / profile.selects.max(1) as f64;
    let more = per_select(test) - per_select(base);
    let direction = if more < 0.0 { "less" } else { "more" };
    let _ = write!(
        out,
        "\n{} takes {} {direction} a select than {}; functions by how much of their own, {unit}\n\n",
        test.arm,
        weight(more.abs(), unit),
        base.arm
    );
    let mut grid = grid(&["function", "module", &base.arm, &test.arm, "difference"]);
    // the loop by one name, whatever layer's it is
    let (a, b) = (base.backend.clone().with_loop_renamed(), test.backend.clone().with_loop_renamed());
    let changes = hot::changes((&a, base.selects.max(1) as f64), (&b, test.selects.max(1) as f64));
    for change in changes.iter().take(top) {
        let difference = change.test - change.base;
        let sign = if difference > 0.0 { "+" } else { "" };
        grid.add_row([
            name(change.frame),
            change.frame.module.clone(),
            decimal(change.base),
            decimal(change.test),
            format!("{sign}{}", decimal(difference)),
        ]);
    }
    out.push_str(&lines(grid));
    out.push('\n');
    let mut all = base.warnings.clone();
    all.extend(test.warnings.iter().filter(|warning| !base.warnings.contains(warning)).cloned());
    out.push_str(&warnings(&all));
    out
}

fn head(profile: &Profile) -> String {
    let Profile { arm, backend, selects, elapsed_ns, .. } = profile;
    let each = time(*elapsed_ns as f64 / (*selects).max(1) as f64);
    let mut out =
        format!("{:<12} {} selects in {}, {each} each\n", arm, count(*selects as f64), time(*elapsed_ns as f64));
    let mut samples = format!("{} of {}", plural(backend.samples, "sample"), profile.about());
    if profile.layer {
        let _ = write!(samples, "; {} under the layer's loop", percent(backend.share_under_loop()));
        if backend.outside > 0 {
            let _ = write!(samples, "; {} of set-up left out", count(backend.outside as f64));
        }
    }
    let _ = writeln!(out, "{:<12} {samples}", "");
    out
}

fn functions(profile: &Profile, stacks: &Stacks, top: usize) -> String {
    let (all, selects, unit) = (stacks.weight().max(1) as f64, profile.selects.max(1) as f64, profile.unit());
    let mut found: Vec<_> = hot::functions(stacks).into_iter().collect();
    found.sort_by(|a, b| b.1.own.cmp(&a.1.own).then_with(|| a.0.cmp(b.0)));
    let mut grid = grid(&[
        "function",
        "module",
        "self",
        "total",
        &format!("self, {unit}/select"),
        &format!("total, {unit}/select"),
    ]);
    for (frame, heat) in found.into_iter().take(top) {
        let (own, total) = (heat.own as f64, heat.total as f64);
        // of many functions together, one above another counts twice
        let total = if frame.is_nameless() { None } else { Some(total) };
        grid.add_row([
            name(frame),
            frame.module.clone(),
            percent(own / all),
            total.map(|total| percent(total / all)).unwrap_or_default(),
            decimal(own / selects),
            total.map(|total| decimal(total / selects)).unwrap_or_default(),
        ]);
    }
    lines(grid)
}

fn name(frame: &Frame) -> String {
    // generic functions of Rust spell out their types
    let name = frame.name.clone();
    match name.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name,
    }
}

const LONGEST: usize = 60;

fn weight(value: f64, unit: &str) -> String {
    if unit == "ns" { time(value) } else { format!("{} {unit}", count(value)) }
}

fn decimal(value: f64) -> String {
    if value.abs() < 99.95 { format!("{value:.1}") } else { count(value) }
}

fn warnings(all: &[String]) -> String {
    all.iter().map(|warning| format!("{:<12} {}\n", "warning", printable(warning, &[]))).collect()
}

fn grid(header: &[&str]) -> Table {
    let mut grid = Table::new();
    grid.load_preset(presets::NOTHING).set_header(header);
    grid
}

/// The grid's lines, numbers to the right.
fn lines(mut grid: Table) -> String {
    for (at, column) in grid.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 0 } else { 2 }, 0));
        if at > 1 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid.lines().map(|line| printable(line.trim_end(), &[]) + "\n").collect()
}
