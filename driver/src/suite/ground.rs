//! The server that a suite runs on, and its tables as each run is to find them.

use std::time::Instant;

use super::definition::{Definition, Rebuild};
use super::plan::Planned;
use super::workload::{Kind, Workload};
use super::{hook, sample};
use crate::arm::Lookup;
use crate::error::{Error, Exit, Result};
use crate::measure;
use crate::record::Dataset;
use crate::results::Metric;
use crate::server::table::{self, Fill, TableOptions};
use crate::server::{Session, Target, capacity, dataset};

/// What a suite may do to pgbench's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Measure on those that are there.
    Use,
    /// Make them where there are none, and make its own anew.
    Create,
    /// Drop those that are there.
    Replace,
}

pub struct Ground<'a> {
    pub target: &'a Target,
    pub session: Session,
    leave: Leave,
    /// Scale and repeat that the tables were made for, where we made them.
    made: Option<(i64, u32)>,
    data: Option<(Dataset, Lookup)>,
    /// Something was written since the last vacuum.
    dirty: bool,
    /// Something may be in pgbench_history.
    history: bool,
    /// Was the table read into shared buffers since it was made?
    warmed: bool,
}

impl<'a> Ground<'a> {
    /// Finds out whether the suite can run here, before anything is touched.
    pub fn new(target: &'a Target, definition: &Definition, leave: Leave) -> Result<Self> {
        let session = target.session()?;
        let leave = if target.info.private { Leave::Replace } else { leave };
        let ground = Self { target, session, leave, made: None, data: None, dirty: true, history: true, warmed: false };
        ground.check_tables(definition)?;
        ground.check_rights(definition)?;
        for workload in &definition.workloads {
            if let Kind::Arm(spec) = &workload.kind {
                let plan = super::execute::plan(definition, 1, None, 0);
                let known = measure::check_arms(target, std::slice::from_ref(spec), &plan);
                known.map_err(|error| error.context(&workload.at))?;
            }
        }
        sample::check(target, &definition.metrics)?;
        Ok(ground)
    }

    fn check_tables(&self, definition: &Definition) -> Result<()> {
        let writes = definition.writes();
        if self.target.info.in_recovery && (writes || self.leave != Leave::Use) {
            return Err(Error::usage("the server is a standby: nothing can be written there")
                .hint("leave out --create, --replace and the workloads that write, or name the primary"));
        }
        let need = definition.scales.iter().map(|scale| options(definition, *scale).bytes()).max().unwrap_or(0);
        if self.leave != Leave::Use {
            if self.leave == Leave::Create {
                table::check_absent(&self.session)?;
            }
            // a private server has looked for itself
            let place = capacity::data_directory(&self.target.info, &self.session)?;
            return match place.filter(|_| !self.target.info.private) {
                Some(place) => capacity::check_space(&place, need),
                None => Ok(()),
            };
        }
        if definition.rebuild != Rebuild::Scale {
            return Err(Error::usage("the definition has tables made anew, and this server is not sps's own")
                .hint("--replace drops pgbench's tables there; --create makes them where there are none"));
        }
        let found = dataset::inspect(&self.session, None);
        let (found, _) = found.map_err(|error| match table::check_absent(&self.session) {
            Ok(()) => error.hint("--create makes pgbench's tables in it, anew at each scale"),
            Err(_) => error,
        })?;
        match (&definition.scales[..], found.scale) {
            ([one], Some(scale)) if *one == scale => Ok(()),
            (_, scale) => {
                let wanted: Vec<String> = definition.scales.iter().map(ToString::to_string).collect();
                let there = scale.map_or("unknown".into(), |scale| scale.to_string());
                Err(Error::usage(format!("the tables have scale {there}, the suite wants {}", wanted.join(", "))).hint(
                    "nothing is dropped unasked: --replace drops pgbench's tables and makes them anew at each scale; or name \
                     another database, or the one scale that is there",
                ))
            }
        }
    }

    fn check_rights(&self, definition: &Definition) -> Result<()> {
        let row = self.session.query_one(
            "select current_setting('is_superuser') = 'on'
                    or exists (select from pg_roles where rolname = 'pg_checkpoint' and pg_has_role(oid, 'usage')),
                    current_setting('max_connections')::int",
            &[],
        )?;
        let (checkpoint, connections): (bool, i32) = (row.get(0), row.get(1));
        if definition.before.checkpoint && !checkpoint {
            return Err(Error::usage("this role may not checkpoint")
                .hint("GRANT pg_checkpoint to it, or set `checkpoint = false` under [before]"));
        }
        let most = definition.clients.iter().copied().max().unwrap_or(0);
        if connections < most as i32 {
            return Err(Error::usage(format!("{most} clients are more than the server's {connections} connections"))
                .hint("name fewer clients, or raise max_connections (private server: under [settings])"));
        }
        Ok(())
    }

    /// The tables as they are now.
    pub fn data(&self) -> Result<&(Dataset, Lookup)> {
        self.data.as_ref().ok_or_else(|| Error::failed("there are no tables yet"))
    }

