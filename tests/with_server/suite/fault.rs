//! Runs that fail, suites that are ended or killed, and several at once.

use sps::results::{Status, Which};

use super::{Bench, SHORT};

#[test]
fn a_run_that_fails_is_kept_with_why_and_without_a_number_and_the_others_go_on() {
    let bench = Bench::filled();
    let text = format!(
        "{SHORT}[[workload]]\nshipped = \"select\"\n[[workload]]\nname = \"wrong\"\nsql = \"SELECT 1/0;\"\nwrites = false\n"
    );
    let said = bench.suite(&text, &[]);
    said.code(1).complains("1 of 2 runs of set 1 failed").complains("division by zero").complains("--resume=1");
    assert_eq!(bench.set().status, Status::Failed);
    let runs = bench.store().runs(1).unwrap();
    let wrong = &runs.iter().find(|run| run.key.workload == "wrong").unwrap().result;
    assert_eq!((wrong.status, wrong.per_second, wrong.count), (Status::Failed, None, None));
    assert!(wrong.error.as_ref().unwrap().contains("division by zero"), "{wrong:?}");
    let select = &runs.iter().find(|run| run.key.workload == "select").unwrap().result;
    assert_eq!(select.status, Status::Done);
}

#[test]
fn no_password_is_kept() {
    let bench = Bench::filled();
    let path = bench.write(&format!("{SHORT}[[workload]]\narm = \"simple\"\n[[workload]]\nshipped = \"select\"\n"));
    let set = |name: &str| std::env::var(name).unwrap();
    let uri = format!(
        "postgresql://{}:hush%20hush@/{}?host={}&port={}",
        set("PGUSER"),
        bench.db.name,
        set("PGHOST").replace('/', "%2F"),
        set("PGPORT")
    );
    crate::support::run(bench.command(&["-d", &uri]).env("PGPASSWORD", "hushhush").arg(path)).code(0);
    bench.done();
    let session = bench.results.session();
    for table in ["set", "planned", "run", "second", "sample", "metric", "setting"] {
        let sql = format!("select count(*) from sps_results.{table} t where t::text like '%hush%'");
        assert_eq!(session.query_one(&sql, &[]).unwrap().get::<_, i64>(0), 0, "{table}");
    }
}

mod alone {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    use sps::results::Run;

    use super::{Bench, SHORT, Status, Which};
    use crate::support::run;

    const FOUR: &str = "[[workload]]\narm = \"prepared\"\n[[workload]]\nshipped = \"update\"\n[[workload]]\nshipped = \"insert\"\n\
                        [[workload]]\nshipped = \"select\"\n";

    /// Clients of a run.
    const ACTIVE: &str = "select count(*) from pg_stat_activity where datname = current_database()
                          and pid <> pg_backend_pid() and (application_name = 'pgbench' or query ~ '^SELECT abalance')";

