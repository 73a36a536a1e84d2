//! PL/pgSQL loops as DO blocks: the 2012 patch's on any server, standbys too.
//!
//! A call is three requests: set_config() for its arguments, the DO block, current_setting() for its results. The
//! block's own clock is the rate's; the other two requests lie outside it.

use bytes::BytesMut;
use postgres_protocol::escape::escape_literal;
use postgres_protocol::message::frontend;
use select_loop_keys::fill;

use super::{Counting, Lookup, Seeds, Tally};
use crate::error::{Error, Result};
use crate::wire::{Row, Rows, Script, integer};

/// One of them: what it does in the place of the lookup.
#[derive(Debug)]
pub struct Loop {
    /// As on the command line and in records; where the extension has a layer of this name, that is used.
    pub name: &'static str,
    /// The template's part "lookup".
    pub lookup: &'static str,
    /// Does it commit in mid-loop? Then it cannot run inside a transaction.
    pub commits: bool,
}

const TEMPLATE: &str = include_str!("../../../sql/loop.sql");

const RESULTS: &str = "SELECT current_setting('sps.found'), current_setting('sps.checksum'), \
                       current_setting('sps.elapsed_us')";

enum Step {
    Arguments,
    Loop,
    Results,
}

pub struct LoopScript {
    /// The part of the arguments that is the same in every call; the seed comes after it.
    arguments: String,
    block: String,
    selects: i64,
    seeds: Seeds,
    call: u64,
    next: Step,
    total: Option<Tally>,
}

impl LoopScript {
    /// `selects` a call, keys as `seeds` has them, uniform.
    pub fn new(which: &Loop, selects: i64, lookup: &Lookup, seeds: Seeds) -> Self {
        let arguments = format!(
            "SELECT set_config('sps.selects', '{selects}', false), set_config('sps.min', '{}', false), \
             set_config('sps.rows', '{}', false), set_config('sps.seed', '",
            lookup.min, lookup.rows
        );
        Self {
            arguments,
            block: block(which.lookup, lookup),
            selects,
            seeds,
            call: 0,
            next: Step::Arguments,
            total: None,
        }
    }
}

/// The template with its names filled in, as the extension's layer fills it in.
fn block(template: &str, lookup: &Lookup) -> String {
    let names = [
        ("relation", lookup.relation.as_str()),
        ("key", &lookup.key),
        ("key_type", &lookup.key_type),
        ("value", &lookup.value),
        ("value_type", &lookup.value_type),
    ];
    let text = escape_literal(lookup.select("$1").trim_end_matches(';'));
    let select = fill(template, &[&names[..], &[("text", text.as_str())]].concat());
    let inner = [
        ("draw", "first + (pg_catalog.hashint8extended(i, seed) & 9223372036854775807) % rows"),
        ("lookup", select.trim_end()),
        // the results are asked for by a statement, and so a transaction, of its own
        ("local", "false"),
    ];
    format!("DO {}", escape_literal(&fill(TEMPLATE, &[&names[..], &inner].concat())))
}

impl Rows for LoopScript {
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        if !matches!(self.next, Step::Results) {
            return Ok(());
        }
        let mut columns = row.columns().map(|column| integer(column.unwrap_or_default()));
        let mut next = || columns.next().unwrap_or_else(|| Err(Error::failed("the loop did not say what it did")));
        let (found, checksum, elapsed_us) = (next()?, next()?, next()?);
        let call = Tally {
            selects: self.selects,
            found: Some(found),
            checksum: Some(checksum),
            calls: Some(1),
            server_ns: Some(elapsed_us.saturating_mul(1000)),
        };
        self.total = Some(self.total.map_or(call, |total| total.plus(call)));
        Ok(())
    }
}

impl Script for LoopScript {
    fn request(&mut self, out: &mut BytesMut) -> Result<()> {
        match self.next {
            Step::Arguments => {
                let sql = format!("{}{}', false)", self.arguments, self.seeds.of_call(self.call));
                self.call += 1;
                frontend::query(&sql, out)?;
            }
            Step::Loop => frontend::query(&self.block, out)?,
            Step::Results => frontend::query(RESULTS, out)?,
        }
        Ok(())
    }

    fn answered(&mut self) -> Result<bool> {
        let (next, complete) = match self.next {
            Step::Arguments => (Step::Loop, false),
            Step::Loop => (Step::Results, false),
            Step::Results => (Step::Arguments, true),
        };
        self.next = next;
        Ok(complete)
    }
}

impl Counting for LoopScript {
    fn tally(&self) -> Tally {
        self.total.unwrap_or_default()
    }
}
