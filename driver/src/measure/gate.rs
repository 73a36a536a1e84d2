//! Honesty gates: the lookup really is an index scan on the key, once a select.

use postgres_protocol::escape::escape_literal;
use serde_json::Value;

use crate::arm::Text;
use crate::error::{Error, Result};
use crate::wire::Queries;

use super::Measurement;
use super::plan::{Arm, Kind};

/// What a gate compares with.
pub struct Gate {
    /// As `regclass` reads it; a literal.
    index: String,
    /// Unqualified and unquoted, as EXPLAIN has it.
    index_name: String,
    key: String,
    select: String,
    /// The lookup with `$1` for its key; a literal.
    parameterized: String,
    /// Is it one index, whose scans can be counted, or a partitioned one?
    plain: bool,
    /// track_counts.
    counting: bool,
}

impl Gate {
    pub fn new(measurement: &Measurement<'_>) -> Result<Self> {
        let Measurement { target, dataset, lookup, .. } = measurement;
        let row = target.session()?.query_one(
            "SELECT relname::text, relkind = 'i', current_setting('track_counts') = 'on' \
             FROM pg_catalog.pg_class WHERE oid = $1::text::regclass",
            &[&dataset.index],
        )?;
        Ok(Self {
            index: escape_literal(&dataset.index),
            index_name: row.try_get(0)?,
            key: lookup.key.clone(),
            select: lookup.select(&lookup.min.to_string()),
            parameterized: escape_literal(&Text::new(lookup).parameterized),
            plain: row.try_get(1)?,
            counting: row.try_get(2)?,
        })
    }

    /// The plan that `connection` uses for the lookup, in words: an Index Scan on the key's index with the key as condition.
    ///
    /// # Errors
    /// When it is another, with what it is.
    pub fn plan(&self, arm: &Arm, connection: &mut dyn Queries) -> Result<String> {
        let statement = self.statement(arm, connection)?;
        // the statement itself where there is one, since its generic plan may be another
        let explained = match statement {
            Some(name) => format!("EXECUTE \"{name}\" ({})", self.sample()),
            None => self.select.clone(),
        };
        let json = connection.value(&format!("EXPLAIN (FORMAT JSON) {explained}"))?;
        let plan: Value = serde_json::from_str(&json)
            .map_err(|error| Error::failed(format!("cannot read the plan that EXPLAIN gives: {error}")))?;
        let node = single(&plan[0]["Plan"]);
        if self.fits(node) {
            return Ok(describe(node));
        }
        Err(Error::failed(format!(
            "the lookup's plan is {}, expected Index Scan on \"{}\" with condition on {}",
            describe(node),
            self.index_name,
            self.key
        ))
        .hint(
            "check that the primary key is there and valid, that the table was analysed (VACUUM ANALYZE), and that no \
               enable_… setting is off",
        ))
    }

    fn sample(&self) -> &str {
        // "… = <key>;" ends the select
        self.select.rsplit(" = ").next().unwrap_or_default().trim_end_matches(';')
    }

    fn fits(&self, node: &Value) -> bool {
        let condition = node["Index Cond"].as_str().unwrap_or_default();
        let on_key = condition.strip_prefix('(').and_then(|rest| rest.strip_prefix(self.key.as_str()));
        node["Node Type"] == "Index Scan"
            && on_key.is_some_and(|rest| rest.starts_with(" = ") && !rest.contains(" AND "))
            && node["Filter"].is_null()
            && (!self.plain || node["Index Name"] == self.index_name.as_str())
    }

    /// Scans of the index by this backend in this transaction; None where the server does not count them.
    pub fn scans(&self, connection: &mut dyn Queries) -> Result<Option<i64>> {
        if !self.plain || !self.counting {
            return Ok(None);
        }
        let sql = format!("SELECT pg_catalog.pg_stat_get_xact_numscans({}::regclass)", self.index);
        Ok(connection.value(&sql)?.parse().ok())
    }

    /// The scans between two readings, held against the selects in between.
    pub fn counted(&self, before: Option<i64>, after: Option<i64>, selects: i64) -> Result<Option<i64>> {
        let Some((before, after)) = before.zip(after) else { return Ok(None) };
        let scans = after - before;
        if scans == selects {
            return Ok(Some(scans));
        }
        Err(Error::failed(format!(
            "{selects} selects made {scans} scans of index \"{}\", expected {selects}",
            self.index_name
        ))
        .hint("the lookups did not use the index of the key, or something else ran in the same session"))
    }

    /// The prepared statement that `arm` executes, where it has one.
    fn statement(&self, arm: &Arm, connection: &mut dyn Queries) -> Result<Option<String>> {
        match arm.kind {
            Kind::Wire(wire) => Ok(wire.statement().map(str::to_owned)),
            // tokio-postgres names its statements itself
            Kind::Tokio => {
                let sql = "SELECT name FROM pg_catalog.pg_prepared_statements WHERE statement = ";
                let name = connection.value(&format!("{sql}{}", self.parameterized))?;
                Ok(Some(name).filter(|name| !name.is_empty()))
            }
            _ => Ok(None),
        }
    }

    /// How often the prepared statement of `arm` ran by its generic plan and by custom ones; None without a statement.
    pub fn plan_kinds(&self, arm: &Arm, connection: &mut dyn Queries) -> Result<Option<(i64, i64)>> {
        let Some(name) = self.statement(arm, connection)? else { return Ok(None) };
        let sql =
            format!("SELECT generic_plans, custom_plans FROM pg_catalog.pg_prepared_statements WHERE name = '{name}'");
        let row = connection.query(&sql)?.into_iter().next().unwrap_or_default();
        let count = |i: usize| row.get(i).cloned().flatten().and_then(|text| text.parse::<i64>().ok());
        Ok(count(0).zip(count(1)))
    }

    /// Why scans are not checked; None where they are.
    pub fn not_checked(&self) -> Option<&'static str> {
        match (self.plain, self.counting) {
            (true, true) => None,
            (_, false) => Some("index scans were not checked: track_counts is off"),
            (false, _) => Some("index scans were not checked: the index is partitioned"),
        }
    }
}

/// The node below an Append of one partition.
fn single(node: &Value) -> &Value {
    match node["Plans"].as_array().map(Vec::as_slice) {
        Some([only]) if node["Node Type"] == "Append" => single(only),
        _ => node,
    }
}

/// `Seq Scan on "pgbench_accounts"`, or a Gather's scan within it.
fn describe(node: &Value) -> String {
    let text = |field: &str| node[field].as_str();
    let mut shown = text("Node Type").unwrap_or("unknown").to_owned();
    if node["Parallel Aware"] == true {
        shown.insert_str(0, "Parallel ");
    }
    if let Some(on) = text("Index Name").or(text("Relation Name")) {
        shown.push_str(&format!(" on \"{on}\""));
    }
    if let Some(condition) = text("Index Cond").or(text("Filter")) {
        shown.push_str(&format!(" with {condition}"));
    }
    if let Some(below) = node["Plans"].as_array().and_then(|plans| plans.first()) {
        shown.push_str(&format!(" over {}", describe(below)));
    }
    shown
}
