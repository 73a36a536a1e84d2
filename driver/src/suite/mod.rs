//! Suites: scales × clients × workloads × rates × repeats from a definition, each run on a settled database, everything
//! about it kept in a results database. What pgbench-tools does, for arms and for scripts of pgbench.

pub mod announce;
mod capture;
mod choose;
mod definition;
mod execute;
mod ground;
mod hook;
mod mistake;
mod pgbench;
pub mod plan;
mod sample;
mod workload;
mod written;

pub use announce::Disk;
pub use definition::{Before, Definition, Length, Metric, Rebuild};
pub use execute::{Suite, Tell, key};
pub use ground::{Ground, Leave};
pub use workload::{BUILTIN, Kind, SHIPPED, Script, Source, Workload};
