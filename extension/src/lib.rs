//! select_loop: the same select, looped inside the server at every depth.
//!
//! - `api`: the functions that SQL sees; the install script is sql/select_loop--0.1.0.sql
//! - `table`, `job`: the table, checked: key, value, index, privileges; what is to be looked up in it
//! - `layer`: one file a layer
//! - `ladder`, `setup`, `check`: all layers compared; pgbench's tables; what would distort a measurement
//! - `pg`: everything that touches the server unsafely: one guard type a file, and the timed loop
#![deny(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

mod api;
mod check;
mod error;
mod job;
mod ladder;
mod layer;
mod outcome;
#[allow(unsafe_code)]
mod pg;
mod setup;
mod table;

pgrx::pg_module_magic!(name, version);
