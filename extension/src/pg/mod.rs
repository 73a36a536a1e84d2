//! The only files with `unsafe`: guards around what the server lends out, and the timed loop that works inside one
//! error guard.
//!
//! A PostgreSQL ERROR reaches Rust as an unwinding panic. Guards therefore release what they hold on drop unless the
//! thread is panicking: the transaction's own clean-up (resource owners, memory contexts, GUC nest levels) does it then,
//! and a call into the server from a drop would raise a second error.

pub mod access;
pub mod catalog;
pub mod draw;
pub mod encoding;
pub mod executor;
pub mod guc;
pub mod index;
pub mod index_scan;
pub mod int;
pub mod memory;
pub mod plan;
pub mod raw;
pub mod receiver;
pub mod relation;
pub mod slot;
pub mod snapshot;
pub mod spi;
pub mod spi_text;
pub mod stopwatch;
pub mod tid;
pub mod timed_loop;
pub mod version;
pub mod warm;

/// Is it safe to call the server from a drop?
fn may_release() -> bool {
    !std::thread::panicking()
}
