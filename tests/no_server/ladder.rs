//! The ladder's report: which rung steps to which, what is subtracted, what is printed.

use sps::record::{Header, Status, Step, Summary};
use sps::report::{self, Outcome, build};

use crate::fixture::{self, blocks, header};
use crate::schema::check_line;

const ARMS: [&str; 11] = [
    "simple@split",
    "prepared@split",
    "simple@same",
    "prepared@same",
    "plpgsql",
    "spi",
    "index",
    "buffer",
    "sync@same",
    "keys",
    "empty",
];
/// Nanoseconds per select.
const TIMES: [f64; 11] = [90e3, 85e3, 20e3, 14e3, 6e3, 5e3, 1600.0, 120.0, 4e3, 8.0, 1.0];

fn ladder(arms: &[&str]) -> Header {
    let mut header = header(arms);
    header.command = "ladder".into();
    header.plan.block_ms = 100;
    header.plan.half_width = 0.02;
    header
}

fn summary_of(header: &Header, times: &[f64], rounds: u64) -> Summary {
    let rates: Vec<f64> = times.iter().map(|ns| 1e9 / ns).collect();
    let outcome = Outcome {
        status: Status::Done,
        warnings: Vec::new(),
        lost: Vec::new(),
        record: Some("results/x.jsonl".into()),
    };
    let summary = build(header, &blocks(header, &rates, rounds), &outcome);
    check_line(&serde_json::to_value(&summary).unwrap());
    summary
}

fn printed(format: &str, summary: &Summary) -> String {
    fixture::printed(format, std::slice::from_ref(summary))
}

#[test]
fn each_rung_steps_to_the_next_and_over_two_cores_to_itself_on_one() {
    let summary = summary_of(&ladder(&ARMS), &TIMES, 30);
    let steps: Vec<(&str, &str)> = summary.steps.iter().map(|step| (step.from.as_str(), step.to.as_str())).collect();
    assert_eq!(
        steps,
        [
            ("simple@split", "simple@same"),
            ("prepared@split", "prepared@same"),
            ("simple@same", "prepared@same"),
            ("prepared@same", "plpgsql"),
            ("plpgsql", "spi"),
            ("spi", "index"),
            ("index", "buffer"),
        ]
    );
    let about: Vec<&str> = summary.steps.iter().map(|step| step.about.as_str()).collect();
    assert_eq!(about[0], "wake-ups on another core");
    assert_eq!(about[2], "parse, analyse, plan");
    assert_eq!(about[5], "from spi to index");
}

#[test]
fn steps_add_up_to_the_way_from_the_first_rung_to_the_last() {
    let summary = summary_of(&ladder(&ARMS), &TIMES, 30);
    let mut at = "simple@split";
    let mut sum = 0.0;
    while let Some(Step { to, difference, .. }) = summary.steps.iter().find(|step| step.from == at) {
        assert!(difference.low.unwrap() < difference.ns && difference.ns < difference.high.unwrap());
        assert_eq!((difference.clear, difference.rounds), (Some(true), 30));
        sum += difference.ns;
        at = to;
    }
    assert_eq!(at, "buffer");
    assert!((sum / (TIMES[0] - TIMES[7]) - 1.0).abs() < 0.01, "{sum}");
}

#[test]
fn what_is_subtracted_is_a_part_of_what_it_is_subtracted_from() {
    let summary = summary_of(&ladder(&ARMS), &TIMES, 30);
    let nets: Vec<(&str, &str)> = summary.nets.iter().map(|net| (net.arm.as_str(), net.control.as_str())).collect();
    // there is no sync over two cores here, and PL/pgSQL draws its keys itself
    let expected = [
        ("simple@same", "sync@same"),
        ("prepared@same", "sync@same"),
        ("spi", "keys"),
        ("index", "keys"),
        ("buffer", "empty"),
    ];
    assert_eq!(nets, expected);
    let prepared = &summary.nets[1].difference;
    assert!((prepared.ns - 10e3).abs() < 200.0, "{prepared:?}");
}

#[test]
fn a_step_that_may_be_none_says_so() {
    let header = ladder(&["simple@same", "prepared@same", "plpgsql"]);
    let summary = summary_of(&header, &[14_000.0, 14_001.0, 6000.0], 30);
    assert_eq!(summary.steps.iter().map(|step| step.difference.clear).collect::<Vec<_>>(), [Some(false), Some(true)]);
    let table = printed("table", &summary);
    let rows: Vec<&str> = table.lines().filter(|line| line.contains("not distinguishable from 0")).collect();
    assert_eq!(rows.len(), 1, "{table}");
    assert!(rows[0].starts_with("simple@same") && rows[0].ends_with("parse, analyse, plan"), "{table}");
}

