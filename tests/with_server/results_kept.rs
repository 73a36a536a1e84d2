//! The private results database comes when it is needed, stays while somebody uses it, and keeps what it was given.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::support::{Database, Said, run, sps};

/// A data folder of the test's own.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("sps-test-").tempdir_in("/tmp").unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        Self(folder)
    }

    fn sps(&self, args: &[&str]) -> Command {
        let mut command = sps(args);
        command.env("XDG_DATA_HOME", self.0.path()).env_remove("SPS_RESULTS");
        command
    }

    fn results(&self) -> PathBuf {
        self.0.path().join("select_loop/results")
    }

    /// The server's process, while it runs.
    fn postmaster(&self) -> Option<Pid> {
        let text = std::fs::read_to_string(self.results().join("data/postmaster.pid")).ok()?;
        Some(Pid::from_raw(text.lines().next()?.parse().ok()?)).filter(|pid| kill(*pid, None).is_ok())
    }

    fn list(&self) -> Said {
        run(&mut self.sps(&["results", "list"]))
    }

    /// An sps that uses the results and goes on doing so: it waits for a pipe that nobody writes to.
    fn holder(&self, name: &str) -> Child {
        let pipe = self.0.path().join(name);
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let child = self.sps(&["results", "import", pipe.to_str().unwrap()]).stderr(Stdio::null()).spawn().unwrap();
        let holds = || {
            let files = std::fs::read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten().flatten();
            let users = self.results().join("users");
            files.flat_map(|file| file.path().read_link()).any(|file| file == users)
        };
        eventually("the results are used", || holds() && self.postmaster().is_some());
        child
    }
}

#[track_caller]
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A record of one short run; `seed` makes it unlike others.
fn record(database: &Database, folder: &Path, seed: u32) -> PathBuf {
    let path = folder.join(format!("{seed}.jsonl"));
    let seed = seed.to_string();
    let args = ["run", "-S", "-t", "10", "--pin", "free", "--seed", &seed, "--record", path.to_str().unwrap()];
    run(&mut database.sps(&args)).code(0);
    path
}

#[test]
fn looking_for_results_makes_none() {
    let home = Home::new();
    home.list().code(1).complains("there are no results yet").complains("hint: `sps suite`");
    assert!(!home.results().exists());
}

#[test]
fn what_one_sps_stores_another_one_finds_and_no_server_is_left() {
    let (home, database, folder) = (Home::new(), Database::filled(), tempfile::tempdir().unwrap());
    let record = record(&database, folder.path(), 1);
    let record = record.to_str().unwrap();
    run(&mut home.sps(&["results", "import", record])).code(0).complains("set 1, 1 run added");
    assert_eq!(home.postmaster(), None);
    run(&mut home.sps(&["results", "import", record])).code(0).complains("set 1, 0 runs added, 1 were there");
    let listed = home.list();
    let lines: Vec<&str> = listed.code(0).stdout.lines().collect();
    assert!(
        lines.len() == 2 && lines[1].contains("run") && lines[1].contains("done") && lines[1].contains("1/1"),
        "{lines:?}"
    );
    let back = folder.path().join("back");
    std::fs::create_dir(&back).unwrap();
    run(&mut home.sps(&["results", "export", "latest", "--records", back.to_str().unwrap()])).code(0);
    let files: Vec<PathBuf> = std::fs::read_dir(&back).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(std::fs::read(&files[0]).unwrap(), std::fs::read(record).unwrap());
    run(&mut home.sps(&["results", "delete", "1"])).code(0);
    assert_eq!(home.list().code(0).stdout.lines().count(), 1);
    // the data and its socket are their owner's alone
    let mode = std::fs::metadata(home.results()).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn a_set_moves_to_another_database_and_is_there_once() {
    let (home, database, folder) = (Home::new(), Database::filled(), tempfile::tempdir().unwrap());
    let record = record(&database, folder.path(), 1);
    run(&mut home.sps(&["results", "import", record.to_str().unwrap()])).code(0);
    let file = folder.path().join("set.jsonl");
    let file = file.to_str().unwrap();
    run(&mut home.sps(&["results", "export", "latest", "-o", file])).code(0);
    run(&mut home.sps(&["results", "export", "latest", "-o", file])).code(1).complains("cannot create");
    let elsewhere = ["--results", &database.name];
    for said in ["1 run added", "0 runs added, 1 were there"] {
        run(database.sps(&["results", "import", file]).args(elsewhere)).code(0).complains(said);
    }
    let without_ids = |text: &str| -> Vec<serde_json::Value> {
        let lines = text.lines().map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("id");
            line
        });
        lines.collect()
    };
    let there = run(database.sps(&["results", "export", "latest"]).args(elsewhere));
    assert_eq!(without_ids(&there.code(0).stdout), without_ids(&std::fs::read_to_string(file).unwrap()));
    // what is cut off, or no set at all, changes nothing
    let cut = folder.path().join("cut.jsonl");
    let whole = std::fs::read_to_string(file).unwrap();
    run(database.sps(&["results", "delete", "1"]).args(elsewhere)).code(0);
    std::fs::write(&cut, &whole[..whole.len() - 9]).unwrap();
    let cut = cut.to_str().unwrap();
    run(database.sps(&["results", "import", cut]).args(elsewhere)).code(1).complains("line 2 of the set is damaged");
    std::fs::write(cut, "hello\n").unwrap();
    run(database.sps(&["results", "import", cut]).args(elsewhere)).code(1).complains("not a record of sps");
    let listed = run(database.sps(&["results", "list"]).args(elsewhere));
    assert_eq!(listed.code(0).stdout.lines().count(), 1);
}

