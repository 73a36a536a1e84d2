//! To a server, as libpq finds its way: hosts in order, addresses of each, with TLS and without, until one has us that is
//! of the wanted kind.
//!
//! Counterpart: PQconnectPoll in src/interfaces/libpq/fe-connect.c. How a session starts on an open socket is the
//! caller's: timed connections and those of tokio-postgres come this way alike.

use std::io;
use std::time::Instant;

use rand::seq::SliceRandom;
use tokio_postgres::config::ChannelBinding;
use tokio_postgres::error::SqlState;

use super::address::Address;
use super::route::{Negotiation, Route, Secure, negotiate};
use super::socket::Plain;
use super::tls;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::server::{Config, Host, Wanted, advice};

/// An open socket, and what is to be done on it.
pub struct Opened {
    pub plain: Plain,
    /// TLS comes first: the server expects it.
    pub secure: Option<Secure>,
    /// By when the session has to have started.
    pub deadline: Option<Instant>,
}

/// Starts a session on an open socket.
pub trait Start {
    type Session;
    fn start(&self, opened: Opened, route: &Route) -> std::result::Result<Self::Session, Refused>;
    /// First column of a query's first row.
    fn value(&self, session: &mut Self::Session, sql: &str) -> Result<String>;
}

/// Why a session did not start.
pub struct Refused {
    pub error: Error,
    /// The server wants a password, and there is none.
    pub wants_password: bool,
    /// Try the next address: this server is not up, or did not answer in time.
    elsewhere: bool,
    /// It was without TLS that we were refused.
    plain: bool,
}

impl Refused {
    /// By tokio-postgres or the server.
    pub fn by(error: tokio_postgres::Error, config: &Config) -> Self {
        let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref::<io::Error>());
        let late = cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut);
        let elsewhere = late || error.code() == Some(&SqlState::CANNOT_CONNECT_NOW);
        let wants_password = advice::is_password_missing(&error);
        let error = if late { timeout() } else { advice::refused(config, error) };
        Self { wants_password, elsewhere, ..error.into() }
    }

    pub fn late() -> Self {
        Self::elsewhere(timeout())
    }

    fn elsewhere(error: Error) -> Self {
        Self { elsewhere: true, ..error.into() }
    }
}

/// Of an address that it is no use to try again.
impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, wants_password: false, elsewhere: false, plain: false }
    }
}

fn timeout() -> Error {
    Error::failed("timeout expired")
        .sqlstate("08001")
        .hint("connect_timeout says how long to wait; is a firewall in between?")
}

/// Connects.
///
/// # Errors
/// What each host said, when none will have us.
pub fn reach<S: Start>(start: &S, config: &Config) -> Result<(S::Session, Route)> {
    let mut complaints: Vec<(String, Error)> = Vec::new();
    let passes: &[Wanted] = match config.wanted {
        Wanted::PreferStandby => &[Wanted::Standby, Wanted::Any],
        ref wanted => std::slice::from_ref(wanted),
    };
    config.prompt.before()?;
    for &wanted in passes {
        complaints.clear();
        let mut hosts: Vec<&Host> = config.hosts.iter().collect();
        if config.shuffled {
            hosts.shuffle(&mut rand::rng());
        }
        for host in hosts {
            let mut addresses = match Address::of(host) {
                Ok(addresses) => addresses,
                Err(error) => {
                    complaints.push((host.to_string(), error));
                    continue;
                }
            };
            if config.shuffled {
                addresses.shuffle(&mut rand::rng());
            }
            for address in addresses {
                match one(start, config, host, &address, wanted) {
                    Ok(reached) => return Ok(reached),
                    Err(Refused { error, elsewhere, .. }) => {
                        complaints.push((host.to_string(), error));
                        if !elsewhere {
                            return Err(said(complaints));
                        }
                    }
                }
            }
        }
    }
    Err(said(complaints))
}

fn said(mut complaints: Vec<(String, Error)>) -> Error {
    complaints.dedup_by(|(host, error), (before, previous)| host == before && error.message == previous.message);
    let Some((host, last)) = complaints.pop() else {
        return Error::usage("no host is given").hint("name one with -h or PGHOST");
    };
    if interrupt::requested() {
        return Error::interrupted();
    }
    let before: String = complaints.iter().map(|(host, error)| format!("{host}: {}; ", error.message)).collect();
    last.context(format!("cannot connect to {before}{host}"))
}

