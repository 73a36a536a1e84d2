//! How to connect to a server: what libpq's parameters come to.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use tokio_postgres::config::ChannelBinding;

use super::prompt::Prompt;
use crate::error::{Error, Result};
use crate::wire::tls::{Mode, Tls};

/// Holds passwords: it has no Debug, and is never printed.
#[derive(Clone)]
pub struct Config {
    /// Tried in this order.
    pub hosts: Vec<Host>,
    /// Tried in random order instead: load_balance_hosts.
    pub shuffled: bool,
    pub wanted: Wanted,
    pub user: String,
    pub dbname: String,
    pub application_name: String,
    /// Command-line options for the backend.
    pub options: Option<String>,
    pub tls: Tls,
    pub channel_binding: ChannelBinding,
    /// For each address; None: for ever.
    pub connect_timeout: Option<Duration>,
    /// None: off.
    pub keepalive: Option<Keepalive>,
    /// tcp_user_timeout.
    pub user_timeout: Option<Duration>,
    pub prompt: Prompt,
    /// The parameters as they were given, by name, but passwords: for programs that use libpq.
    pub parameters: Vec<(String, String)>,
}

/// One server.
#[derive(Clone)]
pub struct Host {
    pub place: Place,
    pub port: u16,
    /// Given, or of the password file.
    pub password: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Place {
    /// A socket's directory; with an @ before it in the abstract namespace.
    Unix(String),
    /// `name` may be empty where there is an address.
    Tcp { name: String, address: Option<IpAddr> },
}

/// target_session_attrs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

/// How TCP notices that nobody is there any more; None: the system's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keepalive {
    /// Seconds.
    pub idle: Option<u32>,
    /// Seconds.
    pub interval: Option<u32>,
    pub count: Option<u32>,
}

impl Config {
    /// A server on this machine, by the directory of its socket; no password.
    pub fn local(directory: impl Into<String>, port: u16, user: &str, dbname: &str) -> Self {
        Self {
            hosts: vec![Host { place: Place::Unix(directory.into()), port, password: None }],
            shuffled: false,
            wanted: Wanted::Any,
            user: user.to_owned(),
            dbname: dbname.to_owned(),
            application_name: "sps".to_owned(),
            options: None,
            tls: Tls::new(Mode::Disable),
            channel_binding: ChannelBinding::Prefer,
            connect_timeout: None,
            keepalive: Some(Keepalive::default()),
            user_timeout: None,
            prompt: Prompt::never(),
            parameters: Vec::new(),
        }
    }

    /// The password for `host`: its own, else what was typed.
    pub fn password<'a>(&'a self, host: &'a Host) -> Option<&'a str> {
        self.prompt.answer().or(host.password.as_deref())
    }

    /// Leads to `host` alone from here on, with TLS as it is there: a run measures one server in one way, whatever would
    /// answer first next time.
    pub fn settle(&mut self, host: Host, secure: bool) {
        self.hosts = vec![host];
        self.shuffled = false;
        if self.wanted == Wanted::PreferStandby {
            self.wanted = Wanted::Any;
        }
        self.tls.mode = match secure {
            true => self.tls.mode.max(Mode::Require),
            false => Mode::Disable,
        };
    }
}

impl Host {
    pub fn settle(&mut self, found: IpAddr) {
        if let Place::Tcp { address, .. } = &mut self.place {
            *address = Some(found);
        }
    }

    /// The name that its certificate has to have.
    ///
    /// # Errors
    /// Where one is to be looked for and there is none.
    pub fn tls_name(&self, mode: Mode) -> Result<String> {
        match &self.place {
            Place::Tcp { name, address: Some(address) } if name.is_empty() => match mode {
                Mode::VerifyFull => Err(Error::failed("host name must be specified for a verified SSL connection")
                    .hint("give host beside hostaddr, or use sslmode=verify-ca")),
                _ => Ok(address.to_string()),
            },
            Place::Tcp { name, .. } => Ok(name.clone()),
            Place::Unix(_) => Ok("localhost".to_owned()),
        }
    }
}

/// `socket "/tmp/.s.PGSQL.5432"`, or `"db.example", port 5432`.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = self.port;
        match &self.place {
            Place::Unix(directory) => write!(f, "socket \"{directory}/.s.PGSQL.{port}\""),
            Place::Tcp { name, address } => match address {
                Some(address) if name.is_empty() => write!(f, "\"{address}\", port {port}"),
                _ => write!(f, "\"{name}\", port {port}"),
            },
        }
    }
}
