//! A timed connection: one blocking socket, one buffer each way.

use std::io::Write;

use bytes::BytesMut;
use postgres_protocol::message::{backend, frontend};
use tokio_postgres::CancelToken;

use super::cancel::{Running, cancel};
use super::failure::Failure;
use super::handshake::{self, Started};
use super::input::Input;
use super::reach::{Opened, Refused, Start, reach};
use super::route::Route;
use super::row::Row;
use super::socket::Socket;
use crate::error::{Error, Result};
use crate::interrupt::{self, Registration};
use crate::server::{Config, advice};

/// Takes the rows of a reply.
pub trait Rows {
    fn row(&mut self, row: Row<'_>) -> Result<()>;
}

impl<F: FnMut(Row<'_>) -> Result<()>> Rows for F {
    fn row(&mut self, row: Row<'_>) -> Result<()> {
        self(row)
    }
}

/// Simple queries outside the timed stretches, on a connection that is timed.
pub trait Queries {
    /// All rows of all statements in `sql`, as text.
    fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>>;

    /// The first column of a query's first row; empty for NULL and no row.
    fn value(&mut self, sql: &str) -> Result<String> {
        let first = self.query(sql)?.into_iter().next().and_then(|row| row.into_iter().next());
        Ok(first.flatten().unwrap_or_default())
    }
}

impl Queries for LeanConnection {
    fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        LeanConnection::query(self, sql)
    }
}

/// A session on the server. Dropping it says goodbye (Terminate).
pub struct LeanConnection {
    pub(super) socket: Socket,
    input: Input,
    /// Messages to be sent; emptied by [`LeanConnection::send`].
    pub out: BytesMut,
    failure: Option<Failure>,
    /// Something was sent that is not answered yet.
    under_way: bool,
    backend: i32,
    process: Option<i32>,
    route: Route,
    token: CancelToken,
    _cancel: Registration,
}

/// How a timed connection starts.
struct Lean;

impl Start for Lean {
    type Session = LeanConnection;

    fn start(&self, opened: Opened, route: &Route) -> std::result::Result<LeanConnection, Refused> {
        let Opened { plain, secure, .. } = opened;
        let mut socket = match secure {
            None => Socket::new(plain),
            Some(secure) => {
                let (client, name) = (secure.client.clone(), secure.name.clone());
                let socket = Socket::secure(plain, client, name).map_err(|error| advice::handshake(&error))?;
                secure.check(socket.tls())?;
                socket
            }
        };
        let Started { token, process } = handshake::authenticate(&mut socket, &route.config, &route.host)?;
        let plain = socket.plain();
        plain.limit(None).map_err(Error::from)?;
        let stop =
            Running { route: route.clone(), token: token.clone(), plain: plain.try_clone().map_err(Error::from)? };
        Ok(LeanConnection {
            socket,
            input: Input::new(),
            out: BytesMut::with_capacity(4096),
            failure: None,
            under_way: false,
            backend: 0,
            process,
            route: route.clone(),
            token,
            _cancel: interrupt::register(stop),
        })
    }

    fn value(&self, session: &mut LeanConnection, sql: &str) -> Result<String> {
        session.value(sql)
    }
}

impl LeanConnection {
    /// Connects and authenticates, as [`reach`] finds the way.
    ///
    /// # Errors
    /// What each host said, when none will have us.
    pub fn connect(config: &Config) -> Result<Self> {
        let (mut connection, _) = reach(&Lean, config)?;
        connection.backend = connection.value("SELECT pg_backend_pid()")?.parse().unwrap_or(0);
        Ok(connection)
    }

    /// Does it run over a unix socket?
    pub(super) fn is_unix(&self) -> bool {
        self.socket.is_unix()
    }

    /// The process id that a cancel request has to name: the backend's, unless a pooler made it up.
    pub fn key_process(&self) -> Option<i32> {
        self.process
    }

    /// Process id of the backend, on the server's machine.
    pub fn backend(&self) -> i32 {
        self.backend
    }

    /// Writes what is in `out`.
    #[inline]
    pub fn send(&mut self) -> Result<()> {
        let sent = self.socket.write_all(&self.out);
        self.under_way = true;
        self.out.clear();
        // the server's last words are worth more than "broken pipe": they are read next
        match sent {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// One read, then every whole message up to the next ReadyForQuery: rows go to `rows`. True when the server is ready
    /// for the next request.
    ///
    /// # Errors
    /// The server's, once it is ready again; the connection can then be used on. Any other error is the connection's end.
    #[inline]
    pub fn receive(&mut self, rows: &mut impl Rows) -> Result<bool> {
        match self.input.fill(&mut self.socket) {
            Ok(Some(0)) => Err(self.closed()),
            Ok(Some(_)) => self.received(rows),
            Ok(None) => Ok(false),
            // a backend that ends before it has read all that we sent resets the connection: what it said counts
            Err(error) => {
                self.hear_out();
                if self.failure.is_some() { Err(self.closed()) } else { Err(error.into()) }
            }
        }
    }

    /// Takes the server's last words from what came with its last answer: an ended backend's error can stand behind the
    /// ReadyForQuery of the select before.
    #[cold]
    fn hear_out(&mut self) {
        while let Ok(Some((tag, body))) = self.input.message() {
            if tag == backend::ERROR_RESPONSE_TAG {
                self.failure = Some(Failure::parse(body));
            }
        }
    }

    /// The same without a read: takes what an earlier one brought, up to the next ReadyForQuery.
    #[inline]
    pub fn received(&mut self, rows: &mut impl Rows) -> Result<bool> {
        while let Some((tag, body)) = self.input.message()? {
            match tag {
                backend::DATA_ROW_TAG => rows.row(Row::new(body))?,
                backend::READY_FOR_QUERY_TAG => {
                    self.under_way = false;
                    return match self.failure.take() {
                        None => Ok(true),
                        Some(failure) => Err(failure.into_error()),
                    };
                }
                backend::ERROR_RESPONSE_TAG => self.failure = Some(Failure::parse(body)),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Sends `out` and waits for the whole answer.
    pub fn exchange(&mut self, rows: &mut impl Rows) -> Result<()> {
        self.send()?;
        while !self.receive(rows)? {}
        Ok(())
    }

    /// As [`Queries::query`].
    pub fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        frontend::query(sql, &mut self.out)?;
        let mut rows = Vec::new();
        self.exchange(&mut |row: Row<'_>| {
            let text = |column: &[u8]| String::from_utf8_lossy(column).into_owned();
            rows.push(row.columns().map(|column| column.map(text)).collect());
            Ok(())
        })?;
        Ok(rows)
    }

    /// As [`Queries::value`].
    pub fn value(&mut self, sql: &str) -> Result<String> {
        Queries::value(self, sql)
    }

    /// What cancels the request that is under way; None where there is none.
    pub fn cancel(&self) -> Option<impl FnOnce() + Send + use<>> {
        let (route, token) = (self.route.clone(), self.token.clone());
        self.under_way.then_some(move || cancel(&route, &token))
    }

    #[cold]
    fn closed(&mut self) -> Error {
        if interrupt::requested() {
            return Error::interrupted();
        }
        self.hear_out();
        match self.failure.take() {
            Some(failure) => failure.into_error(),
            None => Error::lost("the server closed the connection unexpectedly")
                .hint("the server's log says why; it may have crashed or been stopped"),
        }
    }
}

impl Drop for LeanConnection {
    fn drop(&mut self) {
        self.out.clear();
        frontend::terminate(&mut self.out);
        let _ = self.send();
    }
}