/// One address: as often as TLS modes and a password that has to be asked for make it.
fn one<S: Start>(
    start: &S,
    config: &Config,
    host: &Host,
    address: &Address,
    wanted: Wanted,
) -> std::result::Result<(S::Session, Route), Refused> {
    use tls::Mode;
    let tries: &[bool] = match config.tls.mode {
        _ if address.is_unix() => &[false],
        Mode::Disable => &[false],
        Mode::Allow => &[false, true],
        Mode::Prefer => &[true, false],
        Mode::Require | Mode::VerifyCa | Mode::VerifyFull => &[true],
    };
    let mut refused: Option<Refused> = None;
    for &secure in tries {
        let mut again = true;
        while again {
            interrupt::check()?;
            match once(start, config, host, address, secure) {
                Ok((mut session, route)) => {
                    return match is_wanted(start, &mut session, wanted) {
                        Ok(()) => Ok((session, route)),
                        Err(error) => Err(Refused::elsewhere(error)),
                    };
                }
                Err(failed) => {
                    again = failed.wants_password && config.password(host).is_none() && config.prompt.ask()?;
                    if !again {
                        // what it said first is what was wanted
                        let last = failed.elsewhere || (secure && failed.plain);
                        let first = match refused.take() {
                            None => failed,
                            Some(first) => Refused { elsewhere: failed.elsewhere, ..first },
                        };
                        if last {
                            return Err(first);
                        }
                        refused = Some(first);
                    }
                }
            }
        }
    }
    Err(refused.unwrap_or_else(Refused::late))
}

fn once<S: Start>(
    start: &S,
    config: &Config,
    host: &Host,
    address: &Address,
    secure: bool,
) -> std::result::Result<(S::Session, Route), Refused> {
    let deadline = config.connect_timeout.map(|timeout| Instant::now() + timeout);
    let unreachable = |error: io::Error| {
        let hint = "is a server running there? -h and -p (or PGHOST and PGPORT) say where, --private starts one";
        let error = match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => timeout(),
            _ => Error::failed(error.to_string()).sqlstate("08001").hint(hint),
        };
        Refused::elsewhere(error)
    };
    let mut plain = address.open(config).map_err(unreachable)?;
    plain.limit(config.connect_timeout).map_err(unreachable)?;
    let secure = match secure {
        true => negotiate(&mut plain, config, host).map_err(|refused| match refused {
            Negotiation::Refused(error) => Refused::from(error),
            Negotiation::Broken(error) => unreachable(error),
        })?,
        false => None,
    };
    if secure.is_none() && config.channel_binding == ChannelBinding::Require {
        return Err(Error::failed("channel binding required, but SSL not in use")
            .hint("channel_binding=prefer does without, sslmode=require brings it about")
            .into());
    }
    let route = Route { config: config.clone(), host: host.clone(), address: address.clone(), secure };
    let opened = Opened { plain, secure: route.secure.clone(), deadline };
    match start.start(opened, &route) {
        Ok(session) => Ok((session, route)),
        Err(refused) => Err(Refused { plain: route.secure.is_none(), ..refused }),
    }
}

/// Is the server of the kind that target_session_attrs asks for?
fn is_wanted<S: Start>(start: &S, session: &mut S::Session, wanted: Wanted) -> Result<()> {
    let read_only = "SHOW transaction_read_only";
    let recovery = "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN 'on' ELSE 'off' END";
    let (sql, value, otherwise) = match wanted {
        Wanted::Any | Wanted::PreferStandby => return Ok(()),
        Wanted::ReadWrite => (read_only, "off", "session is read-only"),
        Wanted::ReadOnly => (read_only, "on", "session is not read-only"),
        Wanted::Primary => (recovery, "off", "server is in hot standby mode"),
        Wanted::Standby => (recovery, "on", "server is not in hot standby mode"),
    };
    if start.value(session, sql)? == value {
        return Ok(());
    }
    Err(Error::failed(otherwise).hint("target_session_attrs asks for another kind of server"))
}
