//! `sps count`: instructions of a private server under valgrind, which the tests' own server has no part in.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sps::record::{Count, CountVerdict};

use crate::schema::check_line;
use crate::support::{Said, has_assertions, has_extension, run, skip, sps};

/// False, the skip counted, where counting is impossible or pointless.
pub fn can_count() -> bool {
    let valgrind = Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success());
    let why = if !valgrind {
        "there is no valgrind to count with"
    } else if !has_extension() {
        "the server has no extension select_loop"
    } else if has_assertions() {
        "a server with assertions counts mostly these, and takes minutes"
    } else {
        return true;
    };
    skip(why);
    false
}

fn count(folder: &Path, args: &[&str]) -> Said {
    run(sps(&[&["count", "--selects", "1000"], args].concat()).current_dir(folder))
}

/// What `--json -` printed, held against the schema.
#[track_caller]
pub fn counted(said: &Said) -> Count {
    let value: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:#?}"));
    check_line(&value);
    serde_json::from_value(value).unwrap()
}

#[test]
fn layers_cost_less_the_deeper_they_are_and_the_same_each_time() {
    if !can_count() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let args = ["spi", "executor", "rescan", "index", "index_tid", "--json", "-"];
    // what a backend inherits from its postmaster's loop differs by some thousand instructions
    let command = [&["count", "--selects", "5000"], &args[..]].concat();
    let first = counted(run(sps(&command).current_dir(folder.path())).code(0));
    // the length of the caller's environment moves the stack
    let mut command = sps(&command);
    let second = counted(run(command.current_dir(folder.path()).env("X", "y".repeat(333))).code(0));
    let costs: Vec<f64> = first.arms.iter().map(|arm| arm.instructions_per_select).collect();
    assert!(costs.windows(2).all(|pair| pair[0] > pair[1]), "{costs:?}");
    for (one, other) in first.arms.iter().zip(&second.arms) {
        let ratio = one.instructions_per_select / other.instructions_per_select;
        assert!((ratio - 1.0).abs() < 0.001, "{}: {ratio}", one.name);
        assert!(one.harness_share.is_some_and(|share| 0.0 < share && share < 0.05), "{one:?}");
        let own: f64 = one.functions.iter().map(|function| function.own).sum();
        assert!((own / one.instructions_per_select - 1.0).abs() < 0.01, "{}: {own}", one.name);
        // every lookup descends the index once, whatever is above it
        let descents = one.functions.iter().find(|function| function.name == "_bt_first").unwrap();
        assert!((descents.calls - 1.0).abs() < 0.01 && descents.inclusive > Some(descents.own), "{descents:?}");
    }
    // the record is what was printed
    let record = Count::read(&folder.path().join(second.record.as_deref().unwrap())).unwrap();
    assert_eq!(record.arms.len(), 5);
    check_line(
        &serde_json::from_str(&fs::read_to_string(folder.path().join(second.record.unwrap())).unwrap()).unwrap(),
    );
}

#[test]
fn wire_arms_are_counted_in_their_backend_and_hold_nothing_of_ours() {
    if !can_count() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let args = ["simple", "prepared", "tokio", "sync", "call_commit", "--json", "-"];
    let found = counted(count(folder.path(), &args).code(0));
    let cost = |name: &str| found.arm(name).unwrap().instructions_per_select;
    assert!(cost("simple") > cost("prepared") && cost("prepared") > cost("sync") && cost("tokio") > cost("sync"));
    assert!(found.arms.iter().all(|arm| arm.harness_share == Some(0.0)), "{:?}", found.arms);
    let calls = |name: &str, function: &str| {
        let functions = &found.arm(name).unwrap().functions;
        functions.iter().find(|f| f.name == function).map_or(0.0, |f| f.calls.round())
    };
    // parsed, planned, looked up: by what METHODOLOGY says of each
    for (arm, expected) in [("simple", [1.0, 1.0, 1.0]), ("prepared", [0.0, 0.0, 1.0]), ("sync", [0.0; 3])] {
        assert_eq!(
            ["raw_parser", "standard_planner", "_bt_first"].map(|function| calls(arm, function)),
            expected,
            "{arm}"
        );
    }
}

#[test]
fn more_instructions_than_the_base_are_a_regression() {
    if !can_count() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base.json");
    let args = ["index_tid", "buffer", "--quiet", "--json", base.to_str().unwrap()];
    assert_eq!(count(folder.path(), &args).code(0).stdout, "");
    let against = |threshold: &str| {
        let args = ["--base", base.to_str().unwrap(), "--threshold", threshold, "--json", "-"];
        count(folder.path(), &args)
    };
    let same = counted(against("1%").code(0)).check.unwrap();
    assert_eq!(same.arms.iter().map(|arm| arm.arm.as_str()).collect::<Vec<_>>(), ["index_tid", "buffer"]);
    assert!(same.arms.iter().all(|arm| arm.verdict == CountVerdict::NoRegression), "{same:?}");

    // as if an earlier version had taken a tenth less for one arm, and a third more for the other
    let mut before = Count::read(&base).unwrap();
    before.arms[0].instructions_per_select *= 0.9;
    before.arms[1].instructions_per_select *= 1.33;
    fs::write(&base, serde_json::to_string(&before).unwrap()).unwrap();
    let worse = counted(against("5%").code(3)).check.unwrap();
    assert_eq!((worse.arms[0].verdict, worse.arms[1].verdict), (CountVerdict::Regression, CountVerdict::Improvement));
    let better = counted(against("20%").code(0)).check.unwrap();
    assert_eq!(better.arms[0].verdict, CountVerdict::NoRegression);
}

#[test]
fn the_difference_of_two_arms_is_printed_by_function() {
    if !can_count() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let said =
        count(folder.path(), &["--diff", "executor", "rescan", "--top", "500", "--calls", "standard_ExecutorStart"]);
    let text = &said.code(0).stdout;
    assert!(text.contains("rescan takes") && text.contains("less than executor"), "{text}");
    let row =
        |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {text}"));
    let start: Vec<&str> = row("standard_ExecutorStart").split_whitespace().collect();
    assert_eq!((start[1], start[3]), ("postgres", "0"), "{start:?}");
    assert!(start[2].parse::<i64>().unwrap() == -start[4].parse::<i64>().unwrap(), "{start:?}");
    let (_, calls) = text.split_once("calls per select").unwrap();
    assert!(calls.lines().any(|line| line.split_whitespace().collect::<Vec<_>>() == ["executor", "1"]), "{calls}");
}

#[test]
fn without_a_counter_the_reason_is_given_and_the_other_method_named() {
    if !has_extension() {
        return skip("the server has no extension select_loop");
    }
    let folder = tempfile::tempdir().unwrap();
    let said = count(folder.path(), &["rescan", "--by", "hardware", "--json", "-"]);
    if said.code == Some(0) {
        let found = counted(&said);
        assert!(found.arms[0].instructions_per_select > 1000.0 && found.arms[0].harness_share.is_none());
    } else {
        said.code(1).complains("the server has no counter of instructions").complains("--by callgrind");
    }
    count(folder.path(), &["prepared", "--by", "hardware"]).code(2).complains("\"prepared\" is no layer");
}

#[test]
fn without_valgrind_nothing_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = sps(&["count", "rescan"]);
    let said = run(command.current_dir(folder.path()).env("PATH", folder.path()).env("TMPDIR", folder.path()));
    said.code(1).complains("valgrind is not installed").complains("apt-get install valgrind");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
