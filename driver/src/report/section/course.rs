//! Round after round: the ratios' scatter and the rates' drift.

use std::io::Result;

use super::{Part, Records, tick};
use crate::report::chart::{self, Axis, Frame, Point, Series};
use crate::report::document::{Chart, Sheet};
use crate::report::number::{count, ratio};
use crate::report::{LADDER, Spot};

/// Series that a chart can still tell apart where points lie close.
const TOGETHER: usize = 6;

/// Rounds that a course needs.
const FEWEST: usize = 3;

const SCATTER: &str = "Each round's ratio, as its distance from the typical ratio. Points that lie to one side for a while, or one by one \
                       far out, are what the intervals have to allow for.";

const DRIFT: &str = "Each arm's rate, as its distance from its typical rate, round after round: lines that rise or fall together are the \
                     machine, one alone is the arm.";

pub fn parts(records: &Records<'_>) -> Result<Vec<Part>> {
    records.each(|report| {
        let ratios: Vec<Line<'_>> = report
            .ratios
            .iter()
            .filter(|_| report.summary.command != LADDER)
            .map(|course| Line {
                name: format!("{} / {}", course.test, course.base),
                spots: &course.spots,
                text: ratio,
            })
            .collect();
        let rates: Vec<Line<'_>> = report
            .rates
            .iter()
            .map(|course| Line { name: course.arm.clone(), spots: &course.spots, text: count })
            .collect();
        let mut parts = charts("Ratios by round", SCATTER, &ratios, chart::scatter)?;
        parts.extend(charts("Rates by round", DRIFT, &rates, chart::lines)?);
        Ok(parts)
    })
}

/// One course under its name.
struct Line<'a> {
    name: String,
    spots: &'a [Spot],
    text: fn(f64) -> String,
}

type Draw = fn(&Frame<'_>, &[Series<'_>]) -> Result<String>;

fn charts(title: &str, caption: &str, lines: &[Line<'_>], draw: Draw) -> Result<Vec<Part>> {
    let long = |line: &&Line<'_>| line.spots.len() >= FEWEST;
    let lines: Vec<&Line<'_>> = lines.iter().filter(long).collect();
    let one = |(at, lines): (usize, &[&Line<'_>])| {
        let off = |spot: &Spot| Point { x: spot.round as f64, y: spot.off * 100.0, interval: None };
        let series = |line: &&'_ Line<'_>| (line.name.clone(), line.spots.iter().map(off).collect::<Vec<_>>());
        let series: Vec<(String, Vec<Point>)> = lines.iter().map(series).collect();
        let series: Vec<Series<'_>> =
            series.iter().map(|(name, points)| Series { name, points: points.clone() }).collect();
        let (x, y) = (Axis::linear("round", tick::plain), Axis::linear("from the typical", tick::percent));
        let about = "One series an arm or comparison over the rounds; the table beneath has the numbers";
        let svg = draw(&Frame { title, about, x, y, level: Some(0.0) }, &series)?;
        let caption = if at == 0 { caption.into() } else { format!("{title}, continued.") };
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        let only = if lines.len() == 1 { format!("{caption} Here: {}.", names.concat()) } else { caption };
        Ok(Part::Chart(Chart { caption: only, svg, numbers: table(lines) }))
    };
    lines.chunks(TOGETHER).enumerate().map(one).collect()
}

fn table(lines: &[&Line<'_>]) -> Sheet {
    let names: Vec<String> = lines.iter().map(|line| format!("#{}", line.name)).collect();
    let mut columns = vec!["round", "#epoch"];
    columns.extend(names.iter().map(String::as_str));
    let mut sheet = Sheet::new(&columns).folded();
    let mut rounds: Vec<(u64, u64)> =
        lines.iter().flat_map(|line| line.spots).map(|spot| (spot.round, spot.epoch)).collect();
    rounds.sort_unstable();
    rounds.dedup();
    for (round, epoch) in rounds {
        let mut row = vec![round.to_string(), epoch.to_string()];
        row.extend(lines.iter().map(|line| {
            let spot = line.spots.iter().find(|spot| spot.round == round);
            spot.map(|spot| (line.text)(spot.value)).unwrap_or_default()
        }));
        sheet.row(row);
    }
    sheet
}
