//! Is there a pooler between us and the server?
//!
//! At the end of the start-up a server tells the process id that a cancel request has to name (BackendKeyData). It is our
//! backend's, and shows in pg_stat_activity; a pooler makes one up, since the backend behind it changes.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::SslMode;
use tokio_postgres::{Config, NoTls};

use crate::error::Result;
use crate::server::Session;
use crate::wire::{Address, Socket};

/// True where `config` leads to a pooler; `session` is on the same server. False, too, where it cannot be found out.
pub fn between(config: &Config, session: &Session) -> Result<bool> {
    let opened =
        Address::of(config)?.iter().find_map(|address| address.open(config.get_connect_timeout().copied()).ok());
    let Some(socket) = opened else { return Ok(false) };
    let mut config = config.clone();
    config.ssl_mode(SslMode::Disable);
    let mut tap = Tap { socket, seen: Vec::new() };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    // the socket stays open until the end, and so does the backend that we look for
    let connected = runtime.block_on(config.connect_raw(&mut tap, NoTls)).is_ok();
    let Some(pid) = key_process(&tap.seen).filter(|_| connected) else { return Ok(false) };
    let row = session.query_one("select exists (select from pg_stat_activity where pid = $1)", &[&pid])?;
    Ok(!row.get::<_, bool>(0))
}

/// The process id in the BackendKeyData among a server's messages: each a tag, a length that counts itself, and a body.
fn key_process(mut messages: &[u8]) -> Option<i32> {
    while let [tag, a, b, c, d, rest @ ..] = messages {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let body = rest.get(..length.checked_sub(4)?)?;
        if *tag == b'K' {
            return Some(i32::from_be_bytes(body.get(..4)?.try_into().ok()?));
        }
        messages = &rest[body.len()..];
    }
    None
}

/// A blocking socket in async clothes that remembers all it has read. It serves for a start-up only, which ends with an
/// answer and so never waits for ever.
struct Tap {
    socket: Socket,
    seen: Vec<u8>,
}

impl AsyncRead for Tap {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let begun = buffer.filled().len();
        let count = self.socket.read(buffer.initialize_unfilled())?;
        buffer.advance(count);
        self.seen.extend_from_slice(&buffer.filled()[begun..]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Tap {
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

#[cfg(test)]
mod tests {
    use super::key_process;

    #[test]
    fn the_key_is_found_among_the_messages_of_a_start_up() {
        let mut messages = b"R\0\0\0\x08\0\0\0\0S\0\0\0\x08a\0b\0".to_vec();
        assert_eq!(key_process(&messages), None);
        messages.extend(b"K\0\0\0\x0c\0\0\x01\x02\x09\x09\x09\x09Z\0\0\0\x05I");
        assert_eq!(key_process(&messages), Some(258));
        assert_eq!(key_process(b"K\0\0\0\x0c\0"), None);
        assert_eq!(key_process(b"K\0\0\0\0"), None);
    }
}
