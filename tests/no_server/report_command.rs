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
