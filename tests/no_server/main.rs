//! Tests that need no server: the pure parts of the driver and what the command line refuses.

mod fixture;
mod record;
mod schedule;
mod stats;
