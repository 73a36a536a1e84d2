//! Sets against the first of them.

use std::io::Result;

use super::words;
use crate::report::chart::{self, Axis, Bar, Frame};
use crate::report::document::{Chart, Part, Sheet};
use crate::report::number::ratio;
use crate::report::set::{Contrast, SetReport};

/// What was found, a line each.
pub fn sheet(reports: &[SetReport], contrasts: &[Contrast]) -> Sheet {
    let columns = ["PostgreSQL", "#mean/s", "#mean/s in the first", "#ratio", "#95 % interval"];
    let mut sheet = words::sheet(reports.len() > 1, &columns);
    for contrast in contrasts {
        let key = &contrast.key;
        let server = words::server(key.server_version_num, key.assertions);
        let before = words::server(contrast.base_server_version_num, false);
        let ends = contrast.low.zip(contrast.high).map(|(low, high)| format!("{} – {}", ratio(low), ratio(high)));
        let cells = [
            if contrast.base_server_version_num == key.server_version_num {
                server
            } else {
                format!("{server} against {before}")
            },
            words::rate(contrast.test_mean),
            words::rate(contrast.base_mean),
            ratio(contrast.ratio),
            ends.unwrap_or_default(),
        ];
        sheet.row(words::who(Some(contrast.test), key).into_iter().chain(cells));
    }
    sheet.without_empty()
}

pub fn parts(reports: &[SetReport], contrasts: &[Contrast]) -> Result<Vec<Part>> {
    let [base, _, ..] = reports else { return Ok(Vec::new()) };
    if contrasts.is_empty() {
        return Ok(vec![Part::Text(format!("No run of the others is like one of set {}.", base.set.id))]);
    }
    let names: Vec<String> = contrasts
        .iter()
        .map(|contrast| {
            format!(
                "{}{}",
                words::point(&contrast.key),
                if reports.len() > 2 { format!(", set {}", contrast.test) } else { String::new() }
            )
        })
        .collect();
    let bars: Vec<Bar<'_>> = contrasts
        .iter()
        .zip(&names)
        .map(|(contrast, name)| Bar {
            name,
            value: contrast.ratio,
            interval: contrast.low.zip(contrast.high),
            shared: None,
            text: ratio(contrast.ratio),
            kind: reports.iter().position(|report| report.set.id == contrast.test).unwrap_or(0),
        })
        .collect();
    let title = format!("Rates as a ratio to set {}", base.set.id);
    let frame = Frame {
        title: &title,
        about: "Above 1 is faster than the first set; the table has the numbers.",
        x: Axis::linear("ratio", ratio).from(0.0),
        y: Axis::linear("", ratio),
        level: None,
    };
    Ok(vec![
        Part::Text(format!(
            "Against set {} ({}). The sets were measured apart from each other, so what else changed between them is in the ratios, too: \
             they are unpaired, with Welch's 95 % intervals on the logs of the repeats' rates.",
            base.set.id, base.set.name
        )),
        Part::Chart(Chart {
            caption: format!("{title}."),
            svg: chart::bars(&frame, &bars)?,
            numbers: sheet(reports, contrasts),
        }),
    ])
}
