//! Start-up and authentication by tokio-postgres, on a socket that stays ours.
//!
//! `connect_raw` speaks the start-up and every authentication method; it is given a reader that never takes more than
//! one message from the socket, so that nothing is left in its buffers when its halves are dropped. Dropped unpolled,
//! they send no Terminate.

use std::io::{self, ErrorKind, Read, Write};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::CancelToken;

use super::bound::{self, EndPoint};
use super::reach::Refused;
use super::socket::Socket;
use crate::error::{Error, Result};
use crate::server::{Config, Host};

/// A started session: what cancels it, and the process id that a cancel names.
pub struct Started {
    pub token: CancelToken,
    pub process: Option<i32>,
}

/// Starts a session on `socket`, which leads to `host`.
pub fn authenticate(socket: &mut Socket, config: &Config, host: &Host) -> std::result::Result<Started, Refused> {
    let raw = bound::raw(config, host, socket.tls().is_some());
    let end_point = end_point(socket);
    let mut io = Blocking::new(socket);
    let started = block_on(raw.connect_raw(&mut io, end_point))?;
    let (client, _connection) = started.map_err(|error| Refused::by(error, config))?;
    Ok(Started { token: client.cancel_token(), process: io.process() })
}

/// Asks the server at the other end of `socket` to cancel what `token` names.
pub fn cancel(socket: &mut Socket, token: &CancelToken) -> Result<()> {
    let end_point = end_point(socket);
    Ok(block_on(token.cancel_query_raw(Blocking::new(socket), end_point))??)
}

fn end_point(socket: &Socket) -> EndPoint {
    socket.tls().map(EndPoint::of).unwrap_or_default()
}

/// Polls a future whose every step blocks instead of waiting: the first poll finishes it.
fn block_on<F: Future>(future: F) -> Result<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err(Error::failed("the start-up of a connection waits for something other than its socket")),
    }
}

const HEADER: usize = 5;
const KEY_DATA: u8 = b'K';

/// A blocking socket in async clothes; reads stop at message boundaries.
struct Blocking<'a> {
    socket: &'a mut Socket,
    /// Header of the current message, and how much of it was handed on.
    header: [u8; HEADER],
    given: usize,
    /// Bytes of the current message's body that are still in the socket.
    body: usize,
    /// Body of BackendKeyData, as far as it was read.
    key: Vec<u8>,
}

impl<'a> Blocking<'a> {
    fn new(socket: &'a mut Socket) -> Self {
        Self { socket, header: [0; HEADER], given: HEADER, body: 0, key: Vec::new() }
    }

    /// The process id that the server gave for cancel requests.
    fn process(&self) -> Option<i32> {
        self.key.first_chunk().map(|bytes| i32::from_be_bytes(*bytes))
    }

    fn read(&mut self, buffer: &mut ReadBuf<'_>) -> io::Result<()> {
        if self.given == HEADER && self.body == 0 {
            match self.socket.read_exact(&mut self.header) {
                // the reader takes an empty read as the end
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
                other => other?,
            }
            let [_, length @ ..] = self.header;
            self.given = 0;
            self.body = (u32::from_be_bytes(length) as usize).saturating_sub(4);
        }
        if self.given < HEADER {
            let rest = &self.header[self.given..];
            let rest = &rest[..rest.len().min(buffer.remaining())];
            buffer.put_slice(rest);
            self.given += rest.len();
            return Ok(());
        }
        let room = self.body.min(buffer.remaining());
        let bytes = buffer.initialize_unfilled_to(room);
        let count = self.socket.read(bytes)?;
        if self.header[0] == KEY_DATA {
            self.key.extend_from_slice(&bytes[..count]);
        }
        buffer.advance(count);
        self.body -= count;
        Ok(())
    }
}

impl AsyncRead for Blocking<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.read(buffer).map_err(|error| match error.kind() {
            // a blocking socket would not block: its time is up
            ErrorKind::WouldBlock => ErrorKind::TimedOut.into(),
            _ => error,
        }))
    }
}

impl AsyncWrite for Blocking<'_> {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.socket.write(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
