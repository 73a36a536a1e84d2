//! Servers: how one is found, reached, started, asked and pinned.

mod session;
mod target;

pub use session::Session;
pub use target::{ConnectArgs, Target};