    /// Brings everything to where a run of `workload` is to start from; what each step took.
    pub fn prepare(
        &mut self,
        definition: &Definition,
        planned: &Planned,
        workload: &Workload,
        place: &hook::Place<'_>,
    ) -> Result<Vec<Metric>> {
        let mut steps = Steps::default();
        let before = &definition.before;
        if self.leave != Leave::Use && self.outdated(definition, planned) {
            steps.timed("prepare_tables", || self.make(definition, planned))?;
        } else if self.data.is_none() {
            self.look(true)?;
        }
        if self.history && definition.writes() && before.truncate_history.unwrap_or(self.leave != Leave::Use) {
            self.session.interruptible(|| self.session.batch(TRUNCATE_HISTORY))?;
            self.history = false;
        }
        if before.vacuum && self.dirty && definition.writes() {
            steps.timed("prepare_vacuum", || self.vacuum())?;
        }
        if before.checkpoint {
            steps.timed("prepare_checkpoint", || self.checkpoint(before.checkpoint_limit))?;
        }
        if before.warm && (self.fits()? || !self.warmed) {
            let lookup = self.data()?.1.clone();
            steps.timed("prepare_warm", || measure::warm_data(self.target, &lookup))?;
            self.warmed = true;
        }
        if before.reset_statistics {
            self.session.batch("select pg_stat_reset(); select pg_stat_reset_shared('bgwriter')")?;
        }
        if let Some(command) = &before.hook {
            steps.timed("prepare_hook", || hook::run(command, place))?;
        }
        if workload.writes {
            (self.dirty, self.history) = (true, true);
        }
        Ok(steps.0)
    }

    /// What a run that writes leaves to be done, timed: put off, but not for nothing.
    pub fn clean_up(&mut self, definition: &Definition, workload: &Workload) -> Result<Vec<Metric>> {
        let mut steps = Steps::default();
        if definition.cleanup && workload.writes {
            steps.timed("cleanup_vacuum", || self.vacuum())?;
            if definition.before.checkpoint {
                steps.timed("cleanup_checkpoint", || self.checkpoint(definition.before.checkpoint_limit))?;
            }
        }
        Ok(steps.0)
    }

    fn outdated(&self, definition: &Definition, planned: &Planned) -> bool {
        match (self.made, definition.rebuild) {
            (None, _) | (_, Rebuild::Run) => true,
            (Some((scale, _)), Rebuild::Scale) => scale != planned.scale,
            (Some(made), Rebuild::Repeat) => made != (planned.scale, planned.repeat),
        }
    }

    fn make(&mut self, definition: &Definition, planned: &Planned) -> Result<()> {
        let replace = self.leave == Leave::Replace || self.made.is_some();
        table::create(&self.session, &TableOptions { replace, ..options(definition, planned.scale) })?;
        self.made = Some((planned.scale, planned.repeat));
        (self.dirty, self.history, self.warmed) = (false, false, false);
        self.look(false)
    }

    fn look(&mut self, found: bool) -> Result<()> {
        self.data = Some(dataset::inspect(&self.session, None)?);
        if found {
            self.history = true;
        }
        Ok(())
    }

    fn vacuum(&mut self) -> Result<()> {
        for table in ["pgbench_accounts", "pgbench_branches", "pgbench_tellers", "pgbench_history"] {
            self.session.interruptible(|| self.session.batch(&format!("vacuum (analyze) {table}")))?;
        }
        self.dirty = false;
        Ok(())
    }

    fn checkpoint(&self, limit: u64) -> Result<()> {
        self.session.query("select set_config('statement_timeout', $1, false)", &[&format!("{limit}s")])?;
        let done = self.session.interruptible(|| self.session.batch("checkpoint"));
        self.session.batch("reset statement_timeout")?;
        done.map_err(|error| match error.sqlstate.as_deref() {
            Some("57014") if error.exit != Exit::Interrupted => {
                Error::failed(format!("the checkpoint before the run took longer than {limit} s"))
                    .hint("raise checkpoint_limit under [before]")
            }
            _ => error,
        })
    }

    /// Does the table fit into shared buffers, so that reading it makes sense each time?
    fn fits(&self) -> Result<bool> {
        let (dataset, _) = self.data()?;
        let sql = "select pg_size_bytes(current_setting('shared_buffers'))";
        let buffers: i64 = self.session.query_one(sql, &[])?.get(0);
        Ok(dataset.table_bytes + dataset.index_bytes <= buffers)
    }
}

/// Nothing where there is no such table, or where it is somebody else's.
const TRUNCATE_HISTORY: &str = "do $$ begin
    if to_regclass('pgbench_history') is not null then truncate pgbench_history; end if; end $$";

/// Tables of `scale` as the definition wants them.
pub fn options(definition: &Definition, scale: i64) -> TableOptions {
    let (fillfactor, unlogged) = (definition.fillfactor, definition.unlogged);
    TableOptions { scale, fillfactor, unlogged, fill: Fill::Key, replace: false }
}

/// What steps of preparation took.
#[derive(Default)]
struct Steps(Vec<Metric>);

impl Steps {
    fn timed<T>(&mut self, name: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        let begun = Instant::now();
        let done = step()?;
        let delta = begun.elapsed().as_secs_f64();
        self.0.push(Metric { source: "sps".into(), name: name.into(), unit: "s".into(), delta });
        Ok(done)
    }
}
