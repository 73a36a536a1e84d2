//! Where one server listens, as one thing to connect to.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};

use super::socket::Plain;
use crate::error::{Error, Result};
use crate::server::{Config, Host, Place};

/// Of a host, one of its addresses.
#[derive(Clone, Debug)]
pub enum Address {
    Unix(PathBuf),
    /// In Linux's abstract namespace.
    Abstract(String),
    Tcp(SocketAddr),
}

impl Address {
    /// The addresses of `host`, in the resolver's order.
    ///
    /// # Errors
    /// When its name does not resolve.
    pub fn of(host: &Host) -> Result<Vec<Self>> {
        use std::net::ToSocketAddrs;
        let port = host.port;
        match &host.place {
            Place::Unix(directory) => {
                let path = format!("{directory}/.s.PGSQL.{port}");
                Ok(vec![match path.strip_prefix('@') {
                    Some(name) => Self::Abstract(name.to_owned()),
                    None => Self::Unix(path.into()),
                }])
            }
            Place::Tcp { address: Some(address), .. } => Ok(vec![Self::Tcp(SocketAddr::new(*address, port))]),
            Place::Tcp { name, address: None } => match (name.as_str(), port).to_socket_addrs() {
                Ok(found) => Ok(found.map(Self::Tcp).collect()),
                Err(error) => Err(Error::failed(format!("could not translate host name \"{name}\": {error}"))
                    .hint("check the host name given by -h or PGHOST")),
            },
        }
    }

    /// Opens a socket, waiting no longer than the configuration allows.
    pub fn open(&self, config: &Config) -> io::Result<Plain> {
        match self {
            Self::Unix(path) => UnixStream::connect(path).map(Plain::Unix),
            Self::Abstract(name) => {
                let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
                UnixStream::connect_addr(&address).map(Plain::Unix)
            }
            Self::Tcp(address) => open_tcp(address, config).map(Plain::Tcp),
        }
    }

    pub fn is_unix(&self) -> bool {
        !matches!(self, Self::Tcp(_))
    }
}

fn open_tcp(address: &SocketAddr, config: &Config) -> io::Result<TcpStream> {
    let stream = match config.connect_timeout {
        Some(timeout) => TcpStream::connect_timeout(address, timeout),
        None => TcpStream::connect(address),
    }?;
    // as libpq: a lookup is one small packet, and waiting for more would cost 40 ms
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    if let Some(alive) = &config.keepalive {
        let mut wanted = TcpKeepalive::new();
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        if let Some(idle) = alive.idle {
            wanted = wanted.with_time(seconds(idle));
        }
        if let Some(interval) = alive.interval {
            wanted = wanted.with_interval(seconds(interval));
        }
        if let Some(count) = alive.count {
            wanted = wanted.with_retries(count);
        }
        socket.set_tcp_keepalive(&wanted)?;
    }
    if let Some(timeout) = config.user_timeout {
        socket.set_tcp_user_timeout(Some(timeout))?;
    }
    Ok(stream)
}
