//! Verdicts: of a change, of what was expected of a ratio, and the exit code that follows.

use std::process::Command;

use sps::error::Exit;
use sps::record::{Expectation, Status, Summary};
use sps::report::{self, Outcome, Report, build};
use sps::stats::Interval;
use sps::stats::verdict::{Change, Relation, Verdict, confidence};

use crate::fixture::{blocks, header};
use crate::schema::check_line;

const ARMS: [&str; 3] = ["prepared@same", "prepared@split", "plpgsql"];
const RATES: [f64; 3] = [70e3, 11e3, 160e3];

fn interval(low: f64, high: f64) -> Option<Interval> {
    Some(Interval { low, high })
}

#[test]
fn a_change_is_called_by_the_whole_interval() {
    for (low, high, tolerance, expected) in [
        (0.90, 0.95, 0.0, Change::Regression),
        (0.90, 1.01, 0.0, Change::Inconclusive),
        (1.01, 1.05, 0.0, Change::Improvement),
        (1.00, 1.05, 0.0, Change::NoRegression),
        // within what is tolerated, wholly, partly, not at all
        (0.985, 0.995, 0.02, Change::NoRegression),
        (0.985, 1.200, 0.02, Change::NoRegression),
        (0.970, 0.990, 0.02, Change::Inconclusive),
        (0.900, 0.979, 0.02, Change::Regression),
        (1.001, 1.002, 0.02, Change::Improvement),
    ] {
        assert_eq!(Change::of(interval(low, high), tolerance), expected, "{low} to {high}, {tolerance} tolerated");
    }
    assert_eq!(Change::of(None, 0.5), Change::Inconclusive);
}

#[test]
fn an_expectation_is_confirmed_or_refuted_by_the_whole_interval() {
    use Relation::{Above, AtLeast, AtMost, Below};
    for (low, high, relation, expected) in [
        (2.0, 2.5, AtLeast, Verdict::Confirmed),
        (2.0, 2.5, Above, Verdict::Inconclusive),
        (1.9, 2.5, AtLeast, Verdict::Inconclusive),
        (1.5, 1.9, AtLeast, Verdict::Refuted),
        (1.5, 2.0, Above, Verdict::Refuted),
        (1.5, 2.0, AtMost, Verdict::Confirmed),
        (1.5, 2.0, Below, Verdict::Inconclusive),
        (2.0, 2.5, Below, Verdict::Refuted),
    ] {
        assert_eq!(Verdict::of(interval(low, high), relation, 2.0), expected, "{low} to {high}, {relation:?} 2");
    }
    assert_eq!(Verdict::of(None, AtLeast, 2.0), Verdict::Inconclusive);
}

#[test]
fn several_verdicts_share_the_error_of_one() {
    assert_eq!((confidence(0), confidence(1)), (0.95, 0.95));
    assert!((confidence(5) - 0.99).abs() < 1e-12);
}

fn expect(test: &str, base: &str, relation: Relation, bound: f64) -> Expectation {
    Expectation { test: test.into(), base: base.into(), relation, bound }
}

fn summary(expectations: Vec<Expectation>, rounds: u64, status: Status) -> Summary {
    let mut header = header(&ARMS);
    header.expectations = expectations;
    let blocks = blocks(&header, &RATES, rounds);
    let summary = build(&header, &blocks, &Outcome { status, warnings: Vec::new(), lost: Vec::new(), record: None });
    check_line(&serde_json::to_value(&summary).unwrap());
    summary
}

#[test]
fn the_worst_verdict_is_the_exit_code_unless_the_run_was_interrupted() {
    // plpgsql / prepared@same is 2.286
    let one = |relation, bound| expect("plpgsql", "prepared@same", relation, bound);
    let confirmed = one(Relation::AtLeast, 2.0);
    let refuted = one(Relation::Above, 2.5);
    let open = one(Relation::Below, 160.0 / 70.0);
    for (expectations, rounds, status, exit) in [
        (vec![confirmed.clone()], 30, Status::Done, Exit::Done),
        (vec![confirmed.clone(), open.clone()], 30, Status::Done, Exit::Inconclusive),
        (vec![open.clone(), refuted.clone(), confirmed.clone()], 30, Status::Done, Exit::Regression),
        // too short for an interval
        (vec![confirmed.clone()], 5, Status::Done, Exit::Inconclusive),
        (vec![confirmed.clone()], 0, Status::Done, Exit::Inconclusive),
        (vec![refuted.clone()], 30, Status::Interrupted, Exit::Interrupted),
        (vec![], 30, Status::Done, Exit::Done),
    ] {
        let summary = summary(expectations, rounds, status);
        assert_eq!(summary.exit(), exit, "{:#?}", summary.expectations);
    }
}

