//! Tests on a real server; `make test` starts it.

mod check;
mod connect;
mod dataset;
mod init;
mod private;
mod support;
