//! `call_commit`: the PL/pgSQL loop committing after each select: what a transaction costs without IPC. Impossible in the
//! 2012 patch, possible since procedures (PostgreSQL 11).
//!
//! A block may commit only where it is a client's own statement, alone in its Query message and outside a transaction; so
//! it is no layer of the extension, and takes no part in the agreement check, whose selects share a transaction's
//! snapshot.

use super::Loop;

pub const CALL_COMMIT: Loop =
    Loop { name: "call_commit", lookup: include_str!("../../../sql/loop_commit.sql"), commits: true };