#[test]
fn what_is_expected_is_compared_and_each_ratio_has_its_share_of_the_error() {
    let two = summary(
        vec![
            expect("plpgsql", "prepared@split", Relation::AtLeast, 10.0),
            expect("plpgsql", "prepared@split", Relation::AtMost, 20.0),
            expect("plpgsql", "prepared@same", Relation::AtLeast, 2.0),
        ],
        30,
        Status::Done,
    );
    let compared =
        |test: &str, base: &str| two.comparisons.iter().find(|found| found.test == test && found.base == base).unwrap();
    let plain = compared("plpgsql", "prepared@split");
    let answer = &two.expectations[0];
    // two ratios, three bounds
    assert!(two.expectations.iter().all(|answer| answer.confidence == 0.975 && answer.rounds == 30));
    assert_eq!(answer.ratio, Some(plain.ratio));
    assert!(answer.low < plain.low && answer.high > plain.high, "{answer:?} {plain:?}");
}

#[test]
fn verdicts_are_printed_and_in_csv() {
    let summary = summary(
        vec![
            expect("plpgsql", "prepared@same", Relation::AtLeast, 2.0),
            expect("plpgsql", "prepared@same", Relation::Below, 2.25),
        ],
        30,
        Status::Done,
    );
    let header = header(&ARMS);
    let report = Report::new(&header, &[], summary);
    let printed = |format: &str| {
        let mut out = Vec::new();
        report::format(format).unwrap().write(std::slice::from_ref(&report), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let table = printed("table");
    assert!(table.contains("expected     plpgsql/prepared@same >= 2: confirmed (2.2"), "{table}");
    assert!(table.contains("expected     plpgsql/prepared@same < 2.25: refuted (2.2"), "{table}");
    assert!(table.contains("95 % interval 2."), "{table}");
    let csv = printed("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let at = |name: &str| columns.iter().position(|column| column == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let row = rows.iter().find(|row| &row[at("arm")] == "plpgsql").unwrap();
    assert_eq!((&row[at("expected")], &row[at("verdict")]), (">= 2; < 2.25", "confirmed; refuted"));
    assert!(rows.iter().filter(|row| &row[at("arm")] != "plpgsql").all(|row| row[at("verdict")].is_empty()));
}

#[test]
fn expressions_that_cannot_be_are_usage_errors_that_show_the_right_form() {
    for (text, said) in [
        ("plpgsql/prepared", "is not TEST/BASE>=RATIO"),
        ("plpgsql>=2", "is not TEST/BASE>=RATIO"),
        ("/prepared>=2", "is not TEST/BASE>=RATIO"),
        ("plpgsql/>=2", "is not TEST/BASE>=RATIO"),
        ("plpgsql/prepared=2", "is not TEST/BASE>=RATIO"),
        ("", "is not TEST/BASE>=RATIO"),
        ("plpgsql/prepared>=", "does not end in a ratio above 0"),
        ("plpgsql/prepared>=two", "does not end in a ratio above 0"),
        ("plpgsql/prepared>=0", "does not end in a ratio above 0"),
        ("plpgsql/prepared>=-1", "does not end in a ratio above 0"),
        ("plpgsql/prepared<inf", "does not end in a ratio above 0"),
        ("plpgsql/prepared>=<2", "does not end in a ratio above 0"),
        ("plpgsql/prepared@moon>=2", "unknown placement"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sps"));
        let output = command.args(["compare", "--expect", text]).env("PGHOST", "/nowhere/at/all").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}: {stderr}");
        assert!(stderr.contains(said), "{text}: {stderr}");
        assert!(
            said.contains("placement") || stderr.contains("--expect 'plpgsql/prepared@same>=2'"),
            "{text}: {stderr}"
        );
    }
}
