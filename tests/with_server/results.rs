//! The results database: what goes in comes out, several at once, and after a death.

use std::collections::BTreeMap;

use sps::arm::Placement;
use sps::results::migrate::{Schema, migrate};
use sps::results::{Changed, Kind, Metric, NewSet, RunKey, RunResult, Sample, Second, Status, Store, Unit, Which};

use crate::support::Database;

mod fixture {
    use sps::record::ServerInfo;

    pub fn server() -> ServerInfo {
        serde_json::from_value(serde_json::json!({
            "version_num": 150018, "version": "PostgreSQL 15.18", "transport": "unix", "private": true, "local": true,
            "extension": null, "database": "postgres", "settings": {"jit": "off"}, "in_recovery": false,
            "assertions": false
        }))
        .unwrap()
    }
}

fn new_set(name: &str) -> NewSet {
    NewSet { name: name.into(), description: "d'oh \"x\"".into(), definition: "[suite]\n".into(), seed: 7 }
}

fn plan(runs: i32) -> Vec<RunKey> {
    let key = |position: i32| RunKey {
        position,
        workload: "it's \"odd\"".into(),
        kind: Kind::Arm,
        arm: Some("prepared".into()),
        protocol: Some("prepared".into()),
        placement: Some(Placement::Same),
        scale: Some(10),
        clients: 1 + position % 2,
        threads: 1,
        rate: None,
        repeat: 1 + position / 2,
    };
    (0..runs).map(key).collect()
}

fn done(per_second: f64) -> RunResult {
    RunResult {
        unit: Some(Unit::Selects),
        count: Some(1000),
        elapsed_ns: Some(1_000_000_000),
        per_second: Some(per_second),
        low: Some(per_second * 0.99),
        found: Some(1000),
        failed: Some(0),
        series: vec![Second { second: 0, count: 1000, failed: 0, latency_ns: Some(13_800.5), latency_max_ns: None }],
        samples: vec![Sample {
            source: "host".into(),
            name: "dirty".into(),
            unit: "bytes".into(),
            at: 0.5,
            value: 1e9,
        }],
        metrics: vec![Metric {
            source: "pg_stat_database".into(),
            name: "xact_commit".into(),
            unit: "".into(),
            delta: 1001.0,
        }],
        settings: BTreeMap::from([("jit".into(), "off".into()), ("work_mem".into(), "4MB".into())]),
        warnings: vec!["it's cold".into()],
        record: Some("{\"type\":\"header\"}\n".into()),
        ..RunResult::without_numbers(Status::Done, None)
    }
}

fn open(database: &Database) -> Store {
    Store::new(database.session(), None).unwrap()
}

#[test]
fn what_a_run_measured_comes_back_whole() {
    let database = Database::empty();
    let store = open(&database);
    let set = store.begin_set(&new_set("quotes ' \" and $1; drop table x; --"), &plan(4)).unwrap();
    assert_eq!(set.status, Status::Running);
    assert_eq!(store.planned(set.id).unwrap(), plan(4));
    let result = done(71_234.567_890_123);
    let id = store.begin_run(set.id, 0, &fixture::server()).unwrap();
    store.finish_run(id, &result).unwrap();
    let runs = store.runs(set.id).unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!((&runs[0].key, &runs[0].result, runs[0].id), (&plan(4)[0], &result, id));
    assert_eq!((runs[0].server.version_num, runs[0].transport.as_str()), (150_018, "unix"));
    assert!(runs[0].changed.is_empty());
    assert_eq!(store.pending(set.id).unwrap(), plan(4)[1..]);
    store.finish_set(set.id, Status::Done).unwrap();
    assert_eq!(store.set(&Which::Latest).unwrap().status, Status::Done);
}

#[test]
fn settings_that_changed_since_the_workloads_last_run_are_told() {
    let database = Database::empty();
    let store = open(&database);
    let set = store.begin_set(&new_set("a"), &plan(3)).unwrap();
    let with = |settings: &[(&str, &str)]| RunResult {
        settings: settings.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        ..done(1.0)
    };
    let every = [
        with(&[("jit", "off"), ("work_mem", "4MB"), ("unix_socket_directories", "/a")]),
        with(&[("jit", "off"), ("work_mem", "8MB"), ("unix_socket_directories", "/b"), ("fsync", "off")]),
        with(&[("work_mem", "8MB"), ("fsync", "off")]),
    ];
    for (position, result) in every.iter().enumerate() {
        let run = store.begin_run(set.id, position as i32, &fixture::server()).unwrap();
        store.finish_run(run, result).unwrap();
    }
    let change = |name: &str, before: Option<&str>, value: Option<&str>| Changed {
        name: name.into(),
        before: before.map(Into::into),
        value: value.map(Into::into),
    };
    let runs = store.runs(set.id).unwrap();
    assert_eq!(runs[0].changed, []);
    assert_eq!(runs[1].changed, [change("fsync", None, Some("off")), change("work_mem", Some("4MB"), Some("8MB"))]);
    assert_eq!(runs[2].changed, [change("jit", Some("off"), None)]);
    assert_eq!(runs[2].result.settings, every[2].settings);
}

