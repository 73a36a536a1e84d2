//! A blocking socket to a server, with TLS or without.
//!
//! rustls decrypts whole records, so what the kernel says is readable and what can be read are two things: a record may be
//! here in part, or decrypted and not yet taken. [`Socket::take`] takes one read's worth and leaves nothing behind, so that
//! waiting in epoll for the next is right.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

/// A connected socket before any TLS.
pub enum Plain {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Plain {
    pub fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
        }
    }

    /// Reads and writes fail after `timeout`; None: never.
    pub fn limit(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_read_timeout(timeout).and_then(|()| stream.set_write_timeout(timeout)),
            Self::Tcp(stream) => stream.set_read_timeout(timeout).and_then(|()| stream.set_write_timeout(timeout)),
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

impl Read for Plain {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(buffer),
            Self::Tcp(stream) => stream.read(buffer),
        }
    }
}

impl Write for Plain {
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

/// A connected, blocking socket.
pub struct Socket {
    plain: Plain,
    tls: Option<Box<ClientConnection>>,
}

impl Socket {
    pub fn new(plain: Plain) -> Self {
        Self { plain, tls: None }
    }

    /// Shakes hands with the server at the other end, which expects it.
    pub fn secure(mut plain: Plain, client: Arc<ClientConfig>, name: ServerName<'static>) -> io::Result<Self> {
        let mut session = ClientConnection::new(client, name).map_err(io::Error::other)?;
        while session.is_handshaking() {
            session.complete_io(&mut plain)?;
        }
        Ok(Self { plain, tls: Some(Box::new(session)) })
    }

    pub fn tls(&self) -> Option<&ClientConnection> {
        self.tls.as_deref()
    }

    /// What lies below any TLS.
    pub fn plain(&self) -> &Plain {
        &self.plain
    }

    pub fn is_unix(&self) -> bool {
        matches!(self.plain, Plain::Unix(_))
    }

    /// One read from the kernel, and what it brings to `buffer`, which grows where there is more: 0 at the end of the
    /// stream; None where it was only part of something.
    #[inline]
    pub fn take(&mut self, buffer: &mut Vec<u8>, from: usize) -> io::Result<Option<usize>> {
        match &mut self.tls {
            None => self.plain.read(&mut buffer[from..]).map(Some),
            Some(session) => decrypt(session, &mut self.plain, buffer, from),
        }
    }
}

fn decrypt(
    session: &mut ClientConnection,
    plain: &mut Plain,
    buffer: &mut Vec<u8>,
    from: usize,
) -> io::Result<Option<usize>> {
    let read = session.read_tls(plain)?;
    let state = session.process_new_packets().map_err(|error| {
        // what rustls wants to tell the server about it
        let _ = session.write_tls(plain);
        io::Error::new(ErrorKind::InvalidData, error)
    })?;
    let ready = state.plaintext_bytes_to_read();
    if state.tls_bytes_to_write() > 0 {
        // an answer to a renewal of keys
        write_all(session, plain)?;
    }
    if ready == 0 {
        return Ok((read == 0 || state.peer_has_closed()).then_some(0));
    }
    if buffer.len() - from < ready {
        buffer.resize(from + ready, 0);
    }
    session.reader().read_exact(&mut buffer[from..from + ready])?;
    Ok(Some(ready))
}

fn write_all(session: &mut ClientConnection, plain: &mut Plain) -> io::Result<()> {
    while session.wants_write() {
        session.write_tls(plain)?;
    }
    Ok(())
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(session) = &mut self.tls else { return self.plain.read(buffer) };
        loop {
            match session.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // closed without a goodbye, as PostgreSQL does
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                other => return other,
            }
            session.read_tls(&mut self.plain)?;
            session.process_new_packets().map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            write_all(session, &mut self.plain)?;
        }
    }
}

impl Write for Socket {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(session) = &mut self.tls else { return self.plain.write(bytes) };
        let count = session.writer().write(bytes)?;
        write_all(session, &mut self.plain)?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.plain {
            Plain::Unix(stream) => stream.as_fd(),
            Plain::Tcp(stream) => stream.as_fd(),
        }
    }
}
