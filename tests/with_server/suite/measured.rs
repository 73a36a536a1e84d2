//! What a suite measures and keeps.

use sps::results::{Kind, Unit};

use super::{Bench, SHORT, accounts, metric, tables};
use crate::support::Database;

#[test]
fn arms_and_scripts_are_measured_on_the_tables_that_are_there_and_kept_whole() {
    let bench = Bench::filled();
    let before = accounts(&bench.db);
    // two seconds: one of them is whole, whenever the run begins
    let text = SHORT.replace("clients = [1]", "clients = [3]").replace("seed", "threads = 2\nseed");
    let text = text.replace("time = 1", "time = 2");
    let said = bench.suite(
        &format!(
            "{text}[[workload]]\narm = \"prepared\"\n[[workload]]\nbuiltin = \"select-only\"\nprotocol = \"prepared\"\n"
        ),
        &[],
    );
    said.code(0).complains("set 1 (short) is done: sps report --set 1");
    assert!(said.stdout.contains("prepared") && said.stdout.contains("select-only"), "{said:?}");
    assert_eq!(accounts(&bench.db), before, "tables were made anew unasked");
    let runs = bench.done();
    assert_eq!(runs.len(), 2);
    for run in &runs {
        let result = &run.result;
        let (count, elapsed) = (result.count.unwrap(), result.elapsed_ns.unwrap());
        assert!(count > 0 && (1_900_000_000..4_000_000_000).contains(&elapsed), "{count} in {elapsed}");
        assert!((result.per_second.unwrap() - count as f64 * 1e9 / elapsed as f64).abs() < 1.0);
        assert_eq!((run.key.clients, run.key.threads, run.key.scale), (3, 2, Some(1)));
        assert_eq!(run.key.protocol.as_deref(), Some("prepared"));
        assert!(!result.series.is_empty());
        let latency = result.latency.as_ref().unwrap();
        assert!(latency.count > 0 && latency.p50_ns <= latency.p99_ns && latency.p99_ns <= latency.max_ns);
        assert!(result.settings.contains_key("autovacuum"), "{:?}", result.settings);
        assert!(metric(run, "pg_stat_database", "tup_fetched") >= count as f64 * 0.9, "{run:#?}");
        // the machine's numbers, since the server is on it
        assert!(result.samples.iter().any(|sample| sample.source == "host" && sample.name == "memory_dirty"));
    }
    let arm = runs.iter().find(|run| run.key.kind == Kind::Arm).unwrap();
    assert_eq!((arm.result.unit, arm.result.found), (Some(Unit::Selects), arm.result.count));
    assert!(arm.result.record.as_ref().unwrap().starts_with("{\"type\":\"header\""));
    let script = runs.iter().find(|run| run.key.kind == Kind::Pgbench).unwrap();
    assert_eq!((script.result.unit, script.result.failed), (Some(Unit::Transactions), Some(0)));
}

#[test]
fn all_scripts_that_come_with_sps_and_with_pgbench_do_what_they_say() {
    let bench = Bench::filled();
    let mut text = SHORT.replace("time = 1", "transactions = 5").replace("clients = [1]", "clients = [2]");
    for name in ["select", "select-pages", "update", "insert", "insert-size", "nobranch", "tpc-b"] {
        text.push_str(&format!("[[workload]]\nshipped = \"{name}\"\nvariables = {{ rows = 7 }}\n"));
    }
    for name in ["tpcb-like", "simple-update", "select-only"] {
        text.push_str(&format!("[[workload]]\nbuiltin = \"{name}\"\n"));
    }
    bench.suite(&format!("{text}[after]\ncleanup = false\n"), &[]).code(0);
    let runs = bench.done();
    assert_eq!(runs.len(), 10);
    let changed = |run: &sps::results::Run, name: &str| -> f64 {
        run.result.metrics.iter().filter(|m| m.source == "pg_stat_user_tables" && m.name == name).map(|m| m.delta).sum()
    };
    for run in &runs {
        assert_eq!(run.result.count, Some(10), "{:?}", run.key);
        let (updated, inserted) = match run.key.workload.as_str() {
            "select" | "select-pages" | "select-only" => (0.0, 0.0),
            "update" => (10.0, 0.0),
            "insert" => (0.0, 10.0),
            "insert-size" => (0.0, 70.0),
            _ => (10.0, 10.0),
        };
        assert_eq!(changed(run, "n_tup_upd pgbench_accounts"), updated, "{:?}", run.key);
        assert_eq!(changed(run, "n_tup_ins pgbench_history"), inserted, "{:?}", run.key);
    }
}

