//! A blocking socket to a server, and the addresses that a configuration names.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::error::{Error, Result};

const PORT: u16 = 5432;

/// Where one server listens.
#[derive(Clone, Debug)]
pub enum Address {
    Unix(PathBuf),
    /// A name may stand for several addresses, tried in order.
    Tcp(String, Vec<SocketAddr>),
}

impl Address {
    /// The addresses of `config` in the order in which libpq tries them: one a host, its port beside it.
    ///
    /// # Errors
    /// When a host name does not resolve and no other host is named.
    pub fn of(config: &Config) -> Result<Vec<Self>> {
        let (hosts, direct, ports) = (config.get_hosts(), config.get_hostaddrs(), config.get_ports());
        let port = |i: usize| ports.get(i).or(ports.first()).copied().unwrap_or(PORT);
        let mut found = Vec::new();
        let mut failed = None;
        for i in 0..hosts.len().max(direct.len()) {
            match (direct.get(i), hosts.get(i)) {
                (Some(&ip), _) => found.push(Self::Tcp(ip.to_string(), vec![SocketAddr::new(ip, port(i))])),
                (None, Some(Host::Unix(directory))) => {
                    found.push(Self::Unix(directory.join(format!(".s.PGSQL.{}", port(i)))));
                }
                (None, Some(Host::Tcp(name))) => match (name.as_str(), port(i)).to_socket_addrs() {
                    Ok(addresses) => found.push(Self::Tcp(name.clone(), addresses.collect())),
                    Err(error) => {
                        let message = format!("could not translate host name \"{name}\": {error}");
                        failed = Some(Error::failed(message).hint("check the host name given by -h or PGHOST"));
                    }
                },
                (None, None) => {}
            }
        }
        match failed {
            Some(error) if found.is_empty() => Err(error),
            _ if found.is_empty() => Err(Error::usage("no host is given").hint("name one with -h or PGHOST")),
            _ => Ok(found),
        }
    }

    /// Opens a socket, waiting `timeout` at most for each address.
    pub fn open(&self, timeout: Option<Duration>) -> Result<Socket> {
        let opened = match self {
            Self::Unix(path) => UnixStream::connect(path).map(Socket::Unix),
            Self::Tcp(_, addresses) => open_tcp(addresses, timeout).map(Socket::Tcp),
        };
        opened.map_err(|error| {
            Error::failed(format!("connection to {self} failed: {error}"))
                .hint("is the server running there and accepting connections?")
        })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "server on socket \"{}\"", path.display()),
            Self::Tcp(name, addresses) => {
                let port = addresses.first().map_or(PORT, SocketAddr::port);
                write!(f, "server at \"{name}\", port {port}")
            }
        }
    }
}

fn open_tcp(addresses: &[SocketAddr], timeout: Option<Duration>) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host name has no address");
    for address in addresses {
        let opened = match timeout {
            Some(timeout) if !timeout.is_zero() => TcpStream::connect_timeout(address, timeout),
            _ => TcpStream::connect(address),
        };
        match opened {
            Ok(stream) => {
                // as libpq: a lookup is one small packet, and waiting for more would cost 40 ms
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A connected, blocking socket.
pub enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Socket {
    pub fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
        }
    }

    /// Reads fail after `timeout`.
    pub fn limit(&self, timeout: Duration) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_read_timeout(Some(timeout)),
            Self::Tcp(stream) => stream.set_read_timeout(Some(timeout)),
        }
    }

    /// Ends both directions; a thread that is blocked in a read of a clone sees the end of the stream.
    pub fn shutdown(&self) {
        // an error means that it is down already
        let _ = match self {
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Socket {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(buffer),
            Self::Tcp(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    #[inline]
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(buffer),
            Self::Tcp(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}
