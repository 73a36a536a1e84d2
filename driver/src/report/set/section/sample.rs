//! What was looked at while a run went, as charts over its time: processors, memory, disks, and the suite's own queries.

use std::io::Result;

use super::metric::amount;
use crate::report::chart::{self, Axis, Frame, Series};
use crate::report::document::{Chart, Sheet};
use crate::report::number::{bytes, count};
use crate::results::Sample;

/// Samples that are drawn together: by the start of their names, with the words above the chart.
const TOGETHER: [(&str, &str); 5] = [
    ("cpu_", "Processors of the server's machine"),
    ("memory_dirty", "Memory that is yet to be written"),
    ("memory_writeback", "Memory that is yet to be written"),
    ("disk_read ", "Disks"),
    ("disk_written ", "Disks"),
];

/// What was sampled under one name, in time.
type Line<'a> = (&'a str, Vec<&'a Sample>);

/// All charts of `samples`; what stands at one moment only is [`sheet`]'s.
pub fn charts(samples: &[Sample]) -> Result<Vec<Chart>> {
    let mut groups: Vec<(String, Vec<Line>)> = Vec::new();
    for sample in samples {
        let known = TOGETHER.iter().find(|(start, _)| sample.source == "host" && sample.name.starts_with(start));
        let group =
            known.map_or_else(|| format!("{} ({})", sample.name, sample.source), |(_, words)| (*words).to_owned());
        let at = groups.iter().position(|(name, _)| *name == group).unwrap_or_else(|| {
            groups.push((group, Vec::new()));
            groups.len() - 1
        });
        let lines = &mut groups[at].1;
        match lines.iter_mut().find(|(name, _)| *name == sample.name) {
            Some((_, line)) => line.push(sample),
            None => lines.push((&sample.name, vec![sample])),
        }
    }
    let drawn = groups.iter().filter(|(_, lines)| lines.iter().any(|(_, line)| line.len() > 1));
    drawn.map(|(title, lines)| chart(title, lines)).collect()
}

fn chart(title: &str, lines: &[Line]) -> Result<Chart> {
    let unit = lines.first().and_then(|(_, line)| line.first()).map_or("", |sample| sample.unit.as_str());
    let text: fn(f64) -> String = match unit {
        "bytes" => |value| bytes(value as i64),
        "bytes/s" => |value| format!("{}/s", bytes(value as i64)),
        "share" => super::words::share,
        _ => plain,
    };
    let label = if ["bytes", "bytes/s", "share"].contains(&unit) { "" } else { unit };
    let frame = Frame {
        title,
        about: "Over the seconds of the run; the table has the extremes.",
        x: Axis::linear("seconds", plain),
        y: Axis::linear(label, text).from(0.0),
        level: None,
    };
    let mut numbers = Sheet::new(&["what", "#mean", "#smallest", "#largest"]);
    let mut series = Vec::new();
    for (name, line) in lines {
        let values: Vec<f64> = line.iter().map(|sample| sample.value).collect();
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(*at), high.max(*at)));
        numbers.row([(*name).to_owned(), text(crate::stats::mean(&values)), text(low), text(high)]);
        let points = line.iter().map(|sample| chart::Point { x: sample.at, y: sample.value, interval: None }).collect();
        series.push(Series { name, points });
    }
    Ok(Chart { caption: format!("{title}."), svg: chart::lines(&frame, &series)?, numbers: numbers.folded() })
}

/// What was looked at once.
pub fn sheet(samples: &[Sample]) -> Sheet {
    let mut sheet = Sheet::new(&["source", "what", "#value"]);
    for sample in samples {
        let once =
            samples.iter().filter(|other| other.name == sample.name && other.source == sample.source).count() == 1;
        if once {
            sheet.row([sample.source.clone(), sample.name.clone(), amount(sample.value, &sample.unit)]);
        }
    }
    sheet
}

/// A number of any size.
pub fn plain(value: f64) -> String {
    if value.abs() >= 100.0 || value.fract() == 0.0 { count(value) } else { format!("{value:.2}") }
}