    fn start(bench: &Bench, definition: &str) -> Child {
        let path = bench.write(definition);
        let mut command = bench.command(&[]);
        // a group of its own, as a shell gives it
        command.arg(path).process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Waits until so many runs have begun, then sends the signal in the middle of the last.
    fn signal_in_run(bench: &Bench, child: &mut Child, runs: usize, signal: Signal) -> Option<i32> {
        let begun = Instant::now();
        let sql = "select count(*) from pg_class where oid = to_regclass('sps_results.run')";
        let count = || {
            let session = bench.results.session();
            let there: i64 = session.query_one(sql, &[]).unwrap().get(0);
            if there == 0 { 0 } else { session.query_one("select count(*) from sps_results.run", &[]).unwrap().get(0) }
        };
        while count() < runs as i64 {
            assert!(begun.elapsed() < Duration::from_secs(30), "the suite does not get on");
            std::thread::sleep(Duration::from_millis(20));
        }
        // preparing is over when somebody works
        let active = || bench.db.session().query_one(ACTIVE, &[]).unwrap().get::<_, i64>(0);
        while active() == 0 {
            assert!(begun.elapsed() < Duration::from_secs(30), "the run does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        killpg(Pid::from_raw(child.id() as i32), signal).unwrap();
        child.wait().unwrap().code()
    }

    fn counts(runs: &[Run]) -> (usize, usize) {
        let done = runs.iter().filter(|run| run.result.status == Status::Done).count();
        (done, runs.len() - done)
    }

    /// Every planned run is done once, and what was ended stays beside them as `status`.
    fn whole(bench: &Bench, planned: usize, status: Status) {
        let runs = bench.store().runs(1).unwrap();
        assert_eq!(counts(&runs), (planned, 1));
        let mut done: Vec<i32> =
            runs.iter().filter(|run| run.result.status == Status::Done).map(|run| run.key.position).collect();
        done.sort_unstable();
        assert_eq!(done, (0..planned as i32).collect::<Vec<_>>());
        assert!(runs.iter().any(|run| run.result.status == status));
        assert_eq!(bench.set().status, Status::Done);
    }

    #[test]
    fn a_killed_suite_goes_on_with_what_is_left() {
        let bench = Bench::filled();
        // scripts only, long enough for a pgbench that outlives sps to be seen
        let text = format!("{SHORT}{FOUR}").replace("arm = \"prepared\"", "shipped = \"nobranch\"");
        let mut child = start(&bench, &text.replace("time = 1", "time = 3"));
        assert_eq!(signal_in_run(&bench, &mut child, 2, Signal::SIGKILL), None);
        // whoever looks next finds out
        let store = bench.store();
        let begun = Instant::now();
        while store.runs(1).unwrap().iter().any(|run| run.result.status == Status::Running) {
            assert!(begun.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(100));
            drop(bench.store());
        }
        drop(store);
        assert_eq!(bench.store().runs(1).unwrap().last().unwrap().result.status, Status::Killed);
        // no load is left behind
        let left =
            "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
                    and state = 'active'";
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(bench.db.session().query_one(left, &[]).unwrap().get::<_, i64>(0), 0);
        run(&mut bench.command(&["--resume"])).code(0).complains("3 of 4 runs");
        whole(&bench, 4, Status::Killed);
    }

    #[test]
    fn ctrl_c_ends_a_suite_and_it_can_go_on() {
        let bench = Bench::filled();
        let text = format!("{SHORT}{FOUR}").replace("time = 1", "time = 3");
        let mut child = start(&bench, &text);
        assert_eq!(signal_in_run(&bench, &mut child, 2, Signal::SIGINT), Some(130));
        let runs = bench.store().runs(1).unwrap();
        assert_eq!(
            (runs.len(), runs[1].result.status, bench.set().status),
            (2, Status::Interrupted, Status::Interrupted)
        );
        // neither on another server nor anew
        let mut private = bench.command(&["--resume=1", "--private"]);
        for name in ["PGHOST", "PGPORT", "PGDATABASE"] {
            private.env_remove(name);
        }
        run(&mut private).code(2).complains("set 1 was begun on a named server").complains("this is a private server");
        assert_eq!(bench.set().status, Status::Interrupted);
        run(&mut bench.command(&["--resume=1"])).code(0);
        whole(&bench, 4, Status::Interrupted);
    }

    #[test]
    fn two_suites_at_once_into_one_database_are_both_whole() {
        let bench = Bench::filled();
        let other = Bench { results: crate::support::Database { name: bench.results.name.clone() }, ..Bench::filled() };
        let text = format!("{SHORT}{FOUR}").replace("repeats = 1", "repeats = 2");
        let mut first = start(&bench, &text);
        let mut second = start(&other, &text.replace("short", "second"));
        assert_eq!((first.wait().unwrap().code(), second.wait().unwrap().code()), (Some(0), Some(0)));
        let store = bench.store();
        for name in ["short", "second"] {
            let set = store.set(&Which::Name(name.into())).unwrap();
            let runs = store.runs(set.id).unwrap();
            assert_eq!((set.status, counts(&runs)), (Status::Done, (8, 0)), "{name}");
            assert_eq!(runs.iter().map(|run| run.key.position).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        }
    }
}