#[test]
fn a_planned_run_is_running_or_done_once() {
    let database = Database::empty();
    let store = open(&database);
    let set = store.begin_set(&new_set("a"), &plan(2)).unwrap();
    let first = store.begin_run(set.id, 0, &fixture::server()).unwrap();
    let error = store.begin_run(set.id, 0, &fixture::server()).unwrap_err();
    assert!(error.message.contains("running or done already"), "{error}");
    let failed = RunResult::without_numbers(Status::Failed, Some("no: password=hush".into()));
    store.finish_run(first, &failed).unwrap();
    assert!(store.finish_run(first, &done(1.0)).unwrap_err().message.contains("no longer running"));
    let second = store.begin_run(set.id, 0, &fixture::server()).unwrap();
    store.finish_run(second, &done(1.0)).unwrap();
    let runs = store.runs(set.id).unwrap();
    assert_eq!(runs.iter().map(|run| run.result.status).collect::<Vec<_>>(), [Status::Failed, Status::Done]);
    assert_eq!(runs[0].result.error.as_deref(), Some("no: password=***"));
    assert_eq!(store.pending(set.id).unwrap().len(), 1);
    // one that is done without numbers would enter averages as nothing
    let run = store.begin_run(set.id, 1, &fixture::server()).unwrap();
    assert!(store.finish_run(run, &RunResult::without_numbers(Status::Done, None)).is_err());
}

#[test]
fn a_runner_that_is_gone_leaves_killed_runs_and_a_living_one_is_left_alone() {
    let database = Database::empty();
    let (dead, alive) = (open(&database), open(&database));
    let one = dead.begin_set(&new_set("one"), &plan(2)).unwrap();
    let other = alive.begin_set(&new_set("other"), &plan(2)).unwrap();
    for (store, set) in [(&dead, &one), (&alive, &other)] {
        let run = store.begin_run(set.id, 0, &fixture::server()).unwrap();
        store.finish_run(run, &done(1.0)).unwrap();
        store.begin_run(set.id, 1, &fixture::server()).unwrap();
    }
    let late = open(&database);
    assert!(late.resume_set(&Which::Id(one.id)).unwrap_err().message.contains("is being run by another sps"));
    assert!(late.delete_set(other.id).unwrap_err().message.contains("is being run by another sps"));
    drop(dead);
    // the server may still be ending the dead one's session
    let ended = "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'sps'";
    while database.session().query_one(ended, &[]).unwrap().get::<_, i64>(0) > 3 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let late = open(&database);
    let statuses = |set: i32| late.runs(set).unwrap().iter().map(|run| run.result.status).collect::<Vec<_>>();
    assert_eq!(late.set(&Which::Name("one".into())).unwrap().status, Status::Killed);
    assert_eq!(statuses(one.id), [Status::Done, Status::Killed]);
    assert_eq!(late.set(&Which::Id(other.id)).unwrap().status, Status::Running);
    assert_eq!(statuses(other.id), [Status::Done, Status::Running]);

    let again = late.resume_set(&Which::Id(one.id)).unwrap();
    assert_eq!(again.status, Status::Running);
    assert_eq!(late.pending(one.id).unwrap(), plan(2)[1..]);
    let run = late.begin_run(one.id, 1, &fixture::server()).unwrap();
    late.finish_run(run, &done(2.0)).unwrap();
    late.finish_set(one.id, Status::Done).unwrap();
    assert_eq!(statuses(one.id), [Status::Done, Status::Killed, Status::Done]);
    assert!(late.pending(one.id).unwrap().is_empty());
}

#[test]
fn sets_begun_at_once_in_a_new_database_are_both_whole() {
    let database = Database::empty();
    let work = |name: String| {
        let store = open(&database);
        let set = store.begin_set(&new_set(&name), &plan(20)).unwrap();
        for key in store.pending(set.id).unwrap() {
            let run = store.begin_run(set.id, key.position, &fixture::server()).unwrap();
            store.finish_run(run, &done(f64::from(key.position) + 1.0)).unwrap();
        }
        store.finish_set(set.id, Status::Done).unwrap();
        set.id
    };
    let ids: Vec<i32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|at| scope.spawn(move || work(format!("set {at}")))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let store = open(&database);
    assert_eq!(store.sets().unwrap().len(), 4);
    for id in ids {
        let rates: Vec<f64> = store.runs(id).unwrap().iter().map(|run| run.result.per_second.unwrap()).collect();
        assert_eq!(rates, (1..=20).map(f64::from).collect::<Vec<_>>());
    }
}

