//! Subcommands, one file each, of the same name.

pub mod check;
pub mod compare;
pub mod completions;
pub mod count;
mod foreign;
pub mod init;
pub mod ladder;
pub mod man;
pub mod profile;
pub mod report;
pub mod results;
pub mod run;
pub mod server;
pub mod suite;

mod destination;
mod dry_run;
mod layout;
mod pair;
mod subject;
