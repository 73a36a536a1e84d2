//! Reports on sets: what is put together, what is not, and how it is printed.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use sps::arm::Placement;
use sps::record::{Latency, Tool};
use sps::report::set::{self, SetReport, contrasts, gather};
use sps::results::{Changed, Kind, Metric, Run, RunKey, RunResult, Sample, Second, SetInfo, Status, Unit};

use crate::fixture::header;

fn set_info(id: i32, name: &str) -> SetInfo {
    SetInfo {
        id,
        uuid: format!("00000000-0000-0000-0000-{id:012}"),
        name: name.into(),
        description: "a look".into(),
        status: Status::Done,
        started: "2026-11-30T12:15:00.25+00:00".into(),
        ended: None,
        definition: "name = \"look\"\nscales = [10]\n".into(),
        seed: 7,
        tool: Tool::this(),
        host: header(&["simple@same"]).host,
    }
}

fn waits(ns: u64, count: u64) -> Latency {
    let mut histogram = Histogram::new(2).unwrap();
    histogram.auto(true);
    histogram.record_n(ns, count).unwrap();
    Latency::from_histogram(sps::record::Unit::Select, &histogram)
}

/// A run that is done.
fn run(id: i64, per_second: f64) -> Run {
    Run {
        id,
        key: RunKey {
            position: id as i32,
            workload: "prepared".into(),
            kind: Kind::Arm,
            arm: Some("prepared".into()),
            protocol: Some("prepared".into()),
            placement: Some(Placement::Same),
            scale: Some(10),
            clients: 1,
            threads: 1,
            rate: None,
            repeat: id as i32,
        },
        started: "2026-11-30T12:15:00+00:00".into(),
        ended: Some("2026-11-30T12:16:00+00:00".into()),
        transport: "unix".into(),
        server: header(&["simple@same"]).server,
        result: RunResult {
            unit: Some(Unit::Selects),
            count: Some(per_second as i64),
            elapsed_ns: Some(1_000_000_000),
            per_second: Some(per_second),
            ..RunResult::without_numbers(Status::Done, None)
        },
        changed: Vec::new(),
    }
}

/// `runs` changed by `change`, each.
fn with(mut run: Run, change: impl FnOnce(&mut Run)) -> Run {
    change(&mut run);
    run
}

fn report(id: i32, runs: Vec<Run>) -> SetReport {
    let planned: Vec<RunKey> = runs.iter().map(|run| run.key.clone()).collect();
    gather(set_info(id, "look"), &planned, runs)
}

