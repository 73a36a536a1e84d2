//! `sps run`: pgbench's flags, pgbench's lines, and a record of the same shape as compare's.

use crate::schema;
use crate::support::{Database, run};

fn lines(db: &Database, args: &[&str]) -> String {
    let mut all = vec!["run", "--pin", "free", "--record", "/dev/null"];
    all.extend(args);
    run(&mut db.sps(&all)).code(0).stdout.clone()
}

#[track_caller]
fn holds(printed: &str, expected: &[&str]) {
    for line in expected {
        assert!(printed.lines().any(|printed| printed == *line), "no \"{line}\" in\n{printed}");
    }
}

#[test]
fn select_only_prints_what_pgbench_prints() {
    let db = Database::filled();
    let printed = lines(&db, &["-S", "-M", "prepared", "-t", "200", "-c", "2"]);
    holds(
        &printed,
        &[
            "scaling factor: 1",
            "query mode: prepared",
            "number of clients: 2",
            "number of threads: 1",
            "number of selects actually processed: 400",
            "number of selects that found no row: 0 (0.000%)",
        ],
    );
    assert!(printed.contains("selects per second = "), "{printed}");
    assert!(printed.contains("latency average = "), "{printed}");
    holds(&lines(&db, &["-t", "10"]), &["query mode: simple"]);
}

#[test]
fn the_patchs_loop_counts_calls_beside_selects() {
    let db = Database::filled();
    let printed = lines(&db, &["-P", "-t", "3", "--selects", "200"]);
    holds(&printed, &["number of selects per call: 200", "number of selects actually processed: 600"]);
    assert!(printed.contains("calls per second = "), "{printed}");
}

#[test]
fn a_time_ends_the_run_and_the_record_holds_its_blocks() {
    let db = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("r.jsonl");
    let begun = std::time::Instant::now();
    let args = ["run", "-S", "--pin", "free", "-T", "1", "--record", record.to_str().unwrap()];
    run(&mut db.sps(&args)).code(0);
    assert!(begun.elapsed().as_secs_f64() >= 1.0);
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.lines().count() >= 5, "{text}");
    schema::check_record(&text);
}

#[test]
fn flags_that_contradict_each_other_are_usage_errors() {
    let db = Database::filled();
    for args in
        [&["run", "-S", "-P"][..], &["run", "-P", "-M", "simple"], &["run", "-T", "1", "-t", "1"], &["run", "-c", "0"]]
    {
        run(&mut db.sps(args)).code(2);
    }
}

#[test]
fn missing_tables_are_one_error_that_says_what_to_do() {
    let db = Database::empty();
    let said = run(&mut db.sps(&["run", "-S", "-t", "1", "--record", "/dev/null"]));
    said.code(1).complains("pgbench_accounts").complains("sps init").complains(&db.name);
}
