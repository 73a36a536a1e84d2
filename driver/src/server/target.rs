//! The server that a command works on.

use tokio_postgres::Config;

use crate::error::{Error, Result};
use crate::record::ServerInfo;
use crate::server::Session;

/// Where to connect, as psql names it, and how to start a private server.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectArgs {}

/// A server that was found or started, and what is known of it. Dropping it stops a private server.
pub struct Target {
    /// How to connect, password included: never print it.
    pub config: Config,
    pub info: ServerInfo,
    /// Where the extension's functions are: a quoted schema name; None without the extension.
    pub extension_schema: Option<String>,
    /// Process id of a local server's postmaster, where it can be found out.
    pub postmaster: Option<i32>,
    /// May this process set the affinity of the server's processes?
    pub may_pin: bool,
}

impl Target {
    /// Connects to the server that `args` and the environment name, or starts a private one with tables of `scale`.
    pub fn open(_args: &ConnectArgs, _scale: i64) -> Result<Self> {
        Err(Error::failed("not built yet"))
    }

    pub fn session(&self) -> Result<Session> {
        Session::connect(&self.config)
    }
}
