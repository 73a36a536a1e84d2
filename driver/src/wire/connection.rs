//! A timed connection: one blocking socket, one buffer each way.

use std::io::{Read, Write};
use std::time::Duration;

use bytes::BytesMut;
use postgres_protocol::message::{backend, frontend};
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{CancelToken, Config};

use super::failure::Failure;
use super::handshake;
use super::input::Input;
use super::row::Row;
use super::socket::{Address, Socket};
use crate::error::{Error, Result};
use crate::interrupt::{self, Registration, Stop};

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
    backend: i32,
    _cancel: Registration,
}

impl LeanConnection {
    /// Connects and authenticates: the configuration's hosts in order, until one answers and is of the wanted kind.
    ///
    /// # Errors
    /// The last host's, when none will have us.
    pub fn connect(config: &Config) -> Result<Self> {
        interrupt::check()?;
        let mut last = Error::usage("no host is given");
        for address in Address::of(config)? {
            // as libpq: the next host is tried when this one cannot be reached, not when it refuses us
            match address.open(config.get_connect_timeout().copied()) {
                Err(error) => last = error,
                Ok(socket) => {
                    let mut connection = Self::start(socket, address, config)?;
                    if connection.is_wanted(config.get_target_session_attrs())? {
                        return Ok(connection);
                    }
                    last = Error::failed("no host is of the kind that target_session_attrs asks for");
                }
            }
        }
        Err(last)
    }

    fn start(mut socket: Socket, address: Address, config: &Config) -> Result<Self> {
        let token = handshake::authenticate(&mut socket, config)?;
        let stop = Running { address, token, socket: socket.try_clone()? };
        let mut connection = Self {
            socket,
            input: Input::new(),
            out: BytesMut::with_capacity(4096),
            failure: None,
            backend: 0,
            _cancel: interrupt::register(stop),
        };
        connection.backend = connection.value("SELECT pg_backend_pid()")?.parse().unwrap_or(0);
        Ok(connection)
    }

    fn is_wanted(&mut self, wanted: TargetSessionAttrs) -> Result<bool> {
        let read_only = match wanted {
            TargetSessionAttrs::ReadWrite => "off",
            TargetSessionAttrs::ReadOnly => "on",
            _ => return Ok(true),
        };
        Ok(self.value("SHOW transaction_read_only")? == read_only)
    }

    /// Does it run over a unix socket?
    pub(super) fn is_unix(&self) -> bool {
        matches!(self.socket, Socket::Unix(_))
    }

    /// Process id of the backend, on the server's machine.
    pub fn backend(&self) -> i32 {
        self.backend
    }

    /// Writes what is in `out`.
    #[inline]
    pub fn send(&mut self) -> Result<()> {
        let sent = self.socket.write_all(&self.out);
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
        if self.input.fill(&mut self.socket)? == 0 {
            return Err(self.closed());
        }
        self.received(rows)
    }

    /// The same without a read: takes what an earlier one brought, up to the next ReadyForQuery.
    #[inline]
    pub fn received(&mut self, rows: &mut impl Rows) -> Result<bool> {
        while let Some((tag, body)) = self.input.message()? {
            match tag {
                backend::DATA_ROW_TAG => rows.row(Row::new(body))?,
                backend::READY_FOR_QUERY_TAG => {
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

    #[cold]
    fn closed(&mut self) -> Error {
        if interrupt::requested() {
            return Error::interrupted();
        }
        match self.failure.take() {
            Some(failure) => failure.into_error(),
            None => Error::failed("the server closed the connection unexpectedly")
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

/// What it takes to stop a connection's request from another thread.
struct Running {
    address: Address,
    token: CancelToken,
    socket: Socket,
}

/// A server that does not take a cancel within this time will not take it at all.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

impl Stop for Running {
    fn cancel(&self) {
        // nobody to tell, and it is sent again
        if let Ok(mut socket) = self.address.open(Some(CANCEL_TIMEOUT)) {
            let _ = handshake::cancel(&mut socket, &self.token);
            // as libpq: the server hangs up once it has passed the cancel on
            let _ = socket.limit(CANCEL_TIMEOUT).and_then(|()| socket.read(&mut [0]));
        }
    }

    fn abandon(&self) {
        self.socket.shutdown();
    }
}
