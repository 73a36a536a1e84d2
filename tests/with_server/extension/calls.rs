//! METHODOLOGY's table of what a layer pays per select, held against calls counted by callgrind.

use std::collections::BTreeMap;
use std::process::Command;

use super::filled;
use crate::support::{run, skip};

/// Calls per select, by layer and function.
type Calls = BTreeMap<(String, String), f64>;

#[test]
fn what_a_layer_pays_is_what_the_methodology_says() {
    let Some(database) = filled() else { return };
    let session = database.session();
    let row = session
        .query_one("select current_setting('server_version_num')::int, current_setting('debug_assertions')", &[]);
    let row = row.unwrap();
    if row.get::<_, i32>(0) < 180_000 || row.get::<_, &str>(1) == "on" {
        return skip("calls are counted on PostgreSQL 18 or later without assertions");
    }
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip("there is no valgrind to count calls with");
    }
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let text = std::fs::read_to_string(format!("{root}/METHODOLOGY.md")).unwrap();
    let (_, from_mark) = text.split_once("<!-- calls -->").unwrap();
    let written = table(from_mark.split_once("<!-- /calls -->").unwrap().0);
    let said = run(Command::new(format!("{root}/tools/calls")).arg(std::env::var("SPS_PG_CONFIG").unwrap()));
    let counted: Calls = said.code(0).stdout.lines().map(line).collect();
    let layers: Vec<String> =
        session.query("select name from select_loop_layers()", &[]).unwrap().iter().map(|row| row.get(0)).collect();
    for layer in &layers {
        assert!(counted.keys().any(|(name, _)| name == layer), "{layer} was not counted");
    }
    for (cell, calls) in &counted {
        let expected = written.get(cell).copied().unwrap_or_else(|| panic!("METHODOLOGY has no cell for {cell:?}"));
        // a page split or a plan invalidated meanwhile may add a call somewhere
        assert!((calls - expected).abs() < 0.02, "{cell:?}: METHODOLOGY says {expected}, counted {calls}");
    }
}

/// `layer function calls`
fn line(line: &str) -> ((String, String), f64) {
    let words: Vec<&str> = line.split(' ').collect();
    ((words[0].to_owned(), words[1].to_owned()), words[2].parse().unwrap())
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
