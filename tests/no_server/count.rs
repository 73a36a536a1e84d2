//! What `sps count` refuses before it starts anything.

use std::process::Command;

#[track_caller]
fn refused(args: &[&str], code: i32, text: &str) {
    // nowhere to run valgrind or a server from
    let output =
        Command::new(env!("CARGO_BIN_EXE_sps")).arg("count").args(args).env("PATH", "/nowhere").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    assert!(stderr.contains(text) && output.stdout.is_empty(), "{args:?}: {stderr}");
}

/// A count of two arms, as `--json` writes it.
fn base() -> serde_json::Value {
    serde_json::from_str(include_str!("../golden/count.json")).unwrap()
}

fn written(value: &serde_json::Value) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), value.to_string()).unwrap();
    file
}

#[test]
fn a_base_that_cannot_be_compared_is_refused_before_anything_is_started() {
    let file = written(&base());
    let path = file.path().to_str().unwrap();
    refused(&["spi", "--base", path], 2, "has no arm \"spi\"");
    refused(&["--base", path, "--by", "hardware"], 2, "was counted by callgrind");
    // all is well with it, but there is no valgrind
    refused(&["--base", path], 1, "valgrind is not installed");

    refused(&["--base", "/nowhere.json"], 1, "cannot read /nowhere.json");
    let mut other = base();
    other["command"] = "compare".into();
    refused(&["--base", written(&other).path().to_str().unwrap()], 1, "is not a count");
    let mut newer = base();
    newer["schema_version"] = 99.into();
    refused(&["--base", written(&newer).path().to_str().unwrap()], 1, "has schema version 99");
    let mut damaged = base();
    damaged["arms"][0]["instructions_per_select"] = "many".into();
    refused(&["--base", written(&damaged).path().to_str().unwrap()], 1, "is damaged");
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    refused(&["spi", "--threshold", "1%"], 2, "--base");
    refused(&["spi", "--diff", "spi", "executor"], 2, "cannot be used with");
    refused(&["--diff", "spi"], 2, "2 values required");
    refused(&["--selects", "0"], 2, "0 is not in 1..");
    refused(&["Spi"], 2, "is not the name of an arm");
    refused(&["--by", "guess"], 2, "callgrind, hardware");
    refused(&["-d", "postgres"], 2, "unexpected argument");
}

#[test]
fn the_golden_count_follows_the_schema() {
    crate::schema::check_line(&base());
}
