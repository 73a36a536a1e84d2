//! What a reader must know before trusting the numbers.

use std::collections::{BTreeMap, HashSet};

use super::build::Outcome;
use super::comparison;
use super::ladder;
use super::number::{count, plural, ratio};
use super::precision::percent;
use crate::arm::Placement;
use crate::record::{ArmSummary, Block, Comparison, Header, Lost, Side, Status, Summary};
use crate::stats::steady::Class;
use crate::stats::wilcoxon::FEWEST;

/// Share of pgbench's rate below which the driver is said to be slow.
const CALIBRATION: f64 = 0.9;

/// Share of its CPU time above which a client that has a core to itself is said to be the limit.
const CLIENT_LIMIT: f64 = 0.9;

/// Share of their core below which client and backend of a same-core arm, or a layer, are said to have had company. One
/// of them can always run, so on a core of their own they use all of it.
const COMPANY: f64 = 0.9;

/// Share of steal time that is worth a word.
const STEAL: f64 = 0.01;

/// All warnings: known before, come up meanwhile, and seen in the blocks; each once.
pub fn all(header: &Header, blocks: &[Block], summary: &Summary, outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    of_lost(&outcome.lost, &mut out);
    for arm in &summary.arms {
        of_arm(arm, summary, &mut out);
    }
    of_cores(header, &mut out);
    of_courses(summary, &mut out);
    of_outliers(summary, &mut out);
    of_company(summary, &mut out);
    of_comparisons(header, summary, &mut out);
    of_ladder(summary, &mut out);
    of_blocks(blocks, &mut out);
    of_precision(summary, &mut out);
    // a record's summary has such warnings, too, perhaps with other numbers of an earlier version: the blocks' count
    let computed: HashSet<String> = out.iter().map(|warning| worded(warning)).collect();
    let others = outcome.warnings.iter().filter(|warning| !computed.contains(&worded(warning)));
    let mut all: Vec<String> = header.warnings.iter().chain(others).cloned().chain(out).collect();
    let mut seen = HashSet::new();
    all.retain(|warning| seen.insert(warning.clone()));
    all
}

/// A warning without its numbers.
fn worded(warning: &str) -> String {
    warning.chars().filter(|letter| !letter.is_ascii_digit() && !matches!(letter, '.' | ',')).collect()
}

fn of_arm(arm: &ArmSummary, summary: &Summary, out: &mut Vec<String>) {
    let name = &arm.name;
    if let Some(found) = arm.found.filter(|&found| found < arm.selects) {
        let missing = arm.selects - found;
        out.push(format!("{name}: {} of {} selects found no row", count(missing as f64), count(arm.selects as f64)));
    }
    if let Some(steal) = arm.steal.filter(|&steal| steal > STEAL) {
        out.push(format!("{name}: the hypervisor took {} of the time", percent(steal)));
    }
    let apart = arm.side == Side::Wire && arm.placement != Placement::Same;
    if let Some(share) = arm.client_cpu_share.filter(|&share| apart && share > CLIENT_LIMIT) {
        out.push(format!(
            "{name}: the client used {} of its CPU time and may be the limit; more threads (-j, now {}) may help",
            percent(share),
            summary.plan.threads
        ));
    }
}

/// One warning; the first says how.
fn of_lost(lost: &[Lost], out: &mut Vec<String>) {
    let Some(first) = lost.first() else { return };
    let mut arms: Vec<&str> = lost.iter().map(|lost| lost.arm.as_str()).collect();
    arms.sort_unstable();
    arms.dedup();
    let blocks = plural(lost.len(), "block");
    let (arms, error) = (arms.join(", "), &first.error);
    out.push(format!("{blocks} lost with a connection, and not counted: {arms} ({error})"));
}

/// One client and its backend have two cores, or share one because they were told to: that is no news.
fn of_cores(header: &Header, out: &mut Vec<String>) {
    let (plan, cores) = (&header.plan, header.host.cpus);
    if header.server.local && plan.clients > 1 && plan.clients + plan.threads > cores {
        out.push(format!(
            "{} and {} of the driver share {}: rates are those of a full machine",
            plural(plan.clients, "backend"),
            plural(plan.threads, "thread"),
            plural(cores, "core")
        ));
    }
}

/// Arms, and ratios, that went alike in one warning: mostly it is the machine that changed.
fn of_courses(summary: &Summary, out: &mut Vec<String>) {
    for course in [Class::Warming, Class::Drifting, Class::NoSteadyState] {
        let arms = summary.arms.iter().filter(|arm| arm.course == course).map(|arm| arm.name.as_str());
        let arms: Vec<&str> = arms.collect();
        if !arms.is_empty() {
            out.push(format!("{}: {}", arms.join(", "), course.about()));
        }
    }
    // a ladder's ratios are beside its point
    let compared: &[Comparison] = if summary.command == ladder::COMMAND { &[] } else { &summary.comparisons };
    for course in [Class::Warming, Class::Drifting, Class::NoSteadyState] {
        let ratios = compared.iter().filter(|found| found.course == Some(course));
        let ratios: Vec<String> = ratios.map(|found| format!("{} / {}", found.test, found.base)).collect();
        if !ratios.is_empty() {
            out.push(format!("ratio {}: {}", ratios.join(", "), course.about()));
        }
    }
    let dependent = compared.iter().filter(|found| found.dependent);
    let dependent: Vec<String> =
        dependent.filter_map(|found| Some(format!("{} / {} {:.2}", found.test, found.base, found.lag1?))).collect();
    if !dependent.is_empty() {
        out.push(format!(
            "rounds depend on the one before (lag-1 rank correlation): {}; their intervals hold as far as epochs are independent",
            dependent.join(", ")
        ));
    }
}