#[test]
fn sets_are_reported_by_number_by_name_and_side_by_side() {
    let (home, database, folder) = (Home::new(), Database::filled(), tempfile::tempdir().unwrap());
    for seed in [1, 2] {
        let record = record(&database, folder.path(), seed);
        run(&mut home.sps(&["results", "import", record.to_str().unwrap()])).code(0);
    }
    let report = |args: &[&str]| run(&mut home.sps(&[&["report"], args].concat()));
    assert!(report(&["--set", "latest"]).code(0).stdout.starts_with("Set 2: run\n"));
    assert_eq!(report(&["--set", "run"]).code(0).stdout, report(&["--set", "2"]).code(0).stdout);
    let both = report(&["--set", "1", "--set", "latest", "--set", "2"]);
    assert!(both.code(0).stdout.contains("against set 1, measured apart from each other:"), "{both:?}");
    assert_eq!(both.stdout.matches("Set 2: ").count(), 1);
    let page = folder.path().join("page.html");
    let page = page.to_str().unwrap();
    report(&["--set", "1", "--format", "html", "-o", page]).code(0);
    assert!(std::fs::read_to_string(page).unwrap().contains("Set 1: run"));
    report(&["--set", "9"]).code(1).complains("there is no set 9").complains("sps results list");
    report(&["--set", "nope"]).code(1).complains("there is no set called \"nope\"");
    report(&["--set", "1", "--format", "xml"]).code(2).complains("table, markdown, csv, json, html");
    report(&["--set", "1", "x.jsonl"]).code(2);
}

#[test]
fn several_at_once_share_one_server_and_lose_nothing() {
    let (home, database, folder) = (Home::new(), Database::filled(), tempfile::tempdir().unwrap());
    let records: Vec<PathBuf> = (0..4).map(|seed| record(&database, folder.path(), seed)).collect();
    // all of them find no server, and no data directory
    let children =
        records.iter().map(|record| home.sps(&["results", "import", record.to_str().unwrap()]).spawn().unwrap());
    for mut child in children.collect::<Vec<_>>() {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(home.list().code(0).stdout.lines().count(), 5);
    eventually("the server ends", || home.postmaster().is_none());
}

#[test]
fn the_server_stays_for_who_uses_it_and_goes_with_the_last_even_if_killed() {
    let home = Home::new();
    let (mut one, mut other) = (home.holder("one"), home.holder("other"));
    let server = home.postmaster().unwrap();
    one.kill().unwrap();
    one.wait().unwrap();
    home.list().code(0);
    assert_eq!(home.postmaster(), Some(server));
    other.kill().unwrap();
    other.wait().unwrap();
    eventually("the server ends with its last user", || home.postmaster().is_none());
    home.list().code(0);
}

#[test]
fn a_server_that_was_killed_is_started_again() {
    let (home, database, folder) = (Home::new(), Database::filled(), tempfile::tempdir().unwrap());
    let record = record(&database, folder.path(), 1);
    run(&mut home.sps(&["results", "import", record.to_str().unwrap()])).code(0);
    let mut holder = home.holder("pipe");
    let server = home.postmaster().unwrap();
    kill(server, Signal::SIGKILL).unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
    eventually("the server is gone", || home.postmaster().is_none());
    assert_eq!(home.list().code(0).stdout.lines().count(), 2);
}

#[test]
fn a_path_too_long_for_a_socket_does() {
    let home = Home::new();
    let long = home.0.path().join("x".repeat(120));
    std::fs::create_dir(&long).unwrap();
    std::fs::set_permissions(&long, PermissionsExt::from_mode(0o755)).unwrap();
    let (database, folder) = (Database::filled(), tempfile::tempdir().unwrap());
    let record = record(&database, folder.path(), 1);
    let mut import = home.sps(&["results", "import", record.to_str().unwrap()]);
    run(import.env("XDG_DATA_HOME", &long)).code(0);
}

#[test]
fn a_data_directory_of_a_version_that_is_not_here_is_explained() {
    let home = Home::new();
    let data = home.results().join("data");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("PG_VERSION"), "9\n").unwrap();
    let said = home.list();
    said.code(1).complains("are kept by PostgreSQL 9, of which no server is installed here").complains("pg_upgrade");
    std::fs::write(data.join("PG_VERSION"), "x\n").unwrap();
    home.list().code(1).complains("is not the data directory of a PostgreSQL").complains("--results");
}

#[test]
fn no_message_shows_the_password_of_a_results_database() {
    let home = Home::new();
    for dsn in ["postgresql://u:hush@127.0.0.1:1/d", "host=/nowhere password=hush", "host=/nowhere password='hush hush"]
    {
        let said = run(&mut home.sps(&["results", "list", "--results", dsn]));
        assert_ne!(said.code, Some(0));
        assert!(!format!("{said:?}").contains("hush"), "{said:?}");
    }
    let said = run(home.sps(&["results", "--help"]).env("SPS_RESULTS", "postgresql://u:hush@h/d"));
    assert!(!said.code(0).stdout.contains("hush"));
}
