//! `sps check` finds what distorts, and says what to do.

use crate::support::{Database, run};

/// The line of one item: value, ok, hint.
fn line<'a>(text: &'a str, item: &str) -> &'a str {
    let found = text.lines().find(|line| line.trim_start().starts_with(&format!("{item} ")));
    found.unwrap_or_else(|| panic!("no {item} in:\n{text}"))
}

#[test]
fn an_untouched_server_is_described_and_exits_zero() {
    let database = Database::filled();
    let said = run(&mut database.sps(&["check"]));
    said.code(0);
    assert!(line(&said.stdout, "plan").contains("Index Scan using pgbench_accounts_pkey on pgbench_accounts"));
    for item in ["log_statement", "track_io_timing", "plan", "jit", "data in shared_buffers", "clock", "round trip"] {
        assert!(line(&said.stdout, item).contains(" yes"), "{}", line(&said.stdout, item));
    }
    assert!(said.stdout.contains("public.pgbench_accounts: 100000 keys from 1"));
}

#[test]
fn what_distorts_is_found_with_a_hint_each_and_still_exits_zero() {
    let database = Database::filled();
    let distortions = [
        ("log_statement", "'all'"),
        ("log_min_duration_statement", "0"),
        ("track_io_timing", "on"),
        ("track_counts", "off"),
        ("plan_cache_mode", "force_custom_plan"),
        ("default_transaction_isolation", "serializable"),
        ("statement_timeout", "'1min'"),
    ];
    for (name, value) in distortions {
        database.session().batch(&format!("alter database {} set {name} = {value}", database.name)).unwrap();
    }
    database.session().batch(&format!("alter database {} set enable_indexscan = off", database.name)).unwrap();
    let said = run(&mut database.sps(&["check"]));
    said.code(0);
    for item in distortions.iter().map(|(name, _)| *name).chain(["plan"]) {
        let line = line(&said.stdout, item);
        let (_, hint) = line.split_once(" NO ").unwrap_or_else(|| panic!("{line}"));
        assert!(hint.trim().len() > 20, "{line}");
    }
}

#[test]
fn fewer_rows_than_the_scale_says_are_noticed() {
    let database = Database::filled();
    database.session().batch("delete from pgbench_accounts where aid > 90000").unwrap();
    let said = run(&mut database.sps(&["check"]));
    let rows = line(said.code(0).stdout.as_str(), "rows").to_owned();
    assert!(rows.contains("keys 1 to 90000 where scale 1 has 1 to 100000") && rows.contains(" NO "), "{rows}");
}

#[test]
fn a_database_without_tables_is_checked_as_far_as_it_goes() {
    let database = Database::empty();
    let said = run(&mut database.sps(&["check"]));
    said.code(0);
    assert!(said.stdout.contains("the lookup was not checked: relation \"pgbench_accounts\" does not exist"));
    assert!(said.stdout.contains(&format!("\"{}\"", database.name)), "{}", said.stdout);
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let database = Database::filled();
    let mut command = std::process::Command::new("bash");
    let sps = database.sps(&["check"]);
    command.args(["-c", "set -o pipefail; \"$0\" check | head -n 1", &sps.get_program().to_string_lossy()]);
    command.envs(sps.get_envs().filter_map(|(name, value)| Some((name, value?))));
    run(&mut command).code(0);
}

#[test]
fn a_full_disk_is_told() {
    let database = Database::filled();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = database.sps(&["check"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}
