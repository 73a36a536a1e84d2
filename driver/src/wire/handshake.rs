//! Authentication by tokio-postgres on a socket that stays ours.
//!
//! `connect_raw` speaks the start-up and every authentication method; it is given a reader that never takes more than
//! one message from the socket, so that nothing is left in its buffers when its halves are dropped. Dropped unpolled,
//! they send no Terminate.

use std::io::{self, Read, Write};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::SslMode;
use tokio_postgres::{CancelToken, Config, NoTls};

use super::socket::Socket;
use crate::error::{Error, Result};
use crate::server::refusal;

/// Starts a session on `socket`; the token cancels what that session runs.
pub fn authenticate(socket: &mut Socket, config: &Config) -> Result<CancelToken> {
    if config.get_ssl_mode() == SslMode::Require {
        return Err(Error::failed("the timed connections cannot use TLS yet").hint("use sslmode=disable or prefer"));
    }
    let mut config = config.clone();
    config.ssl_mode(SslMode::Disable);
    let mut io = Blocking { socket, header: [0; HEADER], given: HEADER, body: 0 };
    let started = block_on(config.connect_raw(&mut io, NoTls))?;
    let (client, _connection) = started.map_err(|error| refusal(&config, error))?;
    Ok(client.cancel_token())
}

/// Asks the server at the other end of `socket` to cancel what `token` names.
pub fn cancel(socket: &mut Socket, token: &CancelToken) -> Result<()> {
    let io = Blocking { socket, header: [0; HEADER], given: HEADER, body: 0 };
    Ok(block_on(token.cancel_query_raw(io, NoTls))??)
}

/// Polls a future whose every step blocks instead of waiting: the first poll finishes it.
fn block_on<F: Future>(future: F) -> Result<F::Output> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err(Error::failed("the start-up of a connection waits for something other than its socket")),
    }
}

const HEADER: usize = 5;

/// A blocking socket in async clothes; reads stop at message boundaries.
struct Blocking<'a> {
    socket: &'a mut Socket,
    /// Header of the current message, and how much of it was handed on.
    header: [u8; HEADER],
    given: usize,
    /// Bytes of the current message's body that are still in the socket.
    body: usize,
}

impl Blocking<'_> {
    fn read(&mut self, buffer: &mut ReadBuf<'_>) -> io::Result<()> {
        if self.given == HEADER && self.body == 0 {
            match self.socket.read_exact(&mut self.header) {
                // the reader takes an empty read as the end
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
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
        let count = self.socket.read(buffer.initialize_unfilled_to(room))?;
        buffer.advance(count);
        self.body -= count;
        Ok(())
    }
}

impl AsyncRead for Blocking<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.read(buffer))
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