#[test]
fn checkpoints_buffers_and_wal_are_right_by_name_on_every_version() {
    let bench = Bench::filled();
    // three checkpoints, each with pages to write
    let text = SHORT.replace("time = 1", "transactions = 3")
        + "[[workload]]\nname = \"checkpoints\"\nsql = \"\"\"\nUPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid % 1000 = 7;\nCHECKPOINT;\n\"\"\"\n";
    bench.suite(&text, &[]).code(0);
    let runs = bench.done();
    let figure = |name: &str| metric(&runs[0], "server", name);
    assert!(figure("checkpoints_requested") >= 3.0);
    assert_eq!(figure("checkpoints_timed"), 0.0);
    assert!(figure("buffers_checkpoint") >= 50.0, "{:#?}", runs[0].result.metrics);
    for name in ["buffers_clean", "buffers_backend", "buffers_alloc", "checkpoint_write_time", "checkpoint_sync_time"] {
        assert!(figure(name) >= 0.0);
    }
    // 100 rows of about 150 bytes, three times, and their pages
    assert!(metric(&runs[0], "wal", "wal_bytes") > 45_000.0);
    assert_eq!(metric(&runs[0], "pg_stat_user_tables", "n_tup_upd pgbench_accounts"), 300.0);
    // each under its own version's name, too
    let version = runs[0].server.version_num;
    let (view, column) = if version >= 170_000 {
        ("pg_stat_checkpointer", "num_requested")
    } else {
        ("pg_stat_bgwriter", "checkpoints_req")
    };
    assert_eq!(metric(&runs[0], view, column), figure("checkpoints_requested"));
    assert!(metric(&runs[0], "sps", "cleanup_vacuum") > 0.0);
}

#[test]
fn statements_and_buffers_are_kept_where_their_extensions_are_installed() {
    let bench = Bench::filled();
    let session = bench.db.session();
    let there = |name: &str| {
        let sql = "select from pg_available_extensions where name = $1";
        session.query_opt(sql, &[&name]).unwrap().is_some()
    };
    if !there("pg_buffercache") || !there("pg_stat_statements") {
        return crate::support::skip("pg_buffercache or pg_stat_statements is not available on this server");
    }
    // pg_stat_statements is not loaded: that is no reason to fail
    session.batch("create extension pg_buffercache; create extension pg_stat_statements").unwrap();
    bench.suite(&format!("{SHORT}[[workload]]\nshipped = \"select\"\n"), &[]).code(0);
    let runs = bench.done();
    let cached = |name: &str| {
        let found = runs[0].result.samples.iter().find(|s| s.source == "pg_buffercache" && s.name == name);
        found.map(|sample| sample.value)
    };
    assert!(cached("buffers pgbench_accounts").unwrap() > 1000.0);
    assert!(cached("dirty pgbench_accounts").is_some());
}

#[test]
fn a_rate_is_kept_and_the_lag_behind_it_told() {
    let bench = Bench::filled();
    let text = SHORT.replace("time = 1", "time = 2\nrates = [200]");
    bench.suite(&format!("{text}[[workload]]\narm = \"prepared\"\n[[workload]]\nshipped = \"select\"\n"), &[]).code(0);
    for run in bench.done() {
        assert_eq!(run.key.rate, Some(200.0));
        // Poisson arrivals: 400 expected, five standard deviations
        let count = run.result.count.unwrap();
        assert!((300..=500).contains(&count), "{count}: {:?}", run.key);
        let latency = run.result.latency.unwrap();
        assert!(latency.lag_mean_ns.is_some() && latency.lag_max_ns.is_some(), "{latency:?}");
    }
}

#[test]
fn the_users_own_numbers_are_asked_for_and_odd_names_go_through() {
    let bench = Bench::filled();
    let name = "it's \\\"odd\\\" Ü; drop table x";
    let text = SHORT.replace("\"short\"", &format!("\"{name}\"")).replace("time = 1", "time = 2")
        + &format!(
            "[[during.sql]]\nname = \"{name}\"\nquery = \"SELECT 4 + 0.5\"\nunit = \"%\"\n\
             [[workload]]\nname = \"{name}\"\narm = \"simple\"\n"
        );
    bench.suite(&text, &[]).code(0);
    let name = name.replace('\\', "");
    assert_eq!(bench.set().name, name);
    let runs = bench.done();
    assert_eq!(runs[0].key.workload, name);
    let asked: Vec<_> = runs[0].result.samples.iter().filter(|sample| sample.source == "sql").collect();
    assert!(!asked.is_empty() && asked.iter().all(|s| s.name == name && s.value == 4.5 && s.unit == "%"), "{asked:?}");
}

#[test]
fn a_hook_runs_before_each_run_and_knows_which() {
    let bench = Bench::filled();
    let out = bench.folder.path().join("out");
    let hook =
        format!("psql -XAtqc 'select current_database()' >>{0}; echo $SPS_WORKLOAD $SPS_CLIENTS >>{0}", out.display());
    let text = SHORT.replace("time = 1", "transactions = 1")
        + &format!("[before]\nhook = \"{hook}\"\n[[workload]]\nshipped = \"select\"\n");
    bench.suite(&text, &[]).code(0);
    assert_eq!(std::fs::read_to_string(out).unwrap(), format!("{}\nselect 1\n", bench.db.name));
    let said = bench.suite(&text.replace(&hook, "exit 3"), &[]);
    said.code(1).complains("the hook before the run failed (exit status: 3)");
}

