//! Sets against the first of them: what is alike in both, and by how much it differs.

use serde::Serialize;

use super::{Point, PointKey, SetReport};
use crate::stats::{CONFIDENCE, welch};

/// One kind of run in two sets. They were measured apart from each other, so what changed between them is in the ratio, too.
#[derive(Clone, Debug, Serialize)]
pub struct Contrast {
    /// Ids of the sets.
    pub base: i32,
    pub test: i32,
    /// As in the test's set.
    #[serde(flatten)]
    pub key: PointKey,
    pub base_server_version_num: u32,
    pub base_mean: f64,
    pub test_mean: f64,
    /// Of geometric means, test over base.
    pub ratio: f64,
    /// Welch's 95 % interval; None where either side has one repeat.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// `unpaired`, always: for whoever reads the numbers without the report.
    pub pairing: &'static str,
}

/// Every point of the later `reports` that the first has, too.
pub fn contrasts(reports: &[SetReport]) -> Vec<Contrast> {
    let Some((base, tests)) = reports.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    for test in tests {
        for point in &test.points {
            let like = base.points.iter().filter(|other| other.key.like(&point.key));
            found.extend(like.filter_map(|other| contrast((base.set.id, other), (test.set.id, point))));
        }
    }
    found
}

fn contrast((base_set, base): (i32, &Point), (test_set, test): (i32, &Point)) -> Option<Contrast> {
    let ratio = welch::ratio(&test.rates, &base.rates, CONFIDENCE).filter(|found| found.value.is_finite())?;
    Some(Contrast {
        base: base_set,
        test: test_set,
        key: test.key.clone(),
        base_server_version_num: base.key.server_version_num,
        base_mean: base.per_second.mean,
        test_mean: test.per_second.mean,
        ratio: ratio.value,
        low: ratio.interval.map(|ends| ends.low),
        high: ratio.interval.map(|ends| ends.high),
        pairing: "unpaired",
    })
}