fn printed(format: &str, reports: &[SetReport]) -> String {
    let mut out = Vec::new();
    set::format(format).unwrap().write(reports, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const FORMATS: [&str; 5] = ["table", "markdown", "csv", "json", "html"];

#[test]
fn repeats_are_summed_up_and_what_differs_in_anything_is_not() {
    let one = || run(9, 1e6);
    let unlike = [
        with(one(), |run| run.key.workload = "other".into()),
        with(one(), |run| run.key.arm = Some("simple".into())),
        with(one(), |run| run.key.kind = Kind::Pgbench),
        with(one(), |run| run.key.protocol = Some("simple".into())),
        with(one(), |run| run.key.placement = Some(Placement::Split)),
        with(one(), |run| run.key.scale = Some(100)),
        with(one(), |run| run.key.clients = 2),
        with(one(), |run| run.key.threads = 2),
        with(one(), |run| run.key.rate = Some(100.0)),
        with(one(), |run| run.transport = "tcp+tls".into()),
        with(one(), |run| run.server.version_num = 180_000),
        with(one(), |run| run.server.assertions = true),
        with(one(), |run| run.result.unit = Some(Unit::Transactions)),
    ];
    let count = unlike.len();
    let like = [run(1, 100.0), run(2, 110.0), run(3, 120.0)];
    let found = report(1, like.into_iter().chain(unlike).collect());
    assert_eq!(found.points.len(), count + 1);
    let summed = found.points.iter().find(|point| point.runs == [1, 2, 3]).unwrap();
    let rate = &summed.per_second;
    assert_eq!((rate.n, rate.mean, rate.median, rate.sd), (3, 110.0, 110.0, Some(10.0)));
    // t at 2 degrees of freedom is 4.302653
    assert!((rate.high.unwrap() - (110.0 + 4.302_653 * 10.0 / 3_f64.sqrt())).abs() < 1e-3);
    assert!(found.points.iter().filter(|point| point.runs != [1, 2, 3]).all(|point| point.per_second.mean == 1e6));
}

#[test]
fn what_came_to_no_end_enters_no_number_and_is_listed_by_every_format_for_people() {
    let broken = |id: i64, status: Status| {
        with(run(id, 0.0), |run| {
            run.result.status = status;
            run.result.error = Some(format!("because of {}", status.name()));
        })
    };
    let statuses = [Status::Failed, Status::Killed, Status::Interrupted];
    let runs = statuses.iter().enumerate().map(|(at, status)| broken(10 + at as i64, *status));
    let reports = [report(1, [run(1, 100.0), run(2, 102.0)].into_iter().chain(runs).collect())];
    assert_eq!(reports[0].points.len(), 1);
    assert_eq!((reports[0].points[0].per_second.n, reports[0].points[0].per_second.mean), (2, 101.0));
    for format in ["table", "markdown", "html", "json"] {
        for status in statuses {
            assert!(printed(format, &reports).contains(&format!("because of {}", status.name())), "{format}");
        }
    }
}

#[test]
fn percentiles_are_of_all_waits_together() {
    let runs = [(1, waits(1_000_000, 900)), (2, waits(9_000_000, 100))];
    let runs = runs.map(|(id, waits)| with(run(id, 100.0), |run| run.result.latency = Some(waits)));
    let found = report(1, runs.into());
    let all = found.points[0].latency.as_ref().unwrap();
    let near = |seen: u64, ns: f64| (seen as f64 / ns - 1.0).abs() < 0.01;
    // the mean of the repeats' medians would be 5 ms
    assert!(all.count == 1000 && near(all.p50_ns, 1e6) && near(all.p95_ns, 9e6), "{all:?}");
    // of a repeat without a histogram there is no percentile of all
    let mut lacking: Vec<Run> = found.runs;
    lacking[1].result.latency = None;
    assert_eq!(report(1, lacking).points[0].latency, None);
}

#[test]
fn sets_are_held_against_the_first_where_they_did_the_same_even_on_another_server() {
    let rates = |factor: f64| vec![run(1, 100.0 * factor), run(2, 102.0 * factor), run(3, 98.0 * factor)];
    let newer = rates(1.5).into_iter().map(|one| with(one, |run| run.server.version_num = 180_000));
    let unlike = with(run(9, 5.0), |run| run.key.clients = 8);
    let reports = [report(1, rates(1.0)), report(2, newer.chain([unlike]).collect())];
    let found = contrasts(&reports);
    assert_eq!(found.len(), 1);
    assert!((found[0].ratio - 1.5).abs() < 1e-9 && found[0].low.unwrap() < 1.5 && found[0].high.unwrap() > 1.5);
    assert_eq!((found[0].base, found[0].test, found[0].base_server_version_num), (1, 2, 150_018));
    for format in ["table", "markdown", "html"] {
        let text = printed(format, &reports);
        assert!(text.contains("18.0 against 15.18") && text.contains("1.500"), "{format}: {text}");
        assert!(text.contains("measured apart"), "{format}");
    }
    assert!(contrasts(&reports[..1]).is_empty());
}

/// Runs with everything that a run can have.
fn rich() -> Vec<Run> {
    let mut runs = Vec::new();
    for (at, (scale, clients)) in [(1, 1), (1, 4), (10, 1), (10, 4)].into_iter().enumerate() {
        for repeat in 0..2 {
            runs.push(with(run((2 * at + repeat) as i64 + 1, 1000.0 * (at + repeat + 1) as f64), |run| {
                run.key.scale = Some(scale);
                run.key.clients = clients;
                run.changed = vec![Changed { name: "work_mem".into(), before: None, value: Some("8MB".into()) }];
                let result = &mut run.result;
                result.latency = Some(waits(1_000_000 * (at as u64 + 1), 100));
                let second = |second: i32| Second {
                    second,
                    count: 1000,
                    failed: 0,
                    latency_ns: Some(1e6),
                    latency_max_ns: Some(9e6),
                };
                result.series = (0..3).map(second).collect();
                for (name, unit) in [("cpu_user", "share"), ("memory_dirty", "bytes"), ("disk_written vda", "bytes/s")]
                {
                    result.samples.extend((0..3).map(|at| Sample {
                        source: "host".into(),
                        name: name.into(),
                        unit: unit.into(),
                        at: f64::from(at),
                        value: 0.5 * f64::from(at),
                    }));
                }
                let metric = |name: &str, delta: f64| Metric {
                    source: "server".into(),
                    name: name.into(),
                    unit: String::new(),
                    delta,
                };
                result.metrics = vec![metric("checkpoints_timed", 2.0), metric("buffers_backend", 4321.0)];
                result.settings = BTreeMap::from([("shared_buffers".into(), "1GB".into())]);
                result.warnings = vec![format!("the kettle was on for {at} s")];
            }));
        }
    }
    runs
}

#[test]
fn a_page_has_a_place_for_everything_and_fetches_nothing() {
    let page = printed("html", &[report(1, rich())]);
    for held in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(held), "the page holds {held}");
    }
    for said in [
        "per second against clients",
        "per second against scale",
        "per second by scale and clients",
        "latency against rate",
        "latency by percentile",
        "Variation",
        "checkpoints, timed",
        "4,321",
        "id=\"run-8\"",
        "Rate over time",
        "Latency over time",
        "Processors of the server",
        "yet to be written",
        "Disks",
        "work_mem",
        "shared_buffers",
        "the kettle was on",
        "(and 7 more like it)",
        "scales = [10]",
    ] {
        assert!(page.contains(said), "no \"{said}\" in the page");
    }
    for figure in page.split("<figure>").skip(1).map(|rest| rest.split("</figure>").next().unwrap()) {
        assert_eq!((figure.matches("<svg").count(), figure.matches("<table").count()), (1, 1), "{figure}");
    }
    let text = printed("markdown", &[report(1, rich())]);
    assert!(!text.contains("<svg") && !text.contains("Rate over time") && text.contains("| prepared@same | 10 | 4 |"));
}

#[test]
fn names_are_text_in_every_format() {
    let evil = "<script>alert(1)</script>|\u{1b}[31m,\"x\"";
    let mut report = report(1, rich().into_iter().map(|one| with(one, |run| run.key.workload = evil.into())).collect());
    report.set.name = evil.into();
    let reports = [report];
    assert!(!printed("html", &reports).contains("<script"));
    assert!(!printed("markdown", &reports).contains("<script"));
    for format in ["table", "markdown", "html"] {
        assert!(!printed(format, &reports).contains('\u{1b}'), "{format}");
    }
    let text = printed("csv", &reports);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert!(rows.len() == 4 && rows.iter().all(|row| &row[1] == evil));
    let json: serde_json::Value = serde_json::from_str(&printed("json", &reports)).unwrap();
    assert_eq!(json["sets"][0]["points"][3]["workload"], evil);
}

#[test]
fn a_set_of_which_nothing_is_done_reports() {
    for format in FORMATS {
        assert!(!printed(format, &[report(1, Vec::new())]).is_empty(), "{format}");
    }
    assert!(printed("html", &[report(1, Vec::new())]).contains("No run has come to its end"));
}
