//! Servers: how one is found, reached, started, asked and pinned.

pub mod account;
pub mod capacity;
mod connect;
mod conninfo;
pub mod dataset;
mod extension;
pub mod finding;
mod folder;
pub mod installation;
mod known;
mod parameter;
mod passfile;
pub mod placement;
pub mod pooler;
pub mod private;
mod session;
mod settings;
pub mod table;
mod target;
mod tree;

pub use connect::{ConnectArgs, NamedArgs, Place, PrivateArgs};
pub use session::{Cancel, Param, Session, refusal};
pub use target::Target;
