//! Sets and runs from elsewhere, into the results database.

use super::store::json;
use super::{Run, RunKey, SetInfo, Store};
use crate::error::{Error, Result};

impl Store {
    /// Stores a set of another database under its uuid, or finds it; its id here.
    pub(super) fn adopt_set(&self, set: &SetInfo) -> Result<i32> {
        let row = self.session().query_one(
            "insert into sps_results.set as s (uuid, name, description, status, started, ended, definition, seed, tool, host)
             select uuid, name, description, status, started, ended, definition, seed, tool, host
             from jsonb_to_record($1::text::jsonb)
                  as x (uuid uuid, name text, description text, status text, started timestamptz, ended timestamptz,
                        definition text, seed bigint, tool jsonb, host jsonb)
             on conflict (uuid) do update set status = excluded.status, ended = excluded.ended
             returning id",
            &[&json(set)?],
        )?;
        let id = row.get(0);
        // one that runs here must not be changed under its runner
        self.lock(id)?;
        self.unlock(id)?;
        Ok(id)
    }

    /// Adds what the plan here lacks.
    pub(super) fn adopt_plan(&self, set: i32, plan: &[RunKey]) -> Result<()> {
        let here = self.planned(set)?;
        let missing = |key: &&RunKey| !here.iter().any(|known| known.position == key.position);
        self.plan(set, &plan.iter().filter(missing).cloned().collect::<Vec<_>>())
    }

    /// Stores a run of a set from elsewhere; false where it is here already. One that came to no end here gives way to what
    /// became of it there.
    pub(super) fn adopt_run(&self, set: i32, run: &Run) -> Result<bool> {
        let known = self.session().query_opt(
            "delete from sps_results.run where set = $1 and position = $2 and started = $3::text::timestamptz and status <> 'done'
             returning id",
            &[&set, &run.key.position, &run.started],
        )?;
        let there = self.session().query_opt(
            "select from sps_results.run where set = $1 and position = $2 and started = $3::text::timestamptz",
            &[&set, &run.key.position, &run.started],
        )?;
        if there.is_some() {
            return Ok(false);
        }
        let inserted = self.session().query_one(
            "insert into sps_results.run (set, position, started, server_version_num, transport, server)
             select $1, $2, $3::text::timestamptz, (j ->> 'version_num')::integer, $4, j || '{\"settings\": {}}'
             from (select $5::text::jsonb as j) x
             returning id",
            &[&set, &run.key.position, &run.started, &run.transport, &json(&run.server)?],
        );
        let row = inserted.map_err(|error| match error.sqlstate.as_deref() {
            Some("23505") => {
                Error::failed(format!("run {} of set {set} is done here and there, apart", run.key.position))
                    .hint("the set was resumed in both databases: import it into an empty one")
            }
            _ => error,
        })?;
        #[derive(serde::Serialize)]
        struct Ended<'a> {
            ended: &'a Option<String>,
            #[serde(flatten)]
            result: &'a super::RunResult,
        }
        self.store_result(row.get(0), &json(&Ended { ended: &run.ended, result: &run.result })?)?;
        Ok(known.is_none())
    }

    /// A uuid that the same text always gives.
    pub(super) fn uuid_of(&self, text: &str) -> Result<String> {
        Ok(self.session().query_one("select md5($1::text)::uuid::text", &[&text])?.get(0))
    }
}
