//! Tests that need no server: the pure parts of the driver and what the command line refuses.

mod chart;
mod compare;
mod count;
mod coverage;
mod dry_run;
mod expectation;
mod fixture;
mod ladder;
mod latency;
mod page;
mod record;
mod record_schema;
mod report;
mod report_command;
mod schedule;
#[path = "../schema.rs"]
mod schema;
mod set_report;
mod splice;
mod stats;
mod suite;
mod terminal;
