//! Arms: the ways of doing selects, and how they are named.
//!
//! A wire arm is one file here and one line in [`WIRE_ARMS`]. Layers have no list on this side: the extension's
//! `select_loop_layers()` is the list.

mod call_commit;
mod decimal;
mod extended;
mod keys;
mod layer;
mod pipeline;
mod plpgsql;
mod plpgsql_execute;
mod plpgsql_loop;
mod prepared;
mod prepared_transaction;
mod rung;
mod select_one;
mod simple;
mod spec;
mod sync;
mod tally;
mod wire;

pub mod pgbench;
pub mod tokio;

pub use keys::{Keys, Seeds};
pub use layer::{Layer, LayerScript, layers};
pub use plpgsql_loop::{Loop, LoopScript};
pub use rung::ladder;
pub use spec::{ArmSpec, Placement};
pub use tally::{Counting, Tally};
pub use wire::WireScript;

use crate::error::Result;

/// The wire arms, in the order of help, hints and the ladder, controls last: one line each.
pub const WIRE_ARMS: &[&dyn WireArm] = &[
    &extended::Extended,
    &simple::Simple,
    &prepared::Prepared,
    &prepared_transaction::PreparedTransaction,
    &pipeline::Pipeline,
    &select_one::SelectOne,
    &sync::Sync,
];

/// The PL/pgSQL loops that this side can send as DO blocks, in the ladder's order: one line each.
pub const LOOPS: &[&Loop] = &[&plpgsql_execute::PLPGSQL_EXECUTE, &call_commit::CALL_COMMIT, &plpgsql::PLPGSQL];

/// The lookup that every arm does, as the data set defines it.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// Relation, key and value as SQL, quoted where they need it: `perf."Odd Name"`, `aid`, `abalance`.
    pub relation: String,
    pub key: String,
    pub value: String,
    /// Name of the key's type as SQL: `integer`, `bigint`, `smallint`.
    pub key_type: String,
    /// The same of the value's type.
    pub value_type: String,
    /// Keys run from `min` to `min + rows - 1`.
    pub min: i64,
    pub rows: i64,
}

impl Lookup {
    /// Is the value computed from the key, so that a plan could leave the table out? Then index-only scans are turned off
    /// for the lookup, in layers as on the wire: they would do less than every other arm.
    pub fn covered_by_key(&self) -> bool {
        self.value.contains(&self.key)
    }

    /// `SELECT abalance FROM pgbench_accounts WHERE aid = <key>;`, as pgbench writes it.
    pub fn select(&self, key: &str) -> String {
        format!("SELECT {} FROM {} WHERE {} = {};", self.value, self.relation, self.key, key)
    }
}

/// The texts of a lookup's statements, made once.
#[derive(Clone, Debug)]
pub struct Text {
    /// Up to the key: `SELECT abalance FROM pgbench_accounts WHERE aid = `.
    pub before_key: String,
    /// With `$1` for the key, as pgbench sends it.
    pub parameterized: String,
}

impl Text {
    pub fn new(lookup: &Lookup) -> Self {
        let Lookup { relation, key, value, .. } = lookup;
        let before_key = format!("SELECT {value} FROM {relation} WHERE {key} = ");
        Self { before_key, parameterized: lookup.select("$1") }
    }
}

/// A way of doing one select over a connection; the messages are exactly libpq's.
pub trait WireArm: Sync {
    /// As on the command line and in records.
    fn name(&self) -> &'static str;
    /// One line for --help and the hint on unknown arms.
    fn about(&self) -> &'static str;
    /// Controls do no lookup: no found, no checksum, not part of the agreement check.
    fn control(&self) -> bool {
        false
    }
    /// The prepared statement that it executes, where it has one.
    fn statement(&self) -> Option<&'static str> {
        None
    }
    /// How many selects are under way at a time.
    fn in_flight(&self) -> usize {
        1
    }
    /// Does a block run inside one transaction, begun and committed outside the timed stretch?
    fn in_transaction(&self) -> bool {
        false
    }
    /// What is sent once on a fresh connection and answered before any select, Sync included; empty for nothing.
    fn setup(&self, _text: &Text, _out: &mut bytes::BytesMut) -> Result<()> {
        Ok(())
    }
    /// Appends the messages of one select to `out`, up to what makes the server answer with ReadyForQuery.
    fn request(&self, text: &Text, key: i64, out: &mut bytes::BytesMut) -> Result<()>;
}