#[test]
fn tables_are_made_and_made_anew_where_that_is_asked_for() {
    let bench = Bench::empty();
    let text = SHORT.replace("scales = [1]", "scales = [1, 2]").replace("time = 1", "transactions = 1");
    let text = format!("{text}[[workload]]\nshipped = \"insert\"\n");
    bench.suite(&text, &["--create"]).code(0);
    assert_eq!(bench.done().iter().map(|run| run.key.scale).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert_eq!((tables(&bench.db), accounts(&bench.db).0), (4, 2));
    // they are there now, and not to be dropped
    let before = accounts(&bench.db);
    bench.suite(&text, &["--create"]).code(1).complains("pgbench_accounts exists");
    assert_eq!(accounts(&bench.db), before);
    bench.suite(&text.replace("[1, 2]", "[1]"), &["--replace"]).code(0);
    assert_eq!(accounts(&bench.db).0, 1);
}

#[test]
fn tables_are_made_anew_before_each_repeat() {
    let bench = Bench::empty();
    let text = SHORT.replace("repeats = 1", "repeats = 2").replace("time = 1", "transactions = 10")
        + "[tables]\nrebuild = \"repeat\"\n[[workload]]\nshipped = \"insert\"\n[[workload]]\nname = \"more\"\nshipped = \"insert\"\n";
    bench.suite(&text, &["--create"]).code(0);
    let made = |run: &sps::results::Run| run.result.metrics.iter().any(|metric| metric.name == "prepare_tables");
    assert_eq!(bench.done().iter().map(made).collect::<Vec<_>>(), [true, false, true, false]);
}

mod alone {
    use super::{Bench, SHORT};

    #[test]
    fn a_run_ends_when_its_rate_is_known_as_well_as_was_asked_for() {
        let bench = Bench::filled();
        let text = SHORT.replace("time = 1", "time = 24\nhalf_width = \"60%\"");
        let text = format!("{text}[[workload]]\narm = \"prepared\"\n[[workload]]\nshipped = \"select\"\n");
        bench.suite(&text, &[]).code(0);
        for run in bench.done() {
            let result = run.result;
            // 30 blocks of 250 ms, six parts of 2 s: the first look
            assert!(result.elapsed_ns.unwrap() < 16_000_000_000, "{:?}: {:?}", run.key, result.elapsed_ns);
            let (low, rate, high) = (result.low.unwrap(), result.per_second.unwrap(), result.high.unwrap());
            assert!(low <= rate && rate <= high && (high - low) / 2.0 / rate <= 0.6, "{low} {rate} {high}");
            assert!(result.series.len() >= 6, "{:?}", result.series);
        }
    }
}

/// The server is the suite's own: its settings are the definition's, and what writes pays for its promises.
#[test]
fn a_private_server_is_made_as_the_definition_says() {
    let bench = Bench { db: Database::empty(), ..Bench::filled() };
    let text = SHORT.replace("time = 1", "transactions = 10") + "[settings]\nwork_mem = \"7MB\"\n";
    let path = bench.write(&format!("{text}[[workload]]\nshipped = \"update\"\n"));
    let mut command = bench.command(&["--private", "--set", "maintenance_work_mem=9MB"]);
    for name in ["PGHOST", "PGPORT", "PGDATABASE"] {
        command.env_remove(name);
    }
    crate::support::run(command.arg(path)).code(0);
    let runs = bench.done();
    let settings = &runs[0].result.settings;
    assert_eq!(settings.get("work_mem").map(String::as_str), Some("7MB"));
    assert_eq!(settings.get("maintenance_work_mem").map(String::as_str), Some("9MB"));
    // fsync and full_page_writes are on by default
    assert!(!settings.contains_key("fsync") && !settings.contains_key("full_page_writes"), "{settings:?}");
    assert!(runs[0].server.private);
}

/// The server's processes are not to be seen, as where it is in a container or on another machine.
#[test]
fn the_machine_of_sps_is_not_taken_for_the_servers() {
    const SCRIPT: &str = r#"
        set -e
        unshare --pid --fork --mount-proc true 2>/dev/null || { echo no namespace; exit; }
        createdb results
        results="host=$PGHOST user=$PGUSER dbname=results"
        unshare --pid --fork --mount-proc "$SPS" suite --quiet --results "$results" "$FILE"
        "$SPS" suite --quiet --results "$results" "$FILE"
        psql -XAtd results -c "select set, bool_or(source = 'host'), bool_or(source = 'sql')
                               from sps_results.run left join sps_results.sample s on s.run = id group by 1 order by 1"
    "#;
    let bench = Bench { db: Database::empty(), ..Bench::filled() };
    let metric = "[[during.sql]]\nname = \"one\"\nquery = \"SELECT 1\"\n";
    let text = format!("{SHORT}{metric}[[workload]]\narm = \"simple\"\n").replace("time = 1", "time = 2");
    let path = bench.write(&text);
    let mut server = crate::support::sps(&["server", "-s", "1", "--", "bash", "-c", SCRIPT]);
    let said = crate::support::run(server.env("SPS", env!("CARGO_BIN_EXE_sps")).env("FILE", path));
    if said.code(0).stdout.starts_with("no namespace") {
        return crate::support::skip("this user may not make a process namespace (unshare --pid)");
    }
    assert_eq!(said.stdout, "1|f|t\n2|t|t\n", "{said:?}");
}
