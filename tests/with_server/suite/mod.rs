//! `sps suite` as a user runs it, its results in a database of the test's own.

mod fault;
mod measured;
mod refused;

use std::path::{Path, PathBuf};
use std::process::Command;

use sps::results::{Run, SetInfo, Status, Store, Which};

use crate::support::{Database, Said, run};

/// A definition, a database to measure in, and one for the results.
pub struct Bench {
    pub db: Database,
    pub results: Database,
    pub folder: tempfile::TempDir,
}

/// Runs that take no longer than they must; each workload is appended.
pub const SHORT: &str = "name = \"short\"\nscales = [1]\nclients = [1]\nrepeats = 1\ntime = 1\nseed = 7\n\n";

impl Bench {
    /// With pgbench's tables at scale 1.
    pub fn filled() -> Self {
        Self { db: Database::filled(), results: Database::empty(), folder: tempfile::tempdir().unwrap() }
    }

    /// Without tables.
    pub fn empty() -> Self {
        Self { db: Database::empty(), ..Self::filled() }
    }

    pub fn write(&self, definition: &str) -> PathBuf {
        let path = self.folder.path().join("suite.toml");
        std::fs::write(&path, definition).unwrap();
        path
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let set = |name: &str| std::env::var(name).unwrap();
        let (host, port, user) = (set("PGHOST"), set("PGPORT"), set("PGUSER"));
        let results = format!("host='{host}' port={port} user={user} dbname={}", self.results.name);
        let mut command = self.db.sps(&["suite", "--results", &results]);
        command.args(args);
        command
    }

    /// Runs `definition` to its end.
    pub fn suite(&self, definition: &str, args: &[&str]) -> Said {
        let path = self.write(definition);
        run(self.command(args).arg(path))
    }

    pub fn store(&self) -> Store {
        Store::new(self.results.session(), None).unwrap()
    }

    pub fn set(&self) -> SetInfo {
        self.store().set(&Which::Latest).unwrap()
    }

    /// The latest set's runs, each done.
    #[track_caller]
    pub fn done(&self) -> Vec<Run> {
        let runs = self.store().runs(self.set().id).unwrap();
        for run in &runs {
            assert_eq!(run.result.status, Status::Done, "{:?} {:?}", run.key, run.result.error);
        }
        runs
    }

    /// Is there anything in the results database?
    pub fn stored_nothing(&self) -> bool {
        let sql = "select to_regclass('sps_results.set') is null";
        self.results.session().query_one(sql, &[]).unwrap().get::<_, bool>(0) || self.store().sets().unwrap().is_empty()
    }
}

/// What a run's metric rose by.
#[track_caller]
pub fn metric(run: &Run, source: &str, name: &str) -> f64 {
    let found = run.result.metrics.iter().find(|metric| metric.source == source && metric.name == name);
    found.unwrap_or_else(|| panic!("no {source} {name} in {:#?}", run.result.metrics)).delta
}

pub fn tables(db: &Database) -> i64 {
    let sql = "select count(*) from pg_class where relname like 'pgbench%' and relkind = 'r'";
    db.session().query_one(sql, &[]).unwrap().get(0)
}

/// The scale of pgbench's tables, and whether they are still those that were there.
pub fn accounts(db: &Database) -> (i64, u32) {
    let sql = "select (select count(*) from pgbench_branches), 'pgbench_accounts'::regclass::oid";
    let row = db.session().query_one(sql, &[]).unwrap();
    (row.get(0), row.get(1))
}

/// A path as it stands in TOML.
pub fn quoted(path: &Path) -> String {
    format!("'''{}'''", path.display())
}
