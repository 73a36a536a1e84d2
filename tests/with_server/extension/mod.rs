//! The extension through SQL, on whatever server the tests have: every layer that `select_loop_layers()` lists, those
//! to come included.

mod agreement;
mod caller;
mod calls;
mod check;
mod concurrent;
mod connection;
mod error;
mod install;
mod interrupt;
mod key;
mod layer;
mod memory;
mod plan;
mod privilege;
mod relation;
mod setup;
mod snapshot;
mod standby;
mod trust;

use crate::support::{Database, has_extension, skip};

/// A database with pgbench's tables at scale 1; None, the skip counted, where the server has no extension.
pub fn filled() -> Option<Database> {
    needs_extension().then(Database::filled)
}

/// The same without tables.
pub fn empty() -> Option<Database> {
    needs_extension().then(Database::empty)
}

fn needs_extension() -> bool {
    let there = has_extension();
    if !there {
        skip("the server has no extension select_loop");
    }
    there
}
