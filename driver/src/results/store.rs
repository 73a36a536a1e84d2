//! Sets and runs, to and from the results database.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::mask::mask_lines;
use super::migrate::{SCHEMA, migrate};
use super::private::PrivateResults;
use super::{NewSet, Run, RunKey, RunResult, SetInfo, Status};
use crate::error::{Error, Result};
use crate::record::{Host, ServerInfo, Tool, mask};
use crate::server::Session;

/// First of the two numbers of a set's advisory lock; the second is its id.
const SET_LOCK: i32 = 0x0073_7073;

/// A set as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    Latest,
    Id(i32),
    /// The latest of that name.
    Name(String),
}

impl FromStr for Which {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Ok(match text.parse() {
            Ok(id) => Self::Id(id),
            Err(_) if text == "latest" => Self::Latest,
            Err(_) => Self::Name(text.to_owned()),
        })
    }
}

/// Runs of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    pub planned: i64,
    pub done: i64,
    /// Attempts that came to no end.
    pub broken: i64,
}

/// The results database, open. It has one connection; dropping it lets go of the set that it runs.
pub struct Store {
    // dropped in this order: a private server stops when its last user leaves
    session: Session,
    _private: Option<PrivateResults>,
}

impl Store {
    /// Takes over `session`, brings its database up to date, and marks what died as killed.
    ///
    /// # Errors
    /// The database is of a newer sps, or has no room for the schema.
    pub fn new(session: Session, private: Option<PrivateResults>) -> Result<Self> {
        session.batch(
            "set timezone to 'UTC'; set search_path to ''; set client_min_messages to warning;
             select set_config(name, '0', false) from pg_catalog.pg_settings
             where name in ('statement_timeout', 'lock_timeout', 'idle_session_timeout',
                            'idle_in_transaction_session_timeout', 'transaction_timeout')",
        )?;
        migrate(&session, &SCHEMA)?;
        let store = Self { session, _private: private };
        store.reap()?;
        Ok(store)
    }

