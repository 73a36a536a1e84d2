//! `sps report` as a user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sps::record::{Line, Status, Summary, Writer};
use sps::report::{Outcome, build};

use crate::fixture::{blocks, header};

/// Writes a record; `whole` with its summary.
fn record(folder: &Path, whole: bool, scale: i64) -> PathBuf {
    let mut header = header(&["simple@same", "plpgsql"]);
    header.dataset.scale = Some(scale);
    let blocks = blocks(&header, &[50e3, 160e3], 12);
    let mut writer = Writer::create(Some(folder), "compare").unwrap();
    writer.write(&Line::Header(Box::new(header.clone()))).unwrap();
    for block in &blocks {
        writer.write(&Line::Block(Box::new(block.clone()))).unwrap();
    }
    if whole {
        let outcome = Outcome { status: Status::Done, warnings: Vec::new(), lost: Vec::new(), record: None };
        let summary = build(&header, &blocks, &outcome);
        writer.write(&Line::Summary(Box::new(summary))).unwrap();
    }
    writer.path().to_owned()
}

fn sps(args: &[&std::ffi::OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sps")).arg("report").args(args).output().unwrap()
}

#[test]
fn report_prints_records_one_after_another_and_mixes_none() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (record(folder.path(), true, 10), record(folder.path(), false, 20));
    let output = sps(&[first.as_ref(), second.as_ref()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("scale 10,") && text.contains("scale 20,"));
    assert_eq!(text.matches("12 rounds in 3 epochs").count(), 2);
    assert!(text.contains("done") && text.contains("unfinished") && text.contains("the run was killed"));
}

#[test]
fn two_records_are_compared_unpaired_and_what_differs_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, arms: &[&str], rates: &[f64], rounds: u64, version: u32| {
        let mut header = header(arms);
        header.server.version_num = version;
        let path = folder.path().join(name);
        let mut writer = Writer::create(Some(&path), "compare").unwrap();
        writer.write(&Line::Header(Box::new(header.clone()))).unwrap();
        for block in blocks(&header, rates, rounds) {
            writer.write(&Line::Block(Box::new(block))).unwrap();
        }
        path
    };
    let old = write("old.jsonl", &["simple@same", "plpgsql"], &[50e3, 160e3], 30, 150_018);
    let new = write("new.jsonl", &["plpgsql", "simple@same", "index"], &[200e3, 50e3, 1e6], 40, 180_001);
    let short = write("short.jsonl", &["plpgsql"], &[160e3], 3, 150_018);
    let unpaired = |args: &[&std::ffi::OsStr]| sps(&[&["--unpaired".as_ref()], args].concat());
    let output = unpaired(&[old.as_ref(), new.as_ref(), "--format".as_ref(), "json".as_ref()]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["pairing"], "unpaired");
    let arm = |at: usize, part: &str| found["arms"][at][part].clone();
    assert_eq!(
        (arm(0, "arm"), arm(1, "arm"), found["arms"].as_array().unwrap().len()),
        ("plpgsql".into(), "simple@same".into(), 2)
    );
    let number = |at: usize, part: &str| arm(at, part).as_f64().unwrap();
    assert!((number(0, "ratio") - 1.25).abs() < 0.01, "{found}");
    assert!(number(0, "low") < number(0, "ratio") && number(0, "ratio") < number(0, "high"));
    assert!(number(1, "low") < 1.0 && 1.0 < number(1, "high"));
    assert_eq!((arm(0, "base_epochs"), arm(0, "test_epochs")), (6.into(), 8.into()));
    let table = String::from_utf8(unpaired(&[old.as_ref(), new.as_ref()]).stdout).unwrap();
    assert!(table.contains("unpaired ratio") && table.contains("not the same server version: 150018"), "{table}");
    let csv = String::from_utf8(unpaired(&[old.as_ref(), new.as_ref(), "--format".as_ref(), "csv".as_ref()]).stdout);
    assert!(csv.unwrap().lines().skip(1).all(|line| line.starts_with("unpaired,")));
    for (format, cell) in [("html", "<td class=\"number\">1.25"), ("markdown", "| 1.25")] {
        let text = unpaired(&[old.as_ref(), new.as_ref(), "--format".as_ref(), format.as_ref()]).stdout;
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("Unpaired comparison") && text.contains("not the same server version: 150018"), "{text}");
        assert!(text.contains("measured apart") && text.contains(cell), "{text}");
        // and the two records side by side, as without --unpaired
        assert!(text.contains("Record A: ") && text.contains("Record B: "), "{text}");
    }
    // one epoch has no interval
    let one = unpaired(&[old.as_ref(), short.as_ref(), "--format".as_ref(), "json".as_ref()]);
    let one: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
    assert!(one["arms"][0]["low"].is_null() && one["arms"][0]["ratio"].is_f64(), "{one}");
    for (args, said) in [
        (&[old.as_ref()][..], "--unpaired takes two records"),
        (&[old.as_ref(), new.as_ref(), "--format".as_ref(), "pgbench".as_ref()], "table, markdown, html, json, csv"),
    ] {
        let output = unpaired(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(said));
    }
}

#[test]
fn a_killed_run_reports_the_numbers_of_a_finished_one() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = |path: PathBuf| {
        let output = sps(&[path.as_ref(), "--format".as_ref(), "json".as_ref()]);
        let summary: Summary = serde_json::from_slice(&output.stdout).unwrap();
        serde_json::to_string(&(summary.arms, summary.comparisons)).unwrap()
    };
    assert_eq!(numbers(record(folder.path(), true, 10)), numbers(record(folder.path(), false, 10)));
}

#[test]
fn report_refuses_what_it_cannot_read_with_one_line_and_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    std::fs::write(&path, "no record\n").unwrap();
    let output = sps(&[path.as_ref()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("not a record of sps") && text.contains("hint:"), "{text}");
    assert_eq!(sps(&["--format".as_ref(), "xml".as_ref(), path.as_ref()]).status.code(), Some(2));
    assert_eq!(sps(&[]).status.code(), Some(2));
}

#[test]
fn a_reader_that_closes_the_pipe_makes_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = record(folder.path(), true, 10);
    let paths = vec![path; 20];
    let mut child = Command::new(env!("CARGO_BIN_EXE_sps"))
        .args(["report", "--format", "json"])
        .args(&paths)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_full_disk_is_one_clear_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = record(folder.path(), true, 10);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sps")).arg("report").arg(&path).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("cannot write to standard output"), "{text}");
}
