//! From a set's runs to its report: runs that are done, grouped with their like.

use super::{Broken, Mean, Point, PointKey, SetReport};
use crate::record::Latency;
use crate::results::{Run, RunKey, SetInfo, Status};
use crate::stats::spread::Spread;

/// Sums up `runs` of `set`, which plans `planned`.
pub fn gather(set: SetInfo, planned: &[RunKey], runs: Vec<Run>) -> SetReport {
    let mut groups: Vec<(PointKey, Vec<&Run>)> = Vec::new();
    let mut done: Vec<&Run> = runs.iter().filter(|run| run.result.status == Status::Done).collect();
    done.sort_by_key(|run| run.key.position);
    for run in done {
        let Some(key) = key(run) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(run),
            None => groups.push((key, vec![run])),
        }
    }
    sort(&mut groups);
    let mut warnings = Vec::new();
    let points = groups.into_iter().filter_map(|(key, members)| point(key, &members, &mut warnings)).collect();
    let broken =
        runs.iter().filter(|run| !matches!(run.result.status, Status::Done | Status::Running)).map(|run| Broken {
            run: run.id,
            key: run.key.clone(),
            status: run.result.status,
            error: run.result.error.clone(),
            started: run.started.clone(),
        });
    let broken: Vec<Broken> = broken.collect();
    warnings.extend(told(&runs));
    SetReport { set, planned: planned.len(), points, broken, warnings, runs }
}

/// The runs' warnings, those that differ in numbers alone once with how many there are; each run has its own in full.
fn told(runs: &[Run]) -> Vec<String> {
    let bare =
        |warning: &str| warning.chars().filter(|letter| !letter.is_ascii_digit() && *letter != '.').collect::<String>();
    let mut kinds: Vec<(String, &str, usize)> = Vec::new();
    for warning in runs.iter().flat_map(|run| &run.result.warnings) {
        let kind = bare(warning);
        match kinds.iter_mut().find(|(known, _, _)| *known == kind) {
            Some((_, _, times)) => *times += 1,
            None => kinds.push((kind, warning, 1)),
        }
    }
    let line = |(_, first, times): (String, &str, usize)| match times {
        1 => first.to_owned(),
        several => format!("{first} (and {} more like it)", several - 1),
    };
    kinds.into_iter().map(line).collect()
}

/// None of a run that does not say what it counts.
fn key(run: &Run) -> Option<PointKey> {
    let key = &run.key;
    Some(PointKey {
        workload: key.workload.clone(),
        kind: key.kind,
        arm: key.arm.clone(),
        protocol: key.protocol.clone(),
        transport: run.transport.clone(),
        placement: key.placement,
        unit: run.result.unit?,
        scale: key.scale,
        clients: key.clients,
        threads: key.threads,
        rate: key.rate,
        server_version_num: run.server.version_num,
        assertions: run.server.assertions,
    })
}

/// Workloads by name, since the order of execution is shuffled; then by size.
fn sort(groups: &mut [(PointKey, Vec<&Run>)]) {
    let mut names: Vec<String> = groups.iter().map(|(key, _)| key.workload.clone()).collect();
    names.sort();
    names.dedup();
    let place = |key: &PointKey| names.binary_search(&key.workload).unwrap_or(0);
    groups.sort_by(|(a, _), (b, _)| {
        let order = |key: &PointKey| (place(key), key.scale, key.clients, key.threads);
        let rates = a.rate.unwrap_or(f64::INFINITY).total_cmp(&b.rate.unwrap_or(f64::INFINITY));
        order(a).cmp(&order(b)).then(rates).then(a.server_version_num.cmp(&b.server_version_num))
    });
}

fn point(key: PointKey, members: &[&Run], warnings: &mut Vec<String>) -> Option<Point> {
    let rates: Vec<f64> = members.iter().filter_map(|run| run.result.per_second).collect();
    let parts: Option<Vec<&Latency>> = members.iter().map(|run| run.result.latency.as_ref()).collect();
    let latency = parts.map(Latency::merge).transpose().unwrap_or_else(|error| {
        warnings.push(format!("{}: {error}", key.workload));
        None
    });
    let failed = members.iter().map(|run| run.result.failed).sum();
    Some(Point {
        per_second: Spread::of(&rates)?,
        rates,
        latency: latency.flatten(),
        failed,
        metrics: means(members),
        runs: members.iter().map(|run| run.id).collect(),
        key,
    })
}

fn means(members: &[&Run]) -> Vec<Mean> {
    let mut means: Vec<Mean> = Vec::new();
    for metric in members.iter().flat_map(|run| &run.result.metrics) {
        let known = means.iter_mut().find(|mean| mean.source == metric.source && mean.name == metric.name);
        match known {
            // a sum until all are seen
            Some(mean) => (mean.mean, mean.runs) = (mean.mean + metric.delta, mean.runs + 1),
            None => means.push(Mean {
                source: metric.source.clone(),
                name: metric.name.clone(),
                unit: metric.unit.clone(),
                mean: metric.delta,
                runs: 1,
            }),
        }
    }
    means.iter_mut().for_each(|mean| mean.mean /= mean.runs as f64);
    means
}
