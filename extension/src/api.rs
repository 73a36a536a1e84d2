//! The functions that SQL sees. Their declarations, with defaults and privileges, are in sql/select_loop--0.1.0.sql.
// ErrorReport's size is pgrx's affair, and it is made once an error
#![allow(clippy::result_large_err)]

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use select_loop_keys::{Distribution, DistributionError, KeySequence};

use crate::check;
use crate::error::{Error, Result};
use crate::job::Request;
use crate::ladder;
use crate::layer::{self, Call, LAYERS};
use crate::outcome::Outcome;
use crate::pg::{catalog, warm};
use crate::setup;
use crate::table::Table;

type Answer<T> = std::result::Result<T, ErrorReport>;

/// One call of a layer; one row.
#[pg_extern]
#[allow(clippy::type_complexity)]
fn select_loop(
    layer: Option<&str>,
    selects: Option<i64>,
    relation: Option<pg_sys::Oid>,
    seed: Option<i64>,
    distribution: Option<&str>,
    skew: Option<f64>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Answer<
    TableIterator<
        'static,
        (
            name!(layer, String),
            name!(selects, i64),
            name!(found, Option<i64>),
            name!(checksum, Option<i64>),
            name!(elapsed_ns, i64),
            name!(selects_per_second, Option<f64>),
            name!(user_ns, i64),
            name!(system_ns, i64),
            name!(shared_hit, i64),
            name!(shared_read, i64),
            name!(instructions, Option<i64>),
        ),
    >,
> {
    let layer = layer::by_name(required(layer, "layer")?)?;
    let request = Request {
        selects: required(selects, "selects")?,
        relation,
        seed: required(seed, "seed")?,
        distribution: distribution_of(distribution, skew)?,
    };
    if request.selects < 0 {
        return Err(Error::invalid(format!("selects must not be negative, as {} is", request.selects)).into());
    }
    let Outcome { found, checksum, reading } = call_layer(layer, &request, fcinfo)?;
    let rate = (reading.elapsed_ns > 0).then(|| request.selects as f64 * 1e9 / reading.elapsed_ns as f64);
    Ok(TableIterator::once((
        layer.name().to_owned(),
        request.selects,
        found,
        checksum,
        reading.elapsed_ns,
        rate,
        reading.user_ns,
        reading.system_ns,
        reading.shared_hit,
        reading.shared_read,
        reading.instructions,
    )))
}

fn call_layer(layer: &dyn layer::Layer, request: &Request, fcinfo: pg_sys::FunctionCallInfo) -> Result<Outcome> {
    let (call, job) = Call::begin(catalog::called_function(fcinfo), request, layer.kind())?;
    layer.run(&call, &job)
}

/// The layers, from the top of the server downwards.
#[pg_extern]
fn select_loop_layers() -> TableIterator<'static, (name!(name, String), name!(kind, String), name!(about, String))> {
    let row = |layer: &&dyn layer::Layer| (layer.name().into(), layer.kind().name().into(), layer.about().into());
    TableIterator::new(LAYERS.iter().map(row))
}

/// Every layer, interleaved, and the step from each to the next.
#[pg_extern]
#[allow(clippy::type_complexity)]
fn select_loop_ladder(
    selects: Option<i64>,
    rounds: Option<i32>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Answer<TableIterator<'static, (name!(layer, String), name!(ns_per_select, f64), name!(delta_ns, Option<f64>))>> {
    let (selects, rounds) = (required(selects, "selects")?, required(rounds, "rounds")?);
    if selects < 1 || rounds < 1 {
        return Err(Error::invalid("selects and rounds must be at least 1").into());
    }
    let rungs = ladder::run(selects, rounds, catalog::called_function(fcinfo))?;
    Ok(TableIterator::new(rungs.into_iter().map(|rung| (rung.layer.to_owned(), rung.ns_per_select, rung.delta_ns))))
}

/// pgbench's tables, made and filled.
#[pg_extern]
#[allow(clippy::type_complexity)]
fn select_loop_setup(
    scale: Option<i32>,
    fillfactor: Option<i32>,
    unlogged: Option<bool>,
    fill: Option<&str>,
    replace: Option<bool>,
) -> Answer<TableIterator<'static, (name!(scale, i32), name!(rows, i64), name!(bytes, i64), name!(elapsed_ns, i64))>> {
    let plan = setup::Plan {
        scale: required(scale, "scale")?,
        fillfactor: required(fillfactor, "fillfactor")?,
        unlogged: required(unlogged, "unlogged")?,
        fill: setup::Fill::by_name(required(fill, "fill")?)?,
        replace: required(replace, "replace")?,
    };
    let made = setup::run(&plan)?;
    Ok(TableIterator::once((plan.scale, made.rows, made.bytes, made.elapsed_ns)))
}

/// What would distort a measurement here.
#[pg_extern]
#[allow(clippy::type_complexity)]
fn select_loop_check(
    relation: Option<pg_sys::Oid>,
    fcinfo: pg_sys::FunctionCallInfo,
) -> Answer<
    TableIterator<'static, (name!(item, String), name!(value, String), name!(ok, bool), name!(hint, Option<String>))>,
> {
    let findings = check::run(relation, catalog::called_function(fcinfo))?;
    Ok(TableIterator::new(findings.into_iter().map(|found| (found.item, found.value, found.ok, found.hint))))
}

/// Table and index read into shared buffers; returns their pages.
#[pg_extern]
fn select_loop_warm(relation: Option<pg_sys::Oid>) -> Answer<i64> {
    Ok(warm_table(relation)?)
}

fn warm_table(relation: Option<pg_sys::Oid>) -> Result<i64> {
    let table = Table::open(relation)?;
    let index = table.below_sql()?;
    Ok(warm::read_into_buffers(&table.relation) + warm::read_into_buffers(&index))
}

/// Key `i` of a sequence, 1 to rows.
#[pg_extern]
fn select_loop_key(
    seed: Option<i64>,
    i: Option<i64>,
    rows: Option<i64>,
    distribution: Option<&str>,
    skew: Option<f64>,
) -> Answer<i64> {
    let rows = required(rows, "rows")?;
    if rows < 1 {
        return Err(Error::invalid(format!("rows must be at least 1, not {rows}")).into());
    }
    let sequence = KeySequence::new(required(seed, "seed")?, rows, distribution_of(distribution, skew)?);
    Ok(sequence.key(required(i, "i")?))
}

fn required<T>(argument: Option<T>, name: &str) -> Result<T> {
    argument.ok_or_else(|| Error::null(name))
}

fn distribution_of(name: Option<&str>, skew: Option<f64>) -> Result<Distribution> {
    let name = required(name, "distribution")?;
    Distribution::new(name, skew)
        .map_err(|error: DistributionError| Error::invalid(error.to_string()).hint(error.hint()))
}
