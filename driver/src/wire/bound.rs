//! What tokio-postgres is given in the place of a TLS library: a stream that is ready, and what SCRAM binds to.
//!
//! Whether there is TLS was settled before ([`super::reach`]); tokio-postgres is told that there is, by "direct
//! negotiation", so that it asks nobody.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::{SslMode, SslNegotiation};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

use super::tls;
use crate::server::{Config, Host};

/// Channel binding data of a connection's end point; None where there is nothing to bind to.
#[derive(Clone, Default)]
pub struct EndPoint(Option<Vec<u8>>);

impl EndPoint {
    /// That of the server that shook hands.
    pub fn of(session: &rustls::ClientConnection) -> Self {
        Self(session.peer_certificates().and_then(|chain| tls::end_point(chain.first()?)))
    }
}

/// `config` in tokio-postgres's terms, for a session on `host`.
pub fn raw(config: &Config, host: &Host, secure: bool) -> tokio_postgres::Config {
    let mut raw = tokio_postgres::Config::new();
    raw.user(&config.user).dbname(&config.dbname).application_name(&config.application_name);
    raw.channel_binding(config.channel_binding);
    if let Some(options) = &config.options {
        raw.options(options);
    }
    if let Some(password) = config.password(host) {
        raw.password(password);
    }
    match secure {
        true => raw.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct),
        false => raw.ssl_mode(SslMode::Disable),
    };
    raw
}

impl<S> TlsConnect<S> for EndPoint
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    type Stream = Bound<S>;
    type Error = Infallible;
    type Future = Ready<Result<Bound<S>, Infallible>>;

    fn connect(self, stream: S) -> Self::Future {
        ready(Ok(Bound { stream, end_point: self }))
    }
}

/// A stream with its end point.
pub struct Bound<S> {
    stream: S,
    end_point: EndPoint,
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Bound<S> {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.end_point.0 {
            Some(hash) => ChannelBinding::tls_server_end_point(hash.clone()),
            None => ChannelBinding::none(),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bound<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bound<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
