//! Tests on a real server; `make test` starts it.

mod arm;
mod check;
mod compare;
mod connect;
mod count;
mod dataset;
mod extension;
mod fault;
mod init;
mod interrupt;
mod ladder;
mod measure;
mod message;
mod page;
mod placement;
mod pooler;
mod private;
mod profile;
mod record;
mod results;
mod results_kept;
mod results_suite;
mod run;
#[path = "../schema.rs"]
mod schema;
mod service;
mod standby;
mod suite;
mod support;
mod tls;
mod wire;
