//! How far repeats lie apart.

use super::{Placed, words};
use crate::report::document::Part;
use crate::report::percent;
use crate::report::set::SetReport;

pub fn parts(reports: &[SetReport], points: &[Placed<'_>]) -> Vec<Part> {
    let several = reports.len() > 1;
    if points.is_empty() {
        return Vec::new();
    }
    let columns = [
        "#repeats",
        "#mean/s",
        "#median",
        "#sd",
        "#variation",
        "#95 % interval",
        "#smallest",
        "#largest",
        "#largest / smallest",
    ];
    let mut sheet = words::sheet(several, &columns);
    for Placed { report, point } in points {
        let rate = &point.per_second;
        let cells = [
            rate.n.to_string(),
            words::rate(rate.mean),
            words::rate(rate.median),
            rate.sd.map(words::rate).unwrap_or_default(),
            rate.cv.map(percent).unwrap_or_default(),
            words::interval(rate, words::rate),
            words::rate(rate.min),
            words::rate(rate.max),
            format!("{:.3}", rate.max / rate.min),
        ];
        sheet.row(words::who(several.then_some(report.set.id), &point.key).into_iter().chain(cells));
    }
    vec![
        Part::Text(
            "Rates of single runs; variation is the standard deviation as a share of the mean. Only runs of the same workload, \
             protocol, transport, placement, scale, clients, rate and server are put together."
                .into(),
        ),
        Part::Table(sheet.without_empty()),
    ]
}
