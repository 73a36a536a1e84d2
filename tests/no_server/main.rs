//! Tests that need no server: the pure parts of the driver and what the command line refuses.

mod schedule;
mod stats;
