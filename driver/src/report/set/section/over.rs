//! Points as series over one of their dimensions.

use super::Placed;
use super::words;
use crate::report::number::count;
use crate::report::plural;
use crate::report::set::PointKey;

/// What an axis of charts is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    Clients,
    Scale,
}

impl Dimension {
    pub fn name(self) -> &'static str {
        match self {
            Self::Clients => "clients",
            Self::Scale => "scale",
        }
    }

    pub fn of(self, key: &PointKey) -> Option<f64> {
        match self {
            Self::Clients => Some(f64::from(key.clients)),
            Self::Scale => key.scale.map(|scale| scale as f64),
        }
    }

    /// `key` without it.
    fn erased(self, key: &PointKey) -> PointKey {
        let mut key = key.clone();
        // threads follow clients
        key.threads = 0;
        match self {
            Self::Clients => key.clients = 0,
            Self::Scale => key.scale = None,
        }
        key
    }
}

/// The values that `points` have, in order.
pub fn values(points: &[Placed<'_>], dimension: Dimension) -> Vec<f64> {
    let mut values: Vec<f64> = points.iter().filter_map(|placed| dimension.of(&placed.point.key)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Points that differ in `dimension` alone, under a name that says in what they differ from the other series.
pub struct Line<'a> {
    pub name: String,
    pub points: Vec<Placed<'a>>,
}

/// `points` as lines along `dimension`, in their order.
pub fn lines<'a>(points: &[Placed<'a>], dimension: Dimension) -> Vec<Line<'a>> {
    let mut groups: Vec<((i32, PointKey), Vec<Placed<'a>>)> = Vec::new();
    for placed in points.iter().filter(|placed| dimension.of(&placed.point.key).is_some()) {
        let key = (placed.report.set.id, dimension.erased(&placed.point.key));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(*placed),
            None => groups.push((key, vec![*placed])),
        }
    }
    let firsts: Vec<Placed<'a>> = groups.iter().map(|(_, members)| members[0]).collect();
    let lines = groups.into_iter().map(|(_, mut members)| {
        members.sort_by(|a, b| {
            let at = |placed: &Placed<'_>| dimension.of(&placed.point.key).unwrap_or(0.0);
            at(a).total_cmp(&at(b))
        });
        Line { name: name(&members[0], &firsts, Some(dimension)), points: members }
    });
    lines.collect()
}

/// What tells `one` from the `others`, `along` a dimension of no matter; its workload where nothing does.
pub fn name(one: &Placed<'_>, others: &[Placed<'_>], along: Option<Dimension>) -> String {
    let key = &one.point.key;
    let differs = |part: &dyn Fn(&Placed<'_>) -> String| others.iter().any(|other| part(other) != part(one));
    let mut parts = Vec::new();
    if differs(&|placed| placed.point.key.line()) {
        parts.push(key.line());
    }
    if along != Some(Dimension::Scale) && differs(&|placed| format!("{:?}", placed.point.key.scale)) {
        parts.extend(key.scale.map(|scale| format!("scale {}", count(scale as f64))));
    }
    if along != Some(Dimension::Clients) && differs(&|placed| placed.point.key.clients.to_string()) {
        parts.push(plural(key.clients.max(0) as usize, "client"));
    }
    if differs(&|placed| format!("{:?}", placed.point.key.rate)) {
        parts.push(key.rate.map_or("no rate".into(), |rate| format!("{}/s", words::rate(rate))));
    }
    if differs(&|placed| placed.report.set.id.to_string()) {
        parts.push(format!("set {}", one.report.set.id));
    }
    let version = |placed: &Placed<'_>| words::server(placed.point.key.server_version_num, placed.point.key.assertions);
    if differs(&version) {
        parts.push(format!("PostgreSQL {}", version(one)));
    }
    if parts.is_empty() { key.line() } else { parts.join(", ") }
}

/// Points of one workload each, in their order.
pub fn workloads<'a>(points: &[Placed<'a>]) -> Vec<(String, Vec<Placed<'a>>)> {
    let mut groups: Vec<(String, Vec<Placed<'a>>)> = Vec::new();
    for placed in points {
        let line = placed.point.key.line();
        match groups.iter_mut().find(|(known, _)| *known == line) {
            Some((_, members)) => members.push(*placed),
            None => groups.push((line, vec![*placed])),
        }
    }
    groups
}
