//! The way to a server once it was found, and whether TLS is on it.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

use super::address::Address;
use super::socket::{Plain, Socket};
use super::tls;
use crate::error::{Error, Result};
use crate::server::{Config, Host};

/// The way to a server that has us; the same for all later connections of a run, and for cancel requests.
#[derive(Clone)]
pub struct Route {
    pub config: Config,
    pub host: Host,
    pub address: Address,
    pub secure: Option<Secure>,
}

impl Route {
    pub fn is_unix(&self) -> bool {
        self.address.is_unix()
    }

    pub fn is_secure(&self) -> bool {
        self.secure.is_some()
    }

    /// The configuration that leads here and nowhere else, with TLS or without it as it is now.
    pub fn settled(&self) -> Config {
        let mut config = self.config.clone();
        let mut host = self.host.clone();
        if let Address::Tcp(address) = &self.address {
            host.settle(address.ip());
        }
        config.settle(host, self.secure.is_some());
        config
    }

    /// Another socket to the same server, ready for its first message.
    ///
    /// # Errors
    /// The socket's or the handshake's.
    pub fn open(&self, limit: Duration) -> Result<Socket> {
        let mut config = self.config.clone();
        config.connect_timeout = Some(limit);
        let mut plain = self.address.open(&config)?;
        plain.limit(Some(limit))?;
        match &self.secure {
            Some(secure) if secure.direct || request(&mut plain)? => {
                Ok(Socket::secure(plain, secure.client.clone(), secure.name.clone())?)
            }
            Some(_) => Err(Error::failed("server does not support SSL, but SSL was required")),
            None => Ok(Socket::new(plain)),
        }
    }
}

/// What a TLS handshake needs.
#[derive(Clone)]
pub struct Secure {
    pub client: Arc<ClientConfig>,
    pub name: ServerName<'static>,
    direct: bool,
}

impl Secure {
    /// Without asking first, it is the protocol's name alone that tells that the server was meant.
    ///
    /// # Errors
    /// It was not agreed on.
    pub fn check(&self, session: Option<&rustls::ClientConnection>) -> Result<()> {
        if !self.direct || session.and_then(|session| session.alpn_protocol()) == Some(tls::ALPN) {
            return Ok(());
        }
        Err(Error::failed("direct SSL connection was established without ALPN protocol negotiation extension")
            .hint("use sslnegotiation=postgres"))
    }
}

/// Why there was no agreement.
pub enum Negotiation {
    Refused(Error),
    Broken(io::Error),
}

/// Is there to be TLS? Asks the server unless told not to.
pub fn negotiate(plain: &mut Plain, config: &Config, host: &Host) -> std::result::Result<Option<Secure>, Negotiation> {
    let tls = &config.tls;
    if !tls.direct && !request(plain).map_err(Negotiation::Broken)? {
        if tls.mode <= tls::Mode::Prefer {
            return Ok(None);
        }
        return Err(Negotiation::Refused(
            Error::failed("server does not support SSL, but SSL was required")
                .hint("use sslmode=prefer, or turn ssl on in the server"),
        ));
    }
    let client = tls.client().map_err(Negotiation::Refused)?;
    let name = host.tls_name(tls.mode).and_then(|name| tls::server_name(&name));
    let name = match (name, plain) {
        (Err(error), _) if tls.mode == tls::Mode::VerifyFull => return Err(Negotiation::Refused(error)),
        // nobody asks for it
        (Err(_), Plain::Tcp(stream)) => ServerName::from(stream.peer_addr().map_err(Negotiation::Broken)?.ip()),
        (name, _) => name.map_err(Negotiation::Refused)?,
    };
    Ok(Some(Secure { client, name, direct: tls.direct }))
}

/// SSLRequest: does the server speak TLS?
fn request(plain: &mut Plain) -> io::Result<bool> {
    let mut out = BytesMut::new();
    frontend::ssl_request(&mut out);
    plain.write_all(&out)?;
    let mut answer = [0];
    plain.read_exact(&mut answer)?;
    match answer {
        [b'S'] => Ok(true),
        [b'N'] => Ok(false),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "what answers is no PostgreSQL server")),
    }
}
