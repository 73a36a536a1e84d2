//! The server that a command works on.

use crate::error::{Error, Result};
use crate::record::ServerInfo;
use crate::server::connect::{ConnectArgs, NamedArgs, Place};
use crate::server::postmaster::Wrapper;
use crate::server::private::{self, PrivateServer};
use crate::server::{Config, Session, extension, pooler, settings};

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
    // stopped when dropped
    private: Option<PrivateServer>,
}

impl Target {
    /// Connects to the server that `args` and the environment name, or starts a private one with tables of `scale`.
    /// To be called from the main thread: a private server dies with the thread that starts it.
    pub fn open(args: &ConnectArgs, scale: i64) -> Result<Self> {
        Self::at(args.place()?, scale, true)
    }

    /// The same at a place that is known already; a private server gets room for tables of `scale`, and those where `filled`.
    pub fn at(place: Place, scale: i64, filled: bool) -> Result<Self> {
        match place {
            Place::Named(config) => Self::reach(*config, None),
            Place::Private(options) => {
                let server = PrivateServer::start(&options, scale)?;
                if filled {
                    server.fill(scale)?;
                }
                Self::reach(server.config(), Some(server))
            }
        }
    }

    /// Starts a private server with tables of `scale`.
    pub fn start(options: private::Options, scale: i64) -> Result<Self> {
        Self::at(Place::Private(options), scale, true)
    }

    /// Connects to the server that `args` and the environment name; never starts one.
    pub fn named(args: &NamedArgs) -> Result<Self> {
        let config = args.config()?.ok_or_else(|| {
            Error::usage("no server is named").hint("give -h, -p or -d, a URI, or PGHOST, PGPORT or PGDATABASE")
        })?;
        Self::reach(config, None)
    }

    pub fn session(&self) -> Result<Session> {
        Session::connect(&self.config)
    }

    /// The private server, where this is one.
    pub fn private(&self) -> Option<&PrivateServer> {
        self.private.as_ref()
    }

    /// Starts the private server anew, under `wrapper`: its connections are gone, its data stay.
    ///
    /// # Errors
    /// There is no private server, or it does not come up.
    pub fn restart_under(&mut self, wrapper: &Wrapper) -> Result<()> {
        let server = self.private.as_mut().ok_or_else(|| Error::failed("only a private server can be started anew"))?;
        server.restart_under(wrapper)?;
        self.postmaster = Some(server.pid());
        Ok(())
    }

    fn reach(config: Config, private: Option<PrivateServer>) -> Result<Self> {
        let session = Session::connect(&config)?;
        let config = session.settled();
        let (mut info, extension_schema) = settings::describe(&session)?;
        if let Some(schema) = &extension_schema {
            extension::probe(&session, schema)?;
        }
        let mut postmaster = settings::local_postmaster(&session)?;
        if private.is_none() && pooler::between(&config, &session)? {
            info.transport.push_str("+pooler");
            // its backends are not forked when we connect, so where they run is not ours to say
            postmaster = None;
        }
        if let Some(server) = &private {
            info.private = true;
            postmaster = Some(server.pid());
        }
        let may_pin = postmaster.is_some_and(settings::may_signal);
        Ok(Self { config, info, extension_schema, postmaster, may_pin, private })
    }
}
