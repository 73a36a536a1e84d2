//! What a run writes follows `driver/record.schema.json`.

use serde_json::{Value, json};
use sps::error::{Error, Exit};
use sps::measure::Sink;
use sps::record::{Gates, Status, Writer, read};
use sps::watch::{Shown, Stop, Watch};

use crate::fixture;
use crate::schema::{check_line, check_record};

/// Runs a fake engine through the real sink; the record's text.
fn record(rounds: u64, ended: sps::error::Result<()>) -> (String, sps::error::Result<sps::record::Summary>) {
    let folder = tempfile::tempdir().unwrap();
    let mut header = fixture::header(&["prepared@same", "prepared@split", "plpgsql", "keys"]);
    header.pairs = vec![("plpgsql".into(), "prepared@split".into())];
    header.warnings = vec!["jit is on".into()];
    let blocks = fixture::blocks(&header, &[70e3, 11e3, 160e3, 1e7], rounds);
    let arms = header.arms.len() as u64;
    let writer = Writer::create(Some(folder.path()), "compare").unwrap();
    let path = writer.path().to_owned();
    let mut watch = Watch::start(header, writer, Stop::Limits, Shown::Nothing).unwrap();
    for (at, mut block) in blocks.into_iter().enumerate() {
        if at == 3 {
            block.notes.push("plan kind not checked".into());
            block.gates = Some(Gates { selects: 1000, plan: Some("Index Scan".into()), ..Gates::default() });
            block.found = None;
            block.checksum = None;
        }
        let round = block.round;
        watch.block(block).unwrap();
        if (at as u64 + 1).is_multiple_of(arms) {
            watch.round(round, round / 5, round % 5 == 4).unwrap();
        }
    }
    let summary = watch.finish(ended);
    (std::fs::read_to_string(path).unwrap(), summary.map(|report| report.summary))
}

#[test]
fn a_whole_record_follows_the_schema() {
    let (text, summary) = record(30, Ok(()));
    check_record(&text);
    assert_eq!(text.lines().count(), 1 + 30 * 4 + 1);
    let summary = summary.unwrap();
    assert_eq!(summary.status, Status::Done);
    check_line(&serde_json::to_value(summary).unwrap());
}

#[test]
fn a_record_of_few_or_no_rounds_follows_the_schema() {
    for rounds in [0, 1, 5, 6] {
        check_record(&record(rounds, Ok(())).0);
    }
}

#[test]
fn interrupted_and_failed_runs_say_so_in_their_record() {
    let (text, summary) = record(7, Err(Error::interrupted()));
    check_record(&text);
    assert_eq!(summary.unwrap().status, Status::Interrupted);
    assert!(text.lines().last().unwrap().contains("\"interrupted\":true"));

    let (text, summary) = record(7, Err(Error::failed("the server went away")));
    check_record(&text);
    assert_eq!(summary.unwrap_err().exit, Exit::Failed);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    let back = read(file.path()).unwrap().summary.unwrap();
    assert_eq!(back.status, Status::Failed);
    assert!(back.warnings.iter().any(|warning| warning.contains("the server went away")));
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let (text, _) = record(1, Ok(()));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let broken = |at: usize, path: &str, value: Value| {
        let mut line = lines[at].clone();
        *line.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value;
        std::panic::catch_unwind(|| check_line(&line)).is_err()
    };
    assert!(broken(0, "/schema_version", json!(2)));
    assert!(broken(0, "/started", json!("yesterday")));
    assert!(broken(0, "/arms", json!([])));
    assert!(broken(0, "/plan/clients", json!(0)));
    assert!(broken(1, "/placement", json!("elsewhere")));
    assert!(broken(1, "/elapsed_ns", json!(-1)));
    assert!(broken(1, "/selects", json!("many")));
    let last = lines.len() - 1;
    assert!(broken(last, "/arms/0/sps", json!(null)));
    assert!(broken(last, "/comparisons/0/method", json!("median")));
}
