//! What a page and a Markdown text say of counts.

use std::io::Result;

use super::{Named, TOP, across, arms, table, unlike};
use crate::record::{Count, CountedArm};
use crate::report::chart::{Axis, Bar, Frame, bars};
use crate::report::command_line;
use crate::report::document::{Chart, Document, Fold, Part, Section, Sheet};
use crate::report::number::{bytes, count as number};
use crate::report::section::{axis, tick};

const CAPTION: &str = "Instructions that a select takes in its backend, counted and not timed: the same on a busy machine. Ours are those of \
                       the extension's library and its error guards.";

/// Functions of an arm that a page has, when asked to.
const FUNCTIONS: usize = 100;

pub fn document(counts: &[Named]) -> Result<Document> {
    let title = match counts {
        [(_, one)] => format!("sps count on {}", table::version(one)),
        several => format!("{} counts of sps, side by side", several.len()),
    };
    let mut sections = Vec::new();
    if counts.len() > 1 {
        sections.push(section("Side by side", vec![Part::Table(side_by_side(counts))]));
    }
    sections.push(section("Instructions", each(counts, instructions)?));
    let warnings = counts.iter().flat_map(|(name, count)| {
        let whose = if counts.len() > 1 { format!("{name}: ") } else { String::new() };
        count.warnings.iter().map(move |warning| format!("{whose}{warning}"))
    });
    let warnings: Vec<String> = warnings.chain(unlike(counts)).collect();
    if !warnings.is_empty() {
        sections.push(section(&format!("Warnings ({})", warnings.len()), vec![Part::Warnings(warnings)]));
    }
    sections.push(section("Functions", each(counts, |at, count| Ok(functions(at, count)))?));
    sections.push(section("How it was counted", each(counts, |_, count| Ok(vec![Part::Facts(facts(count))]))?));
    let command = |(_, count): &Named| Part::Command(command_line(&count.command_line));
    sections.push(section("Command", counts.iter().map(command).collect()));
    sections.retain(|section| !section.parts.is_empty());
    let lead = |(name, count): &Named| {
        let selects = number(count.selects as f64);
        format!("{name}: {}, {selects} selects of each arm by {}.", count.started, count.counted_by)
    };
    Ok(Document { title, lead: counts.iter().map(lead).collect(), sections })
}

fn section(title: &str, parts: Vec<Part>) -> Section {
    Section { title: title.into(), parts }
}

/// What `one` says of each count, under its name where there are several.
fn each(counts: &[Named], one: impl Fn(usize, &Count) -> Result<Vec<Part>>) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for (at, (name, count)) in counts.iter().enumerate() {
        let found = one(at, count)?;
        if counts.len() > 1 && !found.is_empty() {
            parts.push(Part::Heading(name.clone()));
        }
        parts.extend(found);
    }
    Ok(parts)
}

fn side_by_side(counts: &[Named]) -> Sheet {
    let mut columns = vec!["arm".to_owned()];
    for (at, (name, _)) in counts.iter().enumerate() {
        columns.push(format!("#{name}"));
        if at > 0 {
            columns.push("#to the first".to_owned());
        }
    }
    let mut sheet = Sheet::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for arm in arms(counts) {
        let mut row = vec![arm.to_owned()];
        for (at, found) in across(counts, arm).enumerate() {
            row.push(found.map(|(instructions, _)| number(instructions)).unwrap_or_default());
            if at > 0 {
                row.push(found.and_then(|(_, ratio)| ratio).map(table::fine).unwrap_or_default());
            }
        }
        sheet.row(row);
    }
    sheet
}

fn instructions(_: usize, count: &Count) -> Result<Vec<Part>> {
    let shown: Vec<Bar<'_>> = count
        .arms
        .iter()
        .map(|arm| Bar {
            name: &arm.name,
            value: arm.instructions_per_select,
            text: number(arm.instructions_per_select),
            interval: None,
            shared: None,
            kind: 0,
        })
        .collect();
    let x = axis::of_bars("instructions per select", tick::count, shown.iter().map(|bar| bar.value));
    let (title, y) = ("Instructions per select", Axis::linear("", tick::plain));
    let svg = bars(&Frame { title, about: "Bars; the table beneath has the numbers", x, y, level: None }, &shown)?;
    let compared = format!("#ratio to {}", count.reference);
    let mut numbers = Sheet::new(&["arm", "#instructions/select", "#ours", "#share", compared.as_str()]);
    for arm in &count.arms {
        let cells = table::arm_cells(count, arm);
        numbers.row(std::iter::once(arm.name.clone()).chain(cells));
    }
    let mut parts = vec![Part::Chart(Chart { caption: CAPTION.into(), svg, numbers: numbers.without_empty() })];
    if let Some(check) = &count.check {
        let mut sheet = Sheet::new(&["arm", "#before", "#now/before", "verdict"]);
        for checked in &check.arms {
            let verdict = checked.verdict.name().to_owned();
            sheet.row([checked.arm.clone(), number(checked.base), table::fine(checked.ratio), verdict]);
        }
        let share = crate::report::percent(check.threshold);
        parts.push(Part::Text(format!(
            "Held against {}: a regression is more than {share} of instructions more.",
            check.record
        )));
        parts.push(Part::Table(sheet));
    }
    Ok(parts)
}

fn functions(at: usize, count: &Count) -> Vec<Part> {
    let mut parts = Vec::new();
    for (arm_at, arm) in count.arms.iter().enumerate().filter(|(_, arm)| !arm.functions.is_empty()) {
        parts.push(Part::Text(format!("{}: functions by instructions of their own, per select", arm.name)));
        parts.push(Part::Table(sheet(arm, TOP)));
        if arm.functions.len() > TOP {
            let title = format!("{}: more functions", arm.name);
            let anchor = format!("functions-{at}-{arm_at}");
            parts.push(Part::Fold(Fold { anchor, title, parts: vec![Part::Table(sheet(arm, FUNCTIONS))] }));
        }
    }
    parts
}

fn sheet(arm: &CountedArm, most: usize) -> Sheet {
    let mut sheet = Sheet::new(&["function", "module", "#self", "#share", "#with callees", "#calls"]);
    for function in arm.functions.iter().take(most) {
        sheet.row(table::function_cells(arm, function));
    }
    sheet
}

fn facts(count: &Count) -> Sheet {
    let mut sheet = Sheet::new(&["what", "value"]);
    let mut fact = |name: &str, value: String| sheet.row([name.to_owned(), value]);
    fact("counted by", format!("{} ({})", count.method.name(), count.counted_by));
    fact("selects of each arm", number(count.selects as f64));
    fact("seed", count.seed.to_string());
    fact("status", count.status.name().to_owned());
    fact("server", count.server.version.clone());
    fact("assertions", if count.server.assertions { "yes" } else { "no" }.to_owned());
    if let Some(build) = &count.server.build {
        fact("configured with", build.configure.clone());
        fact("compiled with", build.cflags.clone());
    }
    fact("table", count.dataset.relation.clone());
    fact("keys drawn from", number(count.dataset.rows as f64));
    fact("table size", bytes(count.dataset.table_bytes));
    for (name, value) in &count.server.settings {
        fact(&format!("setting {name}"), value.clone());
    }
    fact("host", count.host.hostname.clone());
    fact("CPU", count.host.cpu_model.clone().unwrap_or_else(|| "unknown".into()));
    fact("kernel", count.host.kernel.clone().unwrap_or_else(|| "unknown".into()));
    fact("sps", count.tool.version.clone());
    if let Some(commit) = &count.tool.git_commit {
        fact("commit of sps", commit.clone());
    }
    sheet
}