#[test]
fn precision_is_asked_of_every_rungs_time_and_what_lacks_it_is_named() {
    let header = ladder(&ARMS);
    let summary = summary_of(&header, &TIMES, 30);
    assert_eq!(summary.precision_reached, Some(true));
    let mut strict = header.clone();
    strict.plan.half_width = 1e-4;
    let summary = summary_of(&strict, &TIMES, 30);
    let warning = summary.warnings.iter().find(|text| text.starts_with("less precise than wanted: ")).unwrap();
    assert!(
        warning.contains("simple@split ±") && warning.contains("buffer ±") && !warning.contains("keys"),
        "{warning}"
    );
    assert!(summary.precision.unwrap() > 1e-4);
}

#[test]
fn the_table_has_rungs_steps_controls_and_a_picture_that_falls_with_the_times() {
    let table = printed("table", &summary_of(&ladder(&ARMS), &TIMES, 30));
    for text in ["sps ladder", "less control", "step down", "PL/pgSQL's statements and key expression", "calls/s"] {
        assert!(table.contains(text), "no \"{text}\" in\n{table}");
    }
    let bars: Vec<usize> = table
        .lines()
        .filter(|line| line.contains('█') || line.contains("##"))
        .map(|line| line.chars().filter(|c| "█#".contains(*c)).count())
        .collect();
    assert_eq!(bars.len(), 8, "{table}");
    assert!(bars.windows(2).all(|pair| pair[0] >= pair[1]) && bars[7] > 0, "{bars:?}");
    assert!(table.lines().any(|line| line.contains("logarithmic, from 100 ns to 100.0 µs")), "{table}");
}

#[test]
fn csv_has_the_step_and_the_net_time_beside_each_arm() {
    let text = printed("csv", &summary_of(&ladder(&ARMS), &TIMES, 30));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |arm: &str, name: &str| {
        let at = |name: &str| columns.iter().position(|column| column == name).unwrap();
        let row = rows.iter().find(|row| &row[at("arm")] == arm).unwrap();
        row[at(name)].to_owned()
    };
    assert_eq!(rows.len(), ARMS.len());
    assert_eq!((cell("spi", "step_to"), cell("spi", "control")), ("index".into(), "keys".into()));
    assert!(cell("spi", "step_ns").parse::<f64>().unwrap() > 3000.0);
    assert_eq!((cell("buffer", "step_to"), cell("keys", "net_ns")), (String::new(), String::new()));
}

#[test]
fn other_commands_have_no_steps() {
    let header = header(&ARMS);
    let rates: Vec<f64> = TIMES.iter().map(|ns| 1e9 / ns).collect();
    let outcome = Outcome { status: Status::Done, warnings: Vec::new(), lost: Vec::new(), record: None };
    let value = serde_json::to_value(build(&header, &blocks(&header, &rates, 6), &outcome)).unwrap();
    assert!(value.get("steps").is_none() && value.get("nets").is_none());
}

#[test]
fn few_rounds_or_none_give_a_ladder_without_intervals() {
    let header = ladder(&ARMS);
    let few = summary_of(&header, &TIMES, 3);
    assert!(few.steps.iter().all(|step| step.difference.low.is_none() && step.difference.clear.is_none()));
    let none = summary_of(&header, &TIMES, 0);
    assert!(none.steps.is_empty());
    for format in report::FORMATS {
        assert!(!printed(format.name(), &few).is_empty() && !printed(format.name(), &none).is_empty());
    }
}

/// Runs `sps ladder` where no server can be: what gets past its checks fails with exit code 1.
#[track_caller]
fn refused(args: &[&str], text: &str) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sps"));
    command.arg("ladder").args(args).env("PGHOST", "/nowhere/at/all").env_remove("PGSERVICE");
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(stderr.contains(text) && output.stdout.is_empty(), "{args:?}: {stderr}");
}

#[test]
fn a_ladder_takes_no_arms_and_refuses_numbers_that_make_no_sense() {
    refused(&["prepared"], "unexpected argument 'prepared'");
    refused(&["--half-width", "2"], "1% or 0.01");
    refused(&["--time-limit", "0"], "not a number of seconds above 0");
    for flag in ["--rounds", "--epochs", "--block", "--selects"] {
        refused(&[flag, "0"], "0 is not in 1..");
    }
    refused(&["--distribution", "flat"], "uniform");
    refused(&["--json", "-", "--csv", "-"], "cannot share standard output");
}
