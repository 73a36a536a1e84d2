//! Servers: how one is found, reached, started, asked and pinned.

pub mod account;
pub mod advice;
mod bridge;
pub mod capacity;
mod config;
pub mod connect;
mod conninfo;
pub mod dataset;
mod extension;
pub mod finding;
mod folder;
mod host;
pub mod installation;
mod known;
mod parameter;
mod passfile;
pub mod placement;
pub mod pooler;
pub mod postmaster;
pub mod private;
mod prompt;
mod service;
mod session;
mod settings;
pub mod table;
mod target;
mod tls;
mod tree;

pub use bridge::Bridged;
pub use config::{Config, Host, Keepalive, Place, Wanted};
pub use connect::{ConnectArgs, KeepArgs, NamedArgs, PlaceArgs, PrivateArgs, is_setting_name};
pub use known::variables;
pub use session::{Param, Session};
pub use settings::non_default;
pub use target::Target;
pub use tls::mode_name;
