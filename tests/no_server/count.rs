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

/// `sps report` of `files`, which must succeed where `code` is 0.
#[track_caller]
fn report(files: &[&std::path::Path], args: &[&str], code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sps")).arg("report").args(files).args(args).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    if code == 0 { stdout } else { stderr }
}

/// The record of a count, of one line.
fn record(value: &serde_json::Value) -> tempfile::NamedTempFile {
    let mut line = value.clone();
    line.as_object_mut().unwrap().remove("type");
    let fields = line.to_string();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{{\"type\":\"count\",{}\n", &fields[1..])).unwrap();
    file
}

#[test]
fn a_count_is_reported_in_every_format_from_its_record_and_its_json() {
    let json = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(json.path(), serde_json::to_string_pretty(&base()).unwrap()).unwrap();
    let line = record(&base());
    for file in [json.path(), line.path()] {
        for format in ["table", "markdown", "html"] {
            let text = report(&[file], &["--format", format], 0).replace("\\_", "_");
            assert!(text.contains("index_tid") && text.contains("6,225") && text.contains("_bt_compare"), "{text}");
            assert!(text.contains("PostgreSQL 15.20") && text.contains("0.71 %"), "{text}");
        }
        let found: serde_json::Value = serde_json::from_str(&report(&[file], &["--format", "json"], 0)).unwrap();
        assert_eq!(found["arms"][0]["instructions_per_select"], 6225.287);
        let csv = report(&[file], &["--format", "csv"], 0);
        let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
        let column = |name: &str| rows[0].iter().position(|found| *found == name).unwrap();
        let arms: Vec<&str> =
            rows[1..].iter().filter(|row| row[column("function")].is_empty()).map(|row| row[column("arm")]).collect();
        assert_eq!(arms, ["index_tid", "buffer"]);
        assert_eq!(rows[1][column("instructions_per_select")], "6225.287");
    }
    let page = report(&[line.path()], &["--format", "html"], 0);
    assert!(page.contains("<svg") && !page.contains("https:") && !page.contains("<script"));
}

#[test]
fn counts_stand_side_by_side_with_what_is_not_alike_in_them() {
    let mut other = base();
    other["arms"][0]["instructions_per_select"] = (6225.287 * 1.05).into();
    other["arms"].as_array_mut().unwrap().pop();
    other["seed"] = 7.into();
    let (first, second) = (record(&base()), record(&other));
    let files = [first.path(), second.path()];
    for format in ["table", "markdown", "html"] {
        let text = report(&files, &["--format", format], 0);
        assert!(text.contains("1.0500") && text.contains("not the same seed"), "{text}");
    }
    let both: serde_json::Value = serde_json::from_str(&report(&files, &["--format", "json"], 0)).unwrap();
    assert_eq!(both.as_array().unwrap().len(), 2);

    let said = report(&files, &["--unpaired"], 2);
    assert!(said.contains("--unpaired is for records of what was timed") && said.contains("--base"), "{said}");
    let timed = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/record-1.jsonl");
    let said = report(&[first.path(), timed.as_ref()], &[], 2);
    assert!(said.contains("record-1.jsonl is no count"), "{said}");
    let said = report(&[first.path(), "/nowhere.jsonl".as_ref()], &[], 1);
    assert!(said.contains("cannot read /nowhere.jsonl"), "{said}");
    let said = report(&files, &["--format", "pgbench"], 2);
    assert!(said.contains("valid formats are table, markdown, html, json, csv"), "{said}");
}
