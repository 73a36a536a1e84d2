//! METHODOLOGY's tables of what an arm pays per select, held against calls counted by callgrind.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use sps::arm::{LOOPS, WIRE_ARMS, tokio};

use super::filled;
use crate::count::{can_count, counted};
use crate::support::{run, skip, sps};

/// Calls per select, by arm and function.
type Calls = BTreeMap<(String, String), f64>;

#[test]
fn what_an_arm_pays_is_what_the_methodology_says() {
    let Some(database) = filled() else { return };
    let session = database.session();
    let row = session
        .query_one("select current_setting('server_version_num')::int, current_setting('debug_assertions')", &[]);
    let row = row.unwrap();
    if row.get::<_, i32>(0) < 180_000 || row.get::<_, &str>(1) == "on" {
        return skip("calls are counted on PostgreSQL 18 or later without assertions");
    }
    if !can_count() {
        return;
    }
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../METHODOLOGY.md")).unwrap();
    let mut written = Calls::new();
    for part in text.split("<!-- calls -->").skip(1) {
        written.extend(table(part.split_once("<!-- /calls -->").unwrap().0));
    }
    let arms: BTreeSet<&str> = written.keys().map(|(arm, _)| arm.as_str()).collect();
    let layers = session.query("select name from select_loop_layers()", &[]).unwrap();
    let layers = layers.iter().map(|row| row.get::<_, String>(0));
    let ours = LOOPS.iter().filter(|which| which.commits).map(|which| which.name);
    let wire = WIRE_ARMS.iter().map(|arm| arm.name()).chain(ours).chain([tokio::NAME]);
    for arm in layers.chain(wire.map(String::from)) {
        assert!(arms.contains(arm.as_str()), "METHODOLOGY says nothing of {arm}");
    }
    let folder = tempfile::tempdir().unwrap();
    let arms: Vec<&str> = arms.into_iter().collect();
    let mut command = sps(&[&["count", "--selects", "1000", "--json", "-"], &arms[..]].concat());
    let count = counted(run(command.current_dir(folder.path())).code(0));
    for ((arm, function), expected) in &written {
        let functions = &count.arm(arm).unwrap().functions;
        let calls: f64 = functions.iter().filter(|f| &f.name == function).map(|f| f.calls).sum();
        // a page split or a plan invalidated meanwhile may add a call somewhere
        assert!((calls - expected).abs() < 0.02, "{arm} calls {function} {calls}, METHODOLOGY says {expected}");
    }
}

/// A Markdown table whose first row names functions and whose first column names layers; an empty cell is 0.
fn table(text: &str) -> Calls {
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    };
    let mut rows = text.lines().filter(|row| row.starts_with('|')).map(cells);
    let functions = rows.next().unwrap();
    let mut calls = Calls::new();
    for row in rows.skip(1) {
        for (function, cell) in functions.iter().zip(&row).skip(1) {
            let number = if cell.is_empty() { 0.0 } else { cell.parse().unwrap() };
            calls.insert((row[0].clone(), function.clone()), number);
        }
    }
    calls
}