    /// Stores a new set with the runs that it plans, and becomes its runner until the store is dropped.
    pub fn begin_set(&self, new: &NewSet, plan: &[RunKey]) -> Result<SetInfo> {
        if !matches!(new.name.parse(), Ok(Which::Name(_))) || new.name.trim().is_empty() {
            return Err(Error::usage(format!("a set cannot be called \"{}\"", mask(&new.name)))
                .hint("\"latest\" and numbers find sets otherwise: give it another name"));
        }
        #[derive(Serialize)]
        struct Row<'a> {
            name: &'a str,
            description: &'a str,
            definition: String,
            seed: i64,
            tool: Tool,
            host: Host,
        }
        let row = json(&Row {
            name: &new.name,
            description: &new.description,
            definition: mask_lines(&new.definition),
            seed: new.seed,
            tool: Tool::this(),
            host: Host::this(),
        })?;
        // locked before it can be seen: a set without its lock is taken for a killed one
        self.transaction(|| {
            let set = self.one::<SetInfo>(
                "insert into sps_results.set as s (name, description, definition, seed, tool, host)
                 select name, description, definition, seed, tool, host
                 from jsonb_to_record($1::text::jsonb)
                      as x (name text, description text, definition text, seed bigint, tool jsonb, host jsonb)
                 returning to_jsonb(s)::text",
                &[&row],
            )?;
            self.plan(set.id, plan)?;
            self.lock(set.id)?;
            Ok(set)
        })
    }

    /// Goes on with a set whose sps has ended: becomes its runner. [`Store::pending`] says what is left.
    ///
    /// # Errors
    /// Another sps runs it, or it was begun on another machine.
    pub fn resume_set(&self, which: &Which) -> Result<SetInfo> {
        let set = self.set(which)?;
        let here = Host::this().hostname;
        if set.host.hostname != here {
            return Err(Error::failed(format!("set {} was begun on {}, this is {here}", set.id, set.host.hostname))
                .hint("a set is of one machine: resume it there, or begin another one here"));
        }
        self.lock(set.id)?;
        self.reap_set(set.id)?;
        self.session.query("update sps_results.set set status = 'running', ended = null where id = $1", &[&set.id])?;
        self.set(&Which::Id(set.id))
    }

    /// The planned runs of a set of which none is done, in order.
    pub fn pending(&self, set: i32) -> Result<Vec<RunKey>> {
        self.all(
            "select (to_jsonb(p) - 'set')::text from sps_results.planned p
             where p.set = $1 and not exists (select from sps_results.run r
                                              where r.set = p.set and r.position = p.position and r.status = 'done')
             order by p.position",
            &[&set],
        )
    }

    /// Stores that a planned run begins on `server`; its id.
    ///
    /// # Errors
    /// It is running or done already.
    pub fn begin_run(&self, set: i32, position: i32, server: &ServerInfo) -> Result<i64> {
        let row = self.session.query_one(
            "insert into sps_results.run (set, position, server_version_num, transport, server)
             select $1, $2, (j ->> 'version_num')::integer, j ->> 'transport', j || '{\"settings\": {}}'
             from (select $3::text::jsonb as j) x
             returning id",
            &[&set, &position, &json(server)?],
        );
        let row = row.map_err(|error| match error.sqlstate.as_deref() {
            Some("23505") => Error::failed(format!("run {position} of set {set} is running or done already")),
            _ => error.context("cannot store the run"),
        })?;
        Ok(row.get(0))
    }

    /// Ends a run that [`Store::begin_run`] began, with all that it measured, whole or not at all.
    pub fn finish_run(&self, run: i64, result: &RunResult) -> Result<()> {
        let mut result = result.clone();
        result.error = result.error.map(|error| mask_lines(&error));
        result.warnings.iter_mut().for_each(|warning| *warning = mask_lines(warning));
        self.store_result(run, &json(&result)?)
    }

    pub(super) fn store_result(&self, run: i64, result: &str) -> Result<()> {
        let stored = self
            .session
            .query_one(include_str!("../../../sql/results/finish_run.sql"), &[&run, &result])
            .map_err(|error| error.context(format!("cannot store the result of run {run}")))?;
        match stored.get::<_, i64>(0) {
            0 => Err(Error::failed(format!("run {run} is no longer running in the results database"))
                .hint("was the connection to it lost, and the run taken for killed? sps suite --resume does it again")),
            _ => Ok(()),
        }
    }

    /// Ends a set; its runner lets go of it.
    pub fn finish_set(&self, set: i32, status: Status) -> Result<()> {
        self.session.query(
            "update sps_results.set set status = $2::text, ended = clock_timestamp() where id = $1",
            &[&set, &status.name()],
        )?;
        self.unlock(set)
    }

    /// The set that `which` names.
    pub fn set(&self, which: &Which) -> Result<SetInfo> {
        let (found, missing) = match which {
            Which::Id(id) => (
                self.all("select to_jsonb(s)::text from sps_results.set s where id = $1", &[id])?,
                format!("there is no set {id} in the results database"),
            ),
            Which::Name(name) => (
                self.all(
                    "select to_jsonb(s)::text from sps_results.set s where name = $1 order by started desc, id desc limit 1",
                    &[name],
                )?,
                format!("there is no set called \"{}\" in the results database", mask(name)),
            ),
            Which::Latest => (
                self.all(
                    "select to_jsonb(s)::text from sps_results.set s order by started desc, id desc limit 1",
                    &[],
                )?,
                "there is no set in the results database".to_owned(),
            ),
        };
        found.into_iter().next().ok_or_else(|| {
            Error::failed(missing).hint("`sps results list` shows what is there, `sps suite` makes a new one")
        })
    }

    /// All sets, the oldest first.
    pub fn sets(&self) -> Result<Vec<SetInfo>> {
        self.all("select to_jsonb(s)::text from sps_results.set s order by started, id", &[])
    }

    /// How many runs of each set are planned, done, and neither done nor running, by the set's id.
    pub fn tallies(&self) -> Result<BTreeMap<i32, Tally>> {
        let rows = self.session.query(
            "select s.id, (select count(*) from sps_results.planned p where p.set = s.id),
                    count(r.id) filter (where r.status = 'done'), count(r.id) filter (where r.status not in ('done', 'running'))
             from sps_results.set s
             left join sps_results.run r on r.set = s.id
             group by s.id",
            &[],
        )?;
        Ok(rows
            .iter()
            .map(|row| (row.get(0), Tally { planned: row.get(1), done: row.get(2), broken: row.get(3) }))
            .collect())
    }

    /// What a set plans.
    pub fn planned(&self, set: i32) -> Result<Vec<RunKey>> {
        self.all(
            "select (to_jsonb(p) - 'set')::text from sps_results.planned p where set = $1 order by position",
            &[&set],
        )
    }

    /// The server that a set's latest run was begun on; None before the first.
    pub fn server_of(&self, set: i32) -> Result<Option<ServerInfo>> {
        let sql = "select server::text from sps_results.run where set = $1 order by id desc limit 1";
        Ok(self.all(sql, &[&set])?.into_iter().next())
    }

    /// Every attempt at a run of a set, in the order of their start, with all that was measured.
    pub fn runs(&self, set: i32) -> Result<Vec<Run>> {
        self.all(include_str!("../../../sql/results/runs.sql"), &[&set])
    }

    /// Removes a set with its runs.
    ///
    /// # Errors
    /// It is being run.
    pub fn delete_set(&self, set: i32) -> Result<()> {
        self.lock(set)?;
        self.session.query("delete from sps_results.set where id = $1", &[&set])?;
        self.unlock(set)
    }

    pub(super) fn plan(&self, set: i32, plan: &[RunKey]) -> Result<()> {
        self.session.query(
            "insert into sps_results.planned
             select $1, x.* from jsonb_to_recordset($2::text::jsonb)
                  as x (position integer, workload text, kind text, arm text, protocol text, placement text, scale bigint,
                        clients integer, threads integer, rate float8, repeat integer)",
            &[&set, &json(&plan)?],
        )?;
        Ok(())
    }

    /// Does several things or none.
    pub(super) fn transaction<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.session.batch("begin")?;
        let done = work();
        let ended = self.session.batch(if done.is_ok() { "commit" } else { "rollback" });
        let done = done?;
        ended.map(|()| done)
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    pub(super) fn lock(&self, set: i32) -> Result<()> {
        let row = self.session.query_one("select pg_try_advisory_lock($1, $2)", &[&SET_LOCK, &set])?;
        if row.get(0) {
            return Ok(());
        }
        Err(Error::failed(format!("set {set} is being run by another sps")).hint("wait until it ends, or end it"))
    }

    pub(super) fn unlock(&self, set: i32) -> Result<()> {
        self.session.query("select pg_advisory_unlock($1, $2)", &[&SET_LOCK, &set])?;
        Ok(())
    }

    /// Marks what is said to run, but has no runner, as killed. Who may only read leaves it.
    fn reap(&self) -> Result<()> {
        match self.session.query(include_str!("../../../sql/results/reap.sql"), &[&SET_LOCK]) {
            Err(error) if !matches!(error.sqlstate.as_deref(), Some("42501" | "25006")) => Err(error),
            _ => Ok(()),
        }
    }

    /// Marks runs of a set that nobody else can be running as killed.
    fn reap_set(&self, set: i32) -> Result<()> {
        self.session.query(
            "update sps_results.run set status = 'killed', ended = clock_timestamp() where set = $1 and status = 'running'",
            &[&set],
        )?;
        Ok(())
    }

    pub(super) fn one<T: DeserializeOwned>(&self, sql: &str, params: &[&dyn crate::server::Param]) -> Result<T> {
        parse(self.session.query_one(sql, params)?.get(0))
    }

    pub(super) fn all<T: DeserializeOwned>(&self, sql: &str, params: &[&dyn crate::server::Param]) -> Result<Vec<T>> {
        self.session.query(sql, params)?.iter().map(|row| parse(row.get(0))).collect()
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::failed(format!("a row of the results database is not as sps writes it: {error}")))
}

pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::failed(format!("cannot be stored: {error}")))
}
