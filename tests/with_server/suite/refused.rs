//! What a suite refuses, before it touches or stores anything.

use super::{Bench, SHORT, accounts, quoted, tables};

fn select() -> String {
    format!("{SHORT}[[workload]]\nshipped = \"select\"\n")
}

#[test]
fn tables_of_another_scale_are_neither_dropped_nor_measured() {
    let bench = Bench::filled();
    let before = accounts(&bench.db);
    let said = bench.suite(&select().replace("scales = [1]", "scales = [2]"), &[]);
    said.code(2).complains("the tables have scale 1, the suite wants 2").complains("--replace");
    bench.suite(&select().replace("scales = [1]", "scales = [1, 2]"), &[]).code(2);
    let said = bench.suite(&format!("{}[tables]\nrebuild = \"run\"\n", select()), &[]);
    said.code(2).complains("tables made anew").complains("--replace");
    assert_eq!(accounts(&bench.db), before);
    assert!(bench.stored_nothing());
}

#[test]
fn missing_tables_are_not_created_unasked() {
    let bench = Bench::empty();
    let said = bench.suite(&select(), &[]);
    said.code(1)
        .complains("relation \"pgbench_accounts\" does not exist")
        .complains(&bench.db.name)
        .complains("hint: --create");
    let plan = &said.stderr;
    assert!(plan.contains("on the tables that are there") && plan.contains("no tables are made"), "{plan}");
    assert_eq!(tables(&bench.db), 0);
    assert!(bench.stored_nothing());
}

#[test]
fn tables_that_would_not_fit_on_the_disk_are_not_begun() {
    let bench = Bench::filled();
    let before = accounts(&bench.db);
    // 15 MB a unit: 1.5 PB
    let text = select().replace("scales = [1]", "scales = [1, 100000]");
    let said = bench.suite(&text, &["--replace"]);
    said.code(1).complains("not enough disk space").complains("needed").complains("free");
    assert_eq!(accounts(&bench.db), before, "tables were dropped for others that cannot be made");
    let path = bench.write(&text);
    crate::support::run(
        bench.command(&["--private"]).env_remove("PGHOST").env_remove("PGPORT").env_remove("PGDATABASE").arg(&path),
    )
    .code(1)
    .complains("not enough disk space");
    // and the plan tells before
    let said = bench.suite(&text, &["--replace", "--dry-run"]);
    assert!(said.stdout.contains("disk: about ") || said.stderr.contains("disk: about "), "{said:?}");
    assert!(bench.stored_nothing());
}

#[test]
fn an_unknown_arm_is_refused_at_its_place_with_the_arms_that_there_are() {
    let bench = Bench::filled();
    let said = bench.suite(&format!("{SHORT}[[workload]]\narm = \"preparde\"\n"), &[]);
    said.code(2)
        .complains("suite.toml:9:7: unknown arm \"preparde\"")
        .complains("over the wire: extended, simple, prepared");
    assert!(bench.stored_nothing());
}

#[test]
fn a_metric_that_is_none_is_refused() {
    let bench = Bench::filled();
    let metric = |query: &str| format!("{}[[during.sql]]\nname = \"m\"\nquery = \"{query}\"\n", select());
    bench.suite(&metric("SELECT nothing"), &[]).code(1).complains("metric \"m\": column \"nothing\" does not exist");
    bench.suite(&metric("SELECT 'x'"), &[]).code(1).complains("metric \"m\" is \"x\", not a number");
    assert!(bench.stored_nothing());
}

#[test]
fn more_clients_than_the_server_has_room_for_are_refused() {
    let bench = Bench::filled();
    let said = bench.suite(&select().replace("clients = [1]", "clients = [1, 9999]"), &[]);
    said.code(2).complains("9999 clients are more than the server's").complains("max_connections");
    assert!(bench.stored_nothing());
}

#[test]
fn settings_of_a_server_that_is_named_are_refused() {
    let bench = Bench::filled();
    let said = bench.suite(&format!("{}[settings]\njit = false\n", select()), &[]);
    said.code(2).complains("[settings], which are for a private server").complains("--private");
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let bench = Bench::filled();
    let script = bench.folder.path().join("x.sql");
    std::fs::write(&script, "SELECT 1;\n").unwrap();
    let text =
        format!("{}[[workload]]\nscript = {}\n", select(), quoted(&script)).replace("repeats = 1", "repeats = 3");
    let said = bench.suite(&text, &["--dry-run"]);
    let text = &said.code(0).stdout;
    assert!(text.contains("6 runs of 1 s, 6 s measured") && text.contains("workloads select, x"), "{text}");
    assert_eq!(text.matches("repeat 3  scale 1, ").count(), 2, "{text}");
    assert!(bench.stored_nothing());
}