#[test]
fn no_password_is_stored_anywhere() {
    let database = Database::empty();
    let store = open(&database);
    let mut new = new_set("a");
    new.definition = "dsn = \"postgresql://u:hush@h/d\"\nhook = \"PGPASSWORD=hush psql\"\n".into();
    let set = store.begin_set(&new, &plan(1)).unwrap();
    let run = store.begin_run(set.id, 0, &fixture::server()).unwrap();
    let mut result = done(1.0);
    result.warnings = vec!["cannot connect to postgresql://u:hush@h".into()];
    store.finish_run(run, &result).unwrap();
    let dump = std::process::Command::new("pg_dump").args(["--data-only", "-d", &database.name]).output().unwrap();
    let text = String::from_utf8_lossy(&dump.stdout);
    assert!(dump.status.success() && text.contains("PGPASSWORD=***") && !text.contains("hush"), "{text}");
}

#[test]
fn a_name_that_finds_sets_otherwise_is_refused() {
    let database = Database::empty();
    let store = open(&database);
    for name in ["latest", "17", "", " "] {
        assert!(store.begin_set(&new_set(name), &[]).unwrap_err().message.contains("cannot be called"), "{name}");
    }
    assert!(store.set(&Which::Latest).unwrap_err().hint.unwrap().contains("sps suite"));
    assert!(store.set(&Which::Name("x".into())).unwrap_err().message.contains("\"x\""));
}

const V1: &str = "create schema sps_results; create table sps_results.version (version int, applied timestamptz); \
                  insert into sps_results.version values (1)";

#[test]
fn an_older_database_is_upgraded_step_by_step_once() {
    let database = Database::empty();
    migrate(&database.session(), &Schema { version: 1, whole: V1, deltas: &[] }).unwrap();
    let deltas = [
        (1, "create table sps_results.a (x int); insert into sps_results.a values (1)"),
        (2, "insert into sps_results.a select x + 1 from sps_results.a"),
    ];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| migrate(&database.session(), &Schema { version: 3, whole: "", deltas: &deltas }).unwrap());
        }
    });
    let seen = database
        .session()
        .query_one("select version, (select sum(x) from sps_results.a) from sps_results.version", &[]);
    let row = seen.unwrap();
    assert_eq!((row.get::<_, i32>(0), row.get::<_, i64>(1)), (3, 3));
}

#[test]
fn an_upgrade_that_fails_leaves_the_database_as_it_was() {
    let database = Database::empty();
    migrate(&database.session(), &Schema { version: 1, whole: V1, deltas: &[] }).unwrap();
    let deltas = [(1, "create table sps_results.a (x int)"), (2, "select 1/0")];
    let session = database.session();
    let error = migrate(&session, &Schema { version: 3, whole: "", deltas: &deltas }).unwrap_err();
    assert!(error.message.starts_with("cannot upgrade the results database from schema version 2"), "{error}");
    let row = session
        .query_one("select version, to_regclass('sps_results.a') is null from sps_results.version", &[])
        .unwrap();
    assert_eq!((row.get::<_, i32>(0), row.get::<_, bool>(1)), (1, true));
}

#[test]
fn a_newer_or_foreign_database_is_refused_and_left_alone() {
    let database = Database::empty();
    database.session().batch(&V1.replace("(1)", "(99)")).unwrap();
    let error = Store::new(database.session(), None).err().unwrap();
    assert!(error.message.contains("has schema version 99, this sps knows version 1"), "{error}");
    assert!(error.hint.unwrap().contains("--results"));
    let database = Database::empty();
    database.session().batch("create schema sps_results").unwrap();
    let error = Store::new(database.session(), None).err().unwrap();
    assert!(error.message.contains("schema sps_results that is not of sps"), "{error}");
}

#[test]
fn who_may_only_read_can_read() {
    let database = Database::empty();
    let store = open(&database);
    let set = store.begin_set(&new_set("a"), &plan(2)).unwrap();
    store.begin_run(set.id, 0, &fixture::server()).unwrap();
    drop(store);
    let session = database.session();
    session.batch("set default_transaction_read_only to on").unwrap();
    assert_eq!(Store::new(session, None).unwrap().sets().unwrap().len(), 1);
}
