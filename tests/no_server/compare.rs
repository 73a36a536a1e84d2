//! What `sps compare` refuses before it looks for a server, and how a watch decides to stop.

use std::process::{Command, Output};

use sps::measure::Next;
use sps::watch::Stop;

use crate::fixture::{blocks, header};

/// Runs sps where no server can be: a run that gets past its checks fails with exit code 1.
fn compare(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sps"))
        .arg("compare")
        .args(args)
        .env("PGHOST", "/nowhere/at/all")
        .env_remove("PGSERVICE")
        .output()
        .unwrap()
}

#[track_caller]
fn refused(args: &[&str], text: &str) -> String {
    let output = compare(args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(stderr.contains(text), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty());
    stderr
}

#[test]
fn arms_that_cannot_be_are_usage_errors() {
    refused(&["prepared@moon"], "@same, @split or @free");
    refused(&["Prepared"], "not the name of an arm");
    refused(&[""], "not the name of an arm");
    refused(&["--aa", "prepared@"], "unknown placement");
    refused(&["--aa", "prepared", "simple"], "cannot be used with");
}

#[test]
fn pairs_that_cannot_be_are_usage_errors() {
    refused(&["--pair", "plpgsql"], "TEST/BASE");
    refused(&["--pair", "/plpgsql"], "TEST/BASE");
    refused(&["--pair", "plpgsql/prepared@moon"], "unknown placement");
    refused(&["--pair", "a/b/c"], "not the name of an arm");
}

#[test]
fn numbers_that_make_no_sense_are_usage_errors() {
    for args in [
        ["--half-width", "1"],
        ["--half-width", "0"],
        ["--half-width", "-1%"],
        ["--half-width", "100%"],
        ["--half-width", "NaN"],
    ] {
        refused(&[&format!("{}={}", args[0], args[1])], "1% or 0.01");
    }
    for flag in ["--rounds", "--epochs", "--block", "--selects", "-c", "-j", "--scale"] {
        refused(&[flag, "0"], "0 is not in 1..");
        refused(&[flag, "many"], "invalid value 'many'");
    }
    refused(&["--time-limit", "0"], "time limit 0");
    refused(&["--time-limit", "inf"], "time limit inf");
    refused(&["--seed", "9223372036854775808"], "invalid value");
    refused(&["--pin", "sideways"], "possible values: both, same, split, free");
}

#[test]
fn distributions_that_cannot_be_are_usage_errors() {
    refused(&["--distribution", "flat"], "uniform, zipfian, gaussian, exponential");
    refused(&["--skew", "1.1"], "takes no skew");
    refused(&["--distribution", "zipfian", "--skew", "1"], "1.001");
}

#[test]
fn two_formats_cannot_share_standard_output() {
    refused(&["--json", "-", "--csv", "-"], "cannot share");
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_measuring() {
    let output = compare(&["--json", "/nowhere/at/all.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/at/all.json"));
}

#[test]
fn a_record_that_is_there_is_refused_before_a_server_is_looked_for() {
    let taken = tempfile::NamedTempFile::new().unwrap();
    let output = compare(&["--record", taken.path().to_str().unwrap()]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("File exists") && stderr.contains("never overwritten"), "{stderr}");
    assert!(!stderr.contains("cannot connect"), "{stderr}");
}

#[test]
fn variables_set_to_nothing_are_not_set() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sps"));
    command.arg("compare").env("PGHOST", "/nowhere/at/all").env("PG_CONFIG", "").env("SPS_EXTENSION_DIR", "");
    let output = command.env("PGPORT", "").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("/nowhere/at/all/.s.PGSQL.5432"), "{stderr}");
}

#[test]
fn a_password_in_an_arms_place_is_not_printed() {
    for uri in ["postgresql://ann:s3cret@db/bench", "postgresql://ann:x@s3cret@db/bench"] {
        let stderr = refused(&[uri], "not the name of an arm");
        assert!(!stderr.contains("s3cret") && stderr.contains("-d"), "{stderr}");
    }
    let stderr = refused(&["--pair", "password=s3cret"], "TEST/BASE");
    assert!(!stderr.contains("s3cret"), "{stderr}");
}

#[test]
fn no_server_is_exit_code_one_and_leaves_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sps"))
        .arg("compare")
        .env("PGHOST", "/nowhere/at/all")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

const ARMS: [&str; 2] = ["simple@same", "prepared@same"];

#[test]
fn a_precise_run_stops_at_a_look_and_never_between() {
    let header = header(&ARMS);
    for rounds in 1..=65 {
        let next = Stop::Precise.after(rounds, &header, &blocks(&header, &[50e3, 70e3], rounds));
        let look = matches!(rounds, 30 | 40 | 60);
        assert_eq!(next == Next::Stop, look, "after {rounds} rounds");
    }
}

#[test]
fn more_epochs_put_the_first_look_off() {
    let mut header = header(&ARMS);
    header.plan.min_epochs = 10;
    let after = |rounds| Stop::Precise.after(rounds, &header, &blocks(&header, &[50e3, 70e3], rounds));
    assert_eq!((after(40), after(60)), (Next::Continue, Next::Stop));
}

#[test]
fn limits_end_any_run() {
    let mut header = header(&ARMS);
    header.plan.half_width = 1e-6;
    let after = |header: &_, rounds| Stop::Precise.after(rounds, header, &blocks(header, &[50e3, 70e3], rounds));
    assert_eq!(after(&header, 60), Next::Continue);
    header.plan.max_rounds = Some(7);
    assert_eq!((after(&header, 6), after(&header, 7)), (Next::Continue, Next::Stop));
    // rounds of half a second: the eleventh would end after 5.2 seconds
    header.plan.max_rounds = None;
    header.plan.time_limit_s = 5.2;
    assert_eq!((after(&header, 9), after(&header, 10)), (Next::Continue, Next::Stop));
}

#[test]
fn limits_alone_do_not_look_at_precision() {
    let header = header(&ARMS);
    assert_eq!(Stop::Limits.after(60, &header, &blocks(&header, &[50e3, 70e3], 60)), Next::Continue);
}
