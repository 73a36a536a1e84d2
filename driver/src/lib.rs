//! `sps`: selects per second, over the wire and in the server. The binary is a thin shell over this library, so that
//! tests reach the pure parts (statistics, schedule, records) directly.

pub mod arm;
pub mod cli;
pub mod cmd;
pub mod count;
pub mod error;
pub mod interrupt;
pub mod measure;
pub mod profile;
pub mod record;
pub mod report;
pub mod results;
pub mod schedule;
pub mod server;
pub mod stats;
pub mod suite;
pub mod watch;
pub mod wire;
