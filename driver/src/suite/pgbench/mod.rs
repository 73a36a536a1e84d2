//! Scripts run by the real pgbench: its command line, what it prints, its log of transactions.

mod command;
mod log;
mod output;

pub use command::{Done, Request, run};
