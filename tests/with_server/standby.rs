//! Every read arm runs on a hot standby.

use std::collections::HashSet;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use sps::arm::LOOPS;
use sps::record;
use sps::server::{Config, Session};
use sps::wire::LeanConnection;

use crate::measure::wire_arms;
use crate::support::{Database, config, has_extension, run, sps};

/// A copy of the tests' server that follows it, on a socket of its own; stopped when dropped.
pub struct Standby {
    server: Child,
    /// What starts it.
    start: Command,
    folder: tempfile::TempDir,
}

impl Standby {
    pub fn start() -> Self {
        let primary = Session::connect(&config("postgres")).unwrap();
        let data: String = primary.query_one("show data_directory", &[]).unwrap().get(0);
        // the very binary that runs there: the extension is found relative to it
        let pid = std::fs::read_to_string(Path::new(&data).join("postmaster.pid")).unwrap();
        let postgres = std::fs::read_link(format!("/proc/{}/exe", pid.lines().next().unwrap())).unwrap();
        let owner = std::fs::metadata(&data).unwrap();

        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let copy = folder.path().join("data");
        if geteuid().is_root() {
            chown(folder.path(), Some(owner.uid()), Some(owner.gid())).unwrap();
        }
        let (host, port) = (std::env::var("PGHOST").unwrap(), std::env::var("PGPORT").unwrap());
        let mut backup = as_owner(&program("pg_basebackup"), &owner);
        backup.args(["-R", "-c", "fast", "-h", &host, "-p", &port, "-U", &std::env::var("PGUSER").unwrap(), "-D"]);
        run(backup.arg(&copy)).code(0);

        let mut start = as_owner(&postgres, &owner);
        start.arg("-D").arg(&copy).arg("-k").arg(folder.path());
        start.args(["-c", "listen_addresses=", "-c", "port=5432", "-c", "hot_standby=on"]);
        start.stdout(Stdio::null()).stderr(Stdio::null());
        let standby = Self { server: start.spawn().unwrap(), start, folder };
        standby.wait();
        standby
    }

    fn wait(&self) {
        let begun = Instant::now();
        while Session::connect(&self.config("postgres")).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the standby does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A fast shutdown.
    pub fn stop(&mut self) {
        kill(Pid::from_raw(self.server.id() as i32), Signal::SIGINT).unwrap();
        self.server.wait().unwrap();
    }

    /// A stop, a while of nothing, a new start.
    pub fn restart(&mut self) {
        self.stop();
        std::thread::sleep(Duration::from_millis(500));
        self.server = self.start.spawn().unwrap();
        self.wait();
    }

    /// Where its socket is, on port 5432.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn config(&self, database: &str) -> Config {
        Config::local(self.folder.path().to_str().unwrap(), 5432, &std::env::var("PGUSER").unwrap(), database)
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        // one that was stopped is nobody's process any more
        if let Ok(None) = self.server.try_wait() {
            self.stop();
        }
    }
}

fn program(name: &str) -> PathBuf {
    let pg_config = std::env::var_os("SPS_PG_CONFIG").unwrap_or_else(|| "pg_config".into());
    let output = Command::new(pg_config).arg("--bindir").output().unwrap();
    Path::new(String::from_utf8(output.stdout).unwrap().trim()).join(name)
}

fn as_owner(program: &Path, owner: &std::fs::Metadata) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if geteuid().is_root() {
        command.uid(owner.uid()).gid(owner.gid());
    }
    command
}

#[test]
fn every_read_arm_runs_on_a_hot_standby() {
    let db = Database::filled();
    let standby = Standby::start();
    let loops = LOOPS.iter().map(|which| which.name);
    let mut arms: Vec<String> = wire_arms().chain(loops.clone()).map(String::from).collect();
    if has_extension() {
        let layers = db.session().query("select name from select_loop_layers()", &[]).unwrap();
        let layers = layers.iter().map(|row| row.get::<_, String>(0));
        arms.extend(layers.filter(|name| !loops.clone().any(|which| which == name)));
    }
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("r.jsonl");
    let mut args = vec!["compare", "--pin", "free", "--quiet", "--block", "20", "--rounds", "2", "--selects", "500"];
    args.extend(["--record", record.to_str().unwrap()]);
    args.extend(arms.iter().map(String::as_str));
    let mut command = sps(&args);
    command.env("PGHOST", standby.folder.path()).env("PGPORT", "5432").env("PGDATABASE", &db.name);
    run(command.env("PGUSER", std::env::var_os("PGUSER").unwrap())).code(0);
    let record = record::read(&record).unwrap();
    assert!(record.header.server.in_recovery);
    assert_eq!(record.blocks.len(), 2 * arms.len());
    assert!(record.blocks.iter().all(|block| block.found.is_none_or(|found| found == block.selects)));
}

#[test]
fn target_session_attrs_choose_among_hosts() {
    use sps::server::Wanted;
    let standby = Standby::start();
    let primary = crate::support::config("postgres").hosts.remove(0);
    let mut config = standby.config("postgres");
    let copy = config.hosts[0].clone();
    let found = |config: &Config| -> Result<String, sps::error::Error> {
        let lean = LeanConnection::connect(config)?.value("select pg_is_in_recovery()")?;
        let session = Session::connect(config)?.query_one("select pg_is_in_recovery()::text", &[])?;
        assert_eq!(session.get::<_, String>(0)[..1], lean);
        Ok(lean)
    };
    for hosts in [[primary.clone(), copy.clone()], [copy.clone(), primary.clone()]] {
        let first =
            if hosts[0].port == primary.port && format!("{}", hosts[0]) == format!("{primary}") { "f" } else { "t" };
        config.hosts = hosts.into();
        for (wanted, expected) in [
            (Wanted::Any, first),
            (Wanted::ReadWrite, "f"),
            (Wanted::ReadOnly, "t"),
            (Wanted::Primary, "f"),
            (Wanted::Standby, "t"),
            (Wanted::PreferStandby, "t"),
        ] {
            config.wanted = wanted;
            assert_eq!(found(&config).unwrap(), expected, "{wanted:?}");
        }
    }
    config.hosts = vec![primary];
    config.wanted = Wanted::PreferStandby;
    assert_eq!(found(&config).unwrap(), "f");
    config.wanted = Wanted::Standby;
    let error = found(&config).unwrap_err();
    assert!(error.message.contains("server is not in hot standby mode"), "{error}");
}

#[test]
fn load_balance_hosts_reaches_every_host_and_without_it_the_first_is_taken() {
    let standby = Standby::start();
    let mut config = standby.config("postgres");
    config.hosts.push(crate::support::config("postgres").hosts.remove(0));
    let mut reached = |shuffled: bool| -> HashSet<String> {
        config.shuffled = shuffled;
        let each = (0..30).map(|_| LeanConnection::connect(&config)?.value("select pg_is_in_recovery()"));
        each.collect::<Result<_, _>>().unwrap()
    };
    assert_eq!(reached(false), HashSet::from(["t".into()]));
    // either host thirty times in a row: once in half a billion
    assert_eq!(reached(true), HashSet::from(["t".into(), "f".into()]));
}
