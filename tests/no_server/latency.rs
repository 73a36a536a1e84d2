//! Latencies: percentiles against sorted values, and parts that are put together against the whole.

use std::time::Duration;

use sps::record::{Header, Latency, Line, Status, Summary, Unit, Waits};
use sps::report::{Outcome, build};

use crate::fixture::{blocks, header, printed};
use crate::schema::check_line;

/// Waits of some microseconds with a long tail, the same in every run.
fn waits(seed: i64, count: u64) -> Vec<u64> {
    let share = |i| select_loop_keys::mix(seed, 0, 0, 0, i) as u64 as f64 / u64::MAX as f64;
    (0..count).map(|i| (12_000.0 * (1.0 - share(i)).powf(-0.3)) as u64).collect()
}

fn counted(values: &[u64], limit: Option<Duration>) -> Latency {
    let mut waits = Waits::new(limit).unwrap();
    values.iter().for_each(|&ns| waits.add(Duration::from_nanos(ns)));
    waits.latency(Unit::Select).unwrap()
}

#[track_caller]
fn close(found: f64, expected: f64, share: f64) {
    assert!((found - expected).abs() <= share * expected, "{found}, expected {expected} within {share}");
}

/// Mean, standard deviation and maximum as they are defined; percentiles as the sorted values have them.
#[track_caller]
fn is_of(latency: &Latency, values: &[u64]) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<u64>() as f64 / n;
    let variance = sorted.iter().map(|&ns| (ns as f64 - mean).powi(2)).sum::<f64>() / n;
    assert_eq!((latency.count, Some(&latency.max_ns)), (sorted.len() as u64, sorted.last()));
    close(latency.mean_ns, mean, 1e-9);
    close(latency.stddev_ns, variance.sqrt(), 1e-6);
    let found = [latency.p50_ns, latency.p90_ns, latency.p95_ns, latency.p99_ns, latency.p999_ns];
    for (found, share) in found.into_iter().zip([0.5, 0.9, 0.95, 0.99, 0.999]) {
        let expected = sorted[(share * n).ceil() as usize - 1];
        close(found as f64, expected as f64, 0.004);
    }
}

#[test]
fn percentiles_are_those_of_the_sorted_waits() {
    let values = waits(1, 20_000);
    is_of(&counted(&values, None), &values);
    is_of(&counted(&[17_000], None), &[17_000]);
}

#[test]
fn parts_put_together_are_the_whole() {
    let parts = [waits(1, 9_000), waits(2, 300), waits(3, 4_000).iter().map(|ns| ns * 50).collect()];
    let counted: Vec<Latency> = parts.iter().map(|part| counted(part, None)).collect();
    let merged = Latency::merge(&counted).unwrap().unwrap();
    is_of(&merged, &parts.concat());
    assert_eq!(Latency::merge([]).unwrap(), None);
}

#[test]
fn threads_put_together_are_the_whole() {
    let parts = [waits(1, 5_000), waits(2, 700)];
    let mut all = Waits::new(None).unwrap();
    for part in &parts {
        let mut own = Waits::new(None).unwrap();
        part.iter().for_each(|&ns| own.add(Duration::from_nanos(ns)));
        all.merge(&own);
    }
    is_of(&all.latency(Unit::Select).unwrap(), &parts.concat());
}

#[test]
fn late_skipped_and_lag_are_summed_up() {
    let limit = Some(Duration::from_micros(20));
    let mut one = Waits::new(limit).unwrap();
    for (lag, wait) in [(1, 10), (5, 30), (0, 21)] {
        one.lagged(Duration::from_micros(lag));
        one.add(Duration::from_micros(wait));
    }
    one.skip();
    let mut other = Waits::new(limit).unwrap();
    other.lagged(Duration::from_micros(14));
    other.add(Duration::from_micros(20));
    let parts = [one, other].map(|waits| waits.latency(Unit::Select).unwrap());
    let merged = Latency::merge(&parts).unwrap().unwrap();
    assert_eq!((merged.count, merged.late, merged.skipped), (4, Some(2), Some(1)));
    assert_eq!((merged.lag_mean_ns, merged.lag_max_ns), (Some(5_000.0), Some(14_000)));
    // a block in which all was skipped takes nothing away
    let mut none = Waits::new(limit).unwrap();
    none.skip();
    let with_none = Latency::merge(&[merged.clone(), none.latency(Unit::Select).unwrap()]).unwrap().unwrap();
    assert_eq!((with_none.count, with_none.skipped, with_none.lag_max_ns), (4, Some(2), Some(14_000)));
    assert_eq!(with_none.lag_mean_ns, Some(5_000.0));
    // without a limit or rate there is nothing to be late or to lag
    let plain = counted(&[1], None);
    assert_eq!((plain.late, plain.skipped, plain.lag_mean_ns), (None, None, None));
}

