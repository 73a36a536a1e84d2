//! Where clients and backends run while they are measured, and what is left of it afterwards.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sps::record::{self, Block};

use crate::support::{Database, run, skip};

/// The CPUs that a process or thread may run on, as the kernel lists them: `0`, `0-1`.
fn allowed(status: impl AsRef<Path>) -> Option<String> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(line.trim().to_owned())
}

fn of_process(pid: i32) -> Option<String> {
    allowed(format!("/proc/{pid}/status"))
}

/// The CPUs of the tests' own process; two at least, or the calling test is skipped.
fn two_cpus() -> bool {
    let cpus = std::thread::available_parallelism().unwrap().get();
    if cpus < 2 {
        skip("placements need two cores");
    }
    cpus >= 2
}

/// The postmaster of the tests' server: a backend's parent.
fn postmaster(db: &Database) -> i32 {
    // held until its parent is read: a session that is dropped ends its backend
    let session = db.session();
    let pid: i32 = session.query_one("select pg_backend_pid()", &[]).unwrap().get(0);
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// sps, killed when dropped, in a way that runs no Drop of its own.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A run that is still going on, `clients` at work in it.
fn running(db: &Database, args: &[&str], clients: i64) -> (Running, Vec<i32>) {
    let mut command = db.sps(&["run", "-T", "60", "--record", "/dev/null"]);
    let child = Running(command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let session = db.session();
    let sql =
        "select pid from pg_stat_activity where datname = current_database() and query ~ 'abalance|select_loop\\('
               and pid <> pg_backend_pid() and state is not null";
    let deadline = Instant::now() + Duration::from_secs(30);
    // those that warm up and agree first; then the same stay
    let mut last = Vec::new();
    loop {
        let found: Vec<i32> = session.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect();
        if found.len() as i64 >= clients && found == last && threads(&child).len() as i64 >= 2 {
            return (child, found);
        }
        last = found;
        assert!(Instant::now() < deadline, "{last:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The CPUs of each of a process's threads.
fn threads(Running(child): &Running) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().flatten();
    tasks.filter_map(|task| allowed(task.path().join("status"))).collect()
}

/// The pgbench arm of other tests pins the postmaster that they share.
mod alone {
    use super::*;

    #[test]
    fn client_and_backend_are_on_the_cores_that_the_placement_says() {
        if !two_cpus() {
            return;
        }
        let db = Database::filled();
        let postmaster = postmaster(&db);
        let before = of_process(postmaster);
        for arm in ["prepared@same", "tokio@same", "prepared@split"] {
            let (child, backends) = running(&db, &["--arm", arm], 1);
            let backend = of_process(backends[0]).unwrap();
            let pinned: Vec<String> =
                threads(&child).into_iter().filter(|cpus| Some(cpus) != before.as_ref()).collect();
            // nothing but the backend: whatever ends sps, the server is as it was
            assert_eq!(of_process(postmaster), before);
            drop(child);
            assert_eq!(of_process(postmaster), before);
            assert!(backend.parse::<usize>().is_ok(), "{arm}: {backend}");
            assert_eq!(
                pinned.iter().all(|cpus| *cpus == backend),
                arm.ends_with("same"),
                "{arm}: {pinned:?}, {backend}"
            );
            assert!(!pinned.is_empty(), "{arm}");
        }
    }

    #[test]
    fn free_backends_are_left_alone() {
        let db = Database::filled();
        let (child, backends) = running(&db, &["-S"], 1);
        let (cpus, all) = (of_process(backends[0]), of_process(postmaster(&db)));
        drop(child);
        assert_eq!(cpus, all);
    }
}

fn blocks(db: &Database, args: &[&str]) -> Vec<Block> {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("r.jsonl");
    run(db.sps(&["run", "-t", "20", "--selects", "100"]).args(args).args(["--record", record.to_str().unwrap()]))
        .code(0);
    record::read(&record).unwrap().blocks
}

#[test]
fn blocks_say_on_which_cpus_they_were() {
    if !two_cpus() {
        return;
    }
    let db = Database::filled();
    for (arm, clients, threads) in
        [("prepared", 1, 1), ("prepared", 5, 2), ("simple", 4, 1), ("plpgsql", 3, 2), ("tokio", 4, 3)]
    {
        let (c, j) = (clients.to_string(), threads.to_string());
        let of = |placement: &str| {
            let arm = format!("{arm}@{placement}");
            blocks(&db, &["--arm", &arm, "-c", &c, "-j", &j]).remove(0)
        };
        let (same, split, free) = (of("same"), of("split"), of("free"));
        assert_eq!(same.client_cpus, same.backend_cpus);
        let (near, far) = (split.client_cpus.unwrap(), split.backend_cpus.unwrap());
        // of one thread all backends are elsewhere; with more threads each thread's are
        assert_eq!(
            near.iter().any(|cpu| far.contains(cpu)),
            threads > 1,
            "{arm} {clients} {threads}: {near:?} {far:?}"
        );
        assert_eq!((free.client_cpus, free.backend_cpus), (None, None));
    }
}

#[test]
fn a_process_of_one_cpu_cannot_be_split() {
    let db = Database::filled();
    let within = |args: &[&str]| {
        let own = db.sps(args);
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(own.get_program()).args(own.get_args());
        for (name, value) in own.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        run(command.stdin(Stdio::null()))
    };
    let args = ["run", "-S", "-t", "5", "--record", "/dev/null"];
    within(&[&args[..], &["--pin", "split"]].concat()).code(2).complains("two cores");
    within(&["run", "--arm", "prepared@split", "-t", "5"]).code(2).complains("not possible here");
    let compared = within(&["compare", "simple", "prepared", "--rounds", "1", "--block", "5", "--record", "/dev/null"]);
    assert!(compared.code(0).stdout.contains("placement    same\n"), "{compared:#?}");
}

#[test]
fn pgbenchs_threads_cannot_be_pinned_apart() {
    let db = Database::filled();
    let args = ["run", "--arm", "pgbench@same", "-c", "4", "-t", "5", "--record", "/dev/null"];
    run(db.sps(&args).args(["-j", "2"])).code(2).complains("one by one");
    run(&mut db.sps(&args)).code(0);
}
