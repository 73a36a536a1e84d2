//! Connections that tokio-postgres drives, opened as the timed ones are.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, SimpleQueryMessage};
use tokio_rustls::TlsConnector;

use crate::error::{Error, Result};
use crate::server::{Config, advice};
use crate::wire::{EndPoint, Opened, Plain, Refused, Route, Running, Secure, Start, raw, reach};

/// A client whose connection lives on a runtime, and how it is reached.
pub struct Bridged {
    pub client: Client,
    pub route: Route,
    /// Version and cipher, where there is TLS.
    pub tls: Option<String>,
    plain: Plain,
}

impl Bridged {
    /// Connects; the connection is driven by `runtime`.
    ///
    /// # Errors
    /// Says where it tried to connect and what to do; never the password.
    pub fn connect(runtime: &Runtime, config: &Config) -> Result<Self> {
        let ((client, tls, plain), route) = reach(&OnRuntime(runtime), config)?;
        Ok(Self { client, route, tls, plain })
    }

    /// What ends a query from another thread.
    pub fn cancel(&self) -> Result<Running> {
        Ok(Running { route: self.route.clone(), token: self.client.cancel_token(), plain: self.plain.try_clone()? })
    }
}

struct OnRuntime<'a>(&'a Runtime);

impl Start for OnRuntime<'_> {
    type Session = (Client, Option<String>, Plain);

    fn start(&self, opened: Opened, route: &Route) -> std::result::Result<Self::Session, Refused> {
        let Opened { plain, secure, deadline } = opened;
        let kept = plain.try_clone().map_err(Error::from)?;
        let started = async {
            let start = start(plain, secure, route);
            match deadline {
                None => start.await,
                Some(deadline) => tokio::time::timeout_at(deadline.into(), start).await.unwrap_or(Err(Refused::late())),
            }
        };
        self.0.block_on(started).map(|(client, tls)| (client, tls, kept))
    }

    fn value(&self, (client, ..): &mut Self::Session, sql: &str) -> Result<String> {
        let messages = self.0.block_on(client.simple_query(sql))?;
        let first = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(first.unwrap_or_default().to_owned())
    }
}

async fn start(
    plain: Plain,
    secure: Option<Secure>,
    route: &Route,
) -> std::result::Result<(Client, Option<String>), Refused> {
    match (plain, secure) {
        (Plain::Unix(stream), _) => {
            stream.set_nonblocking(true).map_err(Error::from)?;
            let stream = tokio::net::UnixStream::from_std(stream).map_err(Error::from)?;
            Ok((session(stream, EndPoint::default(), route).await?, None))
        }
        (Plain::Tcp(stream), secure) => {
            stream.set_nonblocking(true).map_err(Error::from)?;
            let stream = tokio::net::TcpStream::from_std(stream).map_err(Error::from)?;
            let Some(secure) = secure else {
                return Ok((session(stream, EndPoint::default(), route).await?, None));
            };
            let (connector, name) = (TlsConnector::from(secure.client.clone()), secure.name.clone());
            let stream = connector.connect(name, stream).await.map_err(|error| advice::handshake(&error))?;
            let tls = stream.get_ref().1;
            secure.check(Some(tls))?;
            let (end_point, about) = (EndPoint::of(tls), about(tls));
            Ok((session(stream, end_point, route).await?, about))
        }
    }
}

async fn session<S>(stream: S, end_point: EndPoint, route: &Route) -> std::result::Result<Client, Refused>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let raw = raw(&route.config, &route.host, route.is_secure());
    let (client, connection) =
        raw.connect_raw(stream, end_point).await.map_err(|error| Refused::by(error, &route.config))?;
    tokio::spawn(connection);
    Ok(client)
}

/// `TLSv1.3, TLS_AES_256_GCM_SHA384`, as PostgreSQL names them.
fn about(tls: &rustls::ClientConnection) -> Option<String> {
    let version = format!("{:?}", tls.protocol_version()?).replace('_', ".");
    let cipher = format!("{:?}", tls.negotiated_cipher_suite()?.suite()).replace("TLS13_", "TLS_");
    Some(format!("{version}, {cipher}"))
}