fn of_company(summary: &Summary, out: &mut Vec<String>) {
    let calm = |arm: &&ArmSummary| arm.placement == Placement::Same || arm.side == Side::Server;
    let arms = summary.arms.iter().filter(calm).filter_map(|arm| Some((arm, arm.cpu_share?)));
    let arms: Vec<String> = arms
        .filter(|(_, share)| *share < COMPANY)
        .map(|(arm, share)| format!("{} {}", arm.name, percent(share)))
        .collect();
    // several clients on one core wait for each other in ways that one does not
    if summary.plan.clients == 1 && !arms.is_empty() {
        out.push(format!("other work ran on these arms' core; the CPU that they got: {}", arms.join(", ")));
    }
}

fn of_outliers(summary: &Summary, out: &mut Vec<String>) {
    let arms = summary.arms.iter().filter(|arm| arm.outliers > 0);
    let arms: Vec<String> = arms.map(|arm| format!("{} {} of {}", arm.name, arm.outliers, arm.blocks)).collect();
    if !arms.is_empty() {
        out.push(format!("blocks far out, counted like the others: {}", arms.join(", ")));
    }
}

fn of_comparisons(header: &Header, summary: &Summary, out: &mut Vec<String>) {
    let info = |name: &str| header.arms.iter().find(|arm| arm.name == name);
    let calibrated = |base: &str, test: &str| {
        info(base).zip(info(test)).is_some_and(|(base, test)| comparison::calibrates(base, test))
    };
    for found in &summary.comparisons {
        if calibrated(&found.base, &found.test) && found.ratio < CALIBRATION {
            out.push(format!(
                "{} reaches {} of {}'s rate: this driver is the limit, do not trust wire arms",
                found.test,
                ratio(found.ratio),
                found.base
            ));
        }
        if found.skewed && summary.command != ladder::COMMAND {
            let interval = |low: Option<f64>, high: Option<f64>| match (low, high) {
                (Some(low), Some(high)) => format!(" ({} to {})", ratio(low), ratio(high)),
                _ => String::new(),
            };
            out.push(format!(
                "{} / {}: skewed noise; ratio of totals {}{}, t interval{}",
                found.test,
                found.base,
                ratio(found.total_ratio),
                interval(found.total_low, found.total_high),
                interval(found.t_low, found.t_high)
            ));
        }
    }
}

/// A ladder's ratios are beside its point, and one stalled round of the reference skews all of them: one warning.
fn of_ladder(summary: &Summary, out: &mut Vec<String>) {
    if summary.command != ladder::COMMAND {
        return;
    }
    let skewed: Vec<&str> =
        summary.comparisons.iter().filter(|found| found.skewed).map(|found| found.test.as_str()).collect();
    if !skewed.is_empty() {
        out.push(format!(
            "skewed noise in the ratios to {} of {}; their other estimates are in the record",
            summary.reference,
            skewed.join(", ")
        ));
    }
    let wide = |arm: &&ArmSummary| {
        let (low, high) = (arm.ns_low?, arm.ns_high?);
        Some((high - low) / 2.0 / arm.ns_per_select).filter(|share| *share > summary.plan.half_width)
    };
    let rungs = summary.arms.iter().filter(|arm| !arm.control);
    let wide: Vec<String> = rungs.filter_map(|arm| Some(format!("{} ±{}", arm.name, percent(wide(&arm)?)))).collect();
    if !wide.is_empty() {
        out.push(format!("less precise than wanted: {}", wide.join(", ")));
    }
}

fn of_blocks(blocks: &[Block], out: &mut Vec<String>) {
    let mut notes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut add = |note, block| *notes.entry(note).or_default().entry(block).or_default() += 1;
    for block in blocks {
        for note in &block.notes {
            add(note, &block.arm);
        }
        if super::arm::amount(block).is_none() {
            add("no select was finished; left out", &block.arm);
        }
    }
    for (note, arms) in notes {
        let blocks = |(arm, &blocks): (&&str, &usize)| (arm.to_string(), plural(blocks, "block"));
        let arms: Vec<(String, String)> = arms.iter().map(blocks).collect();
        out.push(match arms.as_slice() {
            [(arm, blocks)] => format!("{arm}: {note} (in {blocks})"),
            _ => {
                let arms: Vec<String> = arms.iter().map(|(arm, blocks)| format!("{arm} (in {blocks})")).collect();
                format!("{note}: {}", arms.join(", "))
            }
        });
    }
}

fn of_precision(summary: &Summary, out: &mut Vec<String>) {
    // `run` measures for as long as it was told to; a suite, too, unless it asks for precision
    if summary.command == "run" || (summary.command == "suite" && summary.plan.max_rounds.is_some()) {
        return;
    }
    if summary.rounds > 0 && summary.rounds < FEWEST as u64 {
        out.push(format!("{}: intervals need {FEWEST}", plural(summary.rounds as usize, "round")));
    } else if let (Some(precision), Some(false), Status::Done) =
        (summary.precision, summary.precision_reached, summary.status)
    {
        let plan = &summary.plan;
        let limit = match plan.max_rounds {
            Some(most) if summary.rounds >= most => format!("more rounds help (--rounds, now {most})"),
            _ => format!("more time helps (--time-limit, now {} s)", plan.time_limit_s),
        };
        let wanted = percent(plan.half_width);
        out.push(format!("precision not reached: ±{}, wanted ±{wanted}; {limit}", percent(precision)));
    }
}
