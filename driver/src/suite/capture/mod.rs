//! What the server's statistics counted over a run: read before and after, subtracted; nothing on the server is reset.
//!
//! Columns are taken by their names, whichever version has them where; what several versions count under different names
//! has one name in [`figure`].

mod buffer;
mod figure;
mod quiet;
mod statement;
mod view;

use std::collections::BTreeMap;

use crate::error::Result;
use crate::results::{Metric, Sample};
use crate::server::{Session, Target};

pub use quiet::{backends, wait_until_quiet};

/// A counter: view, column, and which row of the view (empty where it has one).
type Name = (&'static str, String, String);
type Counters = BTreeMap<Name, f64>;

/// The counters as they stood before a run.
pub struct Capture {
    version: u32,
    counters: Counters,
    lsn: Option<String>,
}

/// What is kept after it.
#[derive(Default)]
pub struct Captured {
    pub metrics: Vec<Metric>,
    /// What stood in shared buffers at the end.
    pub samples: Vec<Sample>,
    pub warnings: Vec<String>,
}

impl Capture {
    pub fn before(session: &Session, target: &Target) -> Result<Self> {
        let version = target.info.version_num;
        // what this session itself has done, vacuuming for one, is not to be handed in while the run goes
        if version >= 150_000 {
            session.query("select pg_stat_force_next_flush()", &[])?;
        }
        Ok(Self { version, counters: counters(session, version)?, lsn: lsn(session)? })
    }

    /// Subtracts. `at` is the run's end in seconds from its start.
    pub fn after(self, session: &Session, at: f64) -> Result<Captured> {
        let mut captured = Captured::default();
        if let Some(before) = &self.lsn {
            let row =
                session.query_one(&format!("select pg_wal_lsn_diff({LSN}, $1::text::pg_lsn)::float8"), &[before])?;
            captured.metrics.push(metric("wal", "wal_bytes", "bytes", row.get(0)));
        }
        let after = counters(session, self.version)?;
        let mut changes = Counters::new();
        for (name, value) in after {
            let change = value - self.counters.get(&name).copied().unwrap_or(0.0);
            changes.insert(name, change);
        }
        let reset: Vec<&Name> = changes.iter().filter(|(_, change)| **change < 0.0).map(|(name, _)| name).collect();
        if let Some((view, ..)) = reset.first() {
            captured.warnings.push(format!("statistics were reset while the run went: {view} is not complete"));
        }
        changes.retain(|_, change| *change >= 0.0);
        captured.metrics.extend(figure::all(self.version, &changes));
        captured.metrics.extend(statement::most(&changes));
        let views = changes.into_iter().filter(|((source, ..), change)| *source != statement::SOURCE && *change > 0.0);
        captured.metrics.extend(views.map(|((source, column, row), change)| {
            let unit = view::unit(&column);
            let name = if row.is_empty() { column } else { format!("{column} {row}") };
            metric(source, &name, unit, change)
        }));
        captured.samples = buffer::samples(session, at)?;
        Ok(captured)
    }
}

fn metric(source: &str, name: &str, unit: &str, delta: f64) -> Metric {
    Metric { source: source.into(), name: name.into(), unit: unit.into(), delta }
}

const LSN: &str = "case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end";

/// None where this role may not ask, or there is none.
fn lsn(session: &Session) -> Result<Option<String>> {
    match session.query_one(&format!("select ({LSN})::text"), &[]) {
        Ok(row) => Ok(row.get(0)),
        Err(error) if error.sqlstate.as_deref() == Some("42501") => Ok(None),
        Err(error) => Err(error),
    }
}

fn counters(session: &Session, version: u32) -> Result<Counters> {
    let mut counters = Counters::new();
    for view in view::VIEWS.iter().filter(|view| view.since <= version) {
        view.read(session, &mut counters)?;
    }
    statement::read(session, &mut counters)?;
    Ok(counters)
}