#[test]
fn what_cannot_be_put_together_is_an_error() {
    let select = counted(&[1], None);
    let call = Latency { unit: Unit::Call, ..select.clone() };
    assert!(Latency::merge([&select, &call]).unwrap_err().message.contains("selects, calls"));
    for text in ["no base64!", "AAAA", ""] {
        let damaged = Latency { histogram: text.into(), ..select.clone() };
        assert!(Latency::merge([&damaged]).unwrap_err().message.contains("damaged"), "{text}");
        assert!(damaged.curve().is_err());
    }
}

#[test]
fn the_curve_rises_from_the_shortest_to_the_longest_wait() {
    let values = waits(5, 10_000);
    let latency = counted(&values, None);
    let curve = latency.curve().unwrap();
    assert!(curve.len() > 20);
    assert!(curve.is_sorted_by(|a, b| a.share <= b.share && a.ns <= b.ns), "{curve:?}");
    let last = curve.last().unwrap();
    assert_eq!((last.share, last.ns), (1.0, latency.max_ns));
    let median = curve.iter().find(|point| point.share >= 0.5).unwrap();
    close(median.ns as f64, latency.p50_ns as f64, 0.01);
}

#[test]
fn a_blocks_histogram_is_small() {
    // a block of `prepared` on one core
    let latency = counted(&waits(8, 20_000), None);
    assert!(latency.histogram.len() < 1000, "{}", latency.histogram.len());
}

/// Two blocks of each of two arms: all blocks but the layer's tell what was waited.
fn told(mut header: Header, limit: Option<Duration>) -> Summary {
    header.plan.latency_limit_ms = limit.map(|limit| limit.as_secs_f64() * 1e3);
    let mut blocks = blocks(&header, &[10_000.0, 160_000.0], 2);
    for block in blocks.iter_mut().filter(|block| block.arm == "prepared@same") {
        block.latency = Some(counted(&waits(block.round as i64, 1000), limit));
        check_line(&serde_json::to_value(Line::Block(Box::new(block.clone()))).unwrap());
    }
    let outcome = Outcome { status: Status::Done, warnings: Vec::new(), lost: Vec::new(), record: None };
    let summary = build(&header, &blocks, &outcome);
    check_line(&serde_json::to_value(&summary).unwrap());
    summary
}

#[test]
fn a_summary_has_all_blocks_latencies_together() {
    let summary = told(header(&["prepared@same", "rescan"]), None);
    is_of(summary.arms[0].latency.as_ref().unwrap(), &[waits(0, 1000), waits(1, 1000)].concat());
    assert!(summary.arms[1].latency.is_none());
}

#[test]
fn table_and_csv_show_latencies_of_arms_that_tell_them() {
    let summary = told(header(&["prepared@same", "rescan"]), Some(Duration::from_micros(15)));
    let late = summary.arms[0].latency.as_ref().unwrap().late.unwrap();
    assert!(late > 0);
    let table = printed("table", std::slice::from_ref(&summary));
    let row = table.lines().skip_while(|line| !line.starts_with("latency ")).nth(1).unwrap();
    assert!(row.starts_with("prepared@same") && row.contains("select"), "{table}");
    let csv = printed("csv", &[summary]);
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let mut at = |name: &str| rows.headers().unwrap().iter().position(|column| column == name).unwrap();
    let (unit, count, late_at) = (at("latency_unit"), at("latency_count"), at("latency_late"));
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let late = late.to_string();
    assert_eq!([&rows[0][unit], &rows[0][count], &rows[0][late_at]], ["select", "2000", late.as_str()]);
    assert_eq!(&rows[1][unit], "");
}
