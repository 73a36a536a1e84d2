//! The tests' server, a database for each test, sps as a user runs it, and skips that are counted.

pub mod tap;

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use sps::server::{Config, Session};

/// How to reach the server that `tests/run` started.
pub fn config(database: &str) -> Config {
    assert_eq!(
        std::env::var("SPS_TESTS").as_deref(),
        Ok("inside"),
        "these tests need the server that `make test` starts (`make test ARGS=…` chooses among them)"
    );
    let set = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("tests/run sets {name}"));
    Config::local(set("PGHOST"), set("PGPORT").parse().unwrap(), &set("PGUSER"), database)
}

/// A database of the test's own, dropped at its end.
pub struct Database {
    pub name: String,
}

impl Database {
    /// Empty, with the extension where the server has it.
    pub fn empty() -> Self {
        Self::copy("template1")
    }

    /// With pgbench's tables at scale 1, balances by key, and the extension where the server has it.
    pub fn filled() -> Self {
        Self::copy("sps_filled")
    }

    /// Empty, without the extension, in another encoding than the server's.
    pub fn encoded(encoding: &str) -> Self {
        Self::make(&format!("template template0 encoding '{encoding}' locale 'C'"))
    }

    fn copy(template: &str) -> Self {
        let made = Self::make(&format!("template {template} strategy file_copy"));
        if has_extension() {
            made.session().batch("create extension if not exists select_loop").unwrap();
        }
        made
    }

    fn make(options: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let admin = Session::connect(&config("postgres")).unwrap();
        admin.batch(&format!("create database {name} {options}")).unwrap();
        Self { name }
    }

    pub fn config(&self) -> Config {
        config(&self.name)
    }

    pub fn session(&self) -> Session {
        Session::connect(&self.config()).unwrap()
    }

    /// sps on this database, as the environment names it.
    pub fn sps(&self, args: &[&str]) -> Command {
        let mut command = sps(args);
        for name in ["PGHOST", "PGPORT", "PGUSER"] {
            command.env(name, std::env::var_os(name).unwrap());
        }
        command.env("PGDATABASE", &self.name);
        command
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Ok(admin) = Session::connect(&config("postgres")) {
            let _ = admin.batch(&format!("drop database if exists {} with (force)", self.name));
        }
    }
}

/// Can `CREATE EXTENSION select_loop` work on the tests' server?
pub fn has_extension() -> bool {
    let session = Session::connect(&config("postgres")).unwrap();
    session.query_opt("select from pg_available_extensions where name = 'select_loop'", &[]).unwrap().is_some()
}

pub fn has_assertions() -> bool {
    let session = Session::connect(&config("postgres")).unwrap();
    session.query_one("select current_setting('debug_assertions') = 'on'", &[]).unwrap().get(0)
}

/// sps without any server in its environment: it starts a private one of the same installation.
pub fn sps(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sps"));
    command.args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PG")) {
        command.env_remove(name);
    }
    if let Some(pg_config) = std::env::var_os("SPS_PG_CONFIG") {
        command.env("PG_CONFIG", pg_config);
    }
    command
}

/// What a command said.
#[derive(Debug)]
pub struct Said {
    /// Exit code; None after a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    Said {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Said {
    /// Asserts the exit code, showing everything where it is another.
    #[track_caller]
    pub fn code(&self, expected: i32) -> &Self {
        assert_eq!(self.code, Some(expected), "{self:#?}");
        self
    }

    /// Asserts that standard error holds `text`.
    #[track_caller]
    pub fn complains(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "no \"{text}\" in {self:#?}");
        self
    }
}

/// Says why the calling test cannot run here, and has it counted; the test then returns.
pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(path) = std::env::var_os("SPS_SKIPS") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        writeln!(file, "{test}: {why}").unwrap();
    }
}
