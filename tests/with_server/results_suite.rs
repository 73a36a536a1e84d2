//! Suites and the results database: one that is killed goes on where it stopped, two at once are both whole.

use std::process::Stdio;
use std::time::{Duration, Instant};

use sps::results::{Status, Store, Which};

use crate::support::{Database, run};

fn definition(folder: &tempfile::TempDir, name: &str) -> String {
    let path = folder.path().join(format!("{name}.toml"));
    let text = format!(
        "name = \"{name}\"\nscales = [1]\nclients = [1, 2]\nrepeats = 2\ntime = 1\n[[workload]]\narm = \"prepared\"\n\
         [before]\nvacuum = false\ncheckpoint = false\n[during]\nhost = false\n"
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn statuses(store: &Store, set: i32) -> Vec<Status> {
    store.runs(set).unwrap().iter().map(|run| run.result.status).collect()
}

#[test]
fn a_suite_killed_by_signal_9_goes_on_with_what_is_left() {
    let (measured, results, folder) = (Database::filled(), Database::empty(), tempfile::tempdir().unwrap());
    let file = definition(&folder, "one");
    let mut killed = measured.sps(&["suite", "--results", &results.name, &file]).stderr(Stdio::null()).spawn().unwrap();
    let store = Store::new(results.session(), None).unwrap();
    let begun = Instant::now();
    let in_second_run = || {
        let set = store.set(&Which::Latest).ok()?;
        (statuses(&store, set.id) == [Status::Done, Status::Running]).then_some(set.id)
    };
    let set = loop {
        if let Some(set) = in_second_run() {
            break set;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "no second run");
        std::thread::sleep(Duration::from_millis(20));
    };
    killed.kill().unwrap();
    killed.wait().unwrap();
    let first = store.runs(set).unwrap().remove(0);
    let resumed = run(&mut measured.sps(&["suite", "--results", &results.name, "--resume"]));
    resumed.code(0);
    let seen = statuses(&store, set);
    assert_eq!(seen, [Status::Done, Status::Killed, Status::Done, Status::Done, Status::Done]);
    let runs = store.runs(set).unwrap();
    let mut done: Vec<i32> =
        runs.iter().filter(|run| run.result.status == Status::Done).map(|run| run.key.position).collect();
    done.sort_unstable();
    assert_eq!(done, [0, 1, 2, 3]);
    // what was done before is as it was
    assert_eq!((runs[0].id, &runs[0].result), (first.id, &first.result));
    assert_eq!(store.sets().unwrap().len(), 1);
    assert_eq!(store.set(&Which::Id(set)).unwrap().status, Status::Done);
    let report = run(&mut measured.sps(&["report", "--results", &results.name, "--set", "one"]));
    assert!(report.code(0).stdout.contains("4 of 4 runs done, 1 came to no end"), "{report:?}");
}

#[test]
fn two_suites_at_once_into_one_database_are_both_whole() {
    let (results, folder) = (Database::empty(), tempfile::tempdir().unwrap());
    let suites = ["one", "other"].map(|name| {
        let measured = Database::filled();
        let file = definition(&folder, name);
        let suite = measured.sps(&["suite", "-q", "--results", &results.name, &file]).spawn().unwrap();
        (measured, suite)
    });
    for (_measured, mut suite) in suites {
        assert!(suite.wait().unwrap().success());
    }
    let store = Store::new(results.session(), None).unwrap();
    for name in ["one", "other"] {
        let set = store.set(&Which::Name(name.into())).unwrap();
        assert_eq!((set.status, statuses(&store, set.id)), (Status::Done, vec![Status::Done; 4]));
        assert!(store.pending(set.id).unwrap().is_empty());
    }
}
