//! A layer: one call of the extension's `select_loop()` is one request, its clock is the server's.

use bytes::BytesMut;
use postgres_protocol::escape::escape_literal;
use postgres_protocol::message::frontend;

use super::{Counting, Lookup, Seeds, Tally};
use crate::error::{Error, Result};
use crate::server::Session;
use crate::wire::{Row, Rows, Script};

/// A layer as `select_loop_layers()` describes it.
#[derive(Clone, Debug)]
pub struct Layer {
    pub name: String,
    pub control: bool,
    pub about: String,
}

/// What the extension in `schema` (a quoted name) can do.
pub fn layers(session: &Session, schema: &str) -> Result<Vec<Layer>> {
    let rows = session.query(&format!("SELECT name, kind, about FROM {schema}.select_loop_layers()"), &[])?;
    let layer = |row: &tokio_postgres::Row| -> Result<Layer> {
        let kind: String = row.try_get(1)?;
        Ok(Layer { name: row.try_get(0)?, control: kind == "control", about: row.try_get(2)? })
    };
    rows.iter().map(layer).collect()
}

/// Calls of one layer with the seeds of one client.
pub struct LayerScript {
    before_seed: String,
    after_seed: String,
    seeds: Seeds,
    call: u64,
    total: Option<Tally>,
}

impl LayerScript {
    /// `schema` and `lookup.relation` are quoted SQL names; `skew` None is the distribution's default.
    pub fn new(
        schema: &str,
        layer: &str,
        selects: i64,
        lookup: &Lookup,
        seeds: Seeds,
        distribution: &str,
        skew: Option<f64>,
    ) -> Self {
        let [layer, relation, distribution] = [layer, &lookup.relation, distribution].map(escape_literal);
        let skew = skew.map_or("NULL".into(), |skew| format!("{skew:e}"));
        Self {
            before_seed: format!(
                "SELECT selects, found, checksum, elapsed_ns \
                 FROM {schema}.select_loop({layer}, {selects}, {relation}::regclass, '"
            ),
            after_seed: format!("'::bigint, {distribution}, {skew})"),
            seeds,
            call: 0,
            total: None,
        }
    }
}

impl Rows for LayerScript {
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        let mut columns = row.columns();
        let mut next = || columns.next().flatten().map(crate::wire::integer).transpose();
        let (selects, found, checksum, elapsed) = (next()?, next()?, next()?, next()?);
        let (Some(selects), Some(elapsed)) = (selects, elapsed) else {
            return Err(Error::failed("select_loop() did not say how many selects it did in what time")
                .hint("the extension in this database is of another version: ALTER EXTENSION select_loop UPDATE"));
        };
        let call = Tally { selects, found, checksum, calls: Some(1), server_ns: Some(elapsed) };
        self.total = Some(self.total.map_or(call, |total| total.plus(call)));
        Ok(())
    }
}

impl Script for LayerScript {
    fn request(&mut self, out: &mut BytesMut) -> Result<()> {
        let sql = format!("{}{}{}", self.before_seed, self.seeds.of_call(self.call), self.after_seed);
        frontend::query(&sql, out)?;
        self.call += 1;
        Ok(())
    }

    fn answered(&mut self) -> Result<bool> {
        Ok(true)
    }
}

impl Counting for LayerScript {
    fn tally(&self) -> Tally {
        self.total.unwrap_or_default()
    }
}
