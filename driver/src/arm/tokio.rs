//! `tokio`: what an async Rust application pays: tokio-postgres's own `query()` with a prepared statement, its runtime on
//! the client's thread. Each query crosses a channel to the task that owns the socket, and its rows come back over
//! another.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, SimpleQueryMessage, Statement};

use super::tally::Sums;
use super::{Keys, Tally, Text};
use crate::error::{Error, Result};
use crate::interrupt::{self, Registration};
use crate::record::Waits;
use crate::server::{Bridged, Config};
use crate::wire::{Outcome, Queries, Until};

pub const NAME: &str = "tokio";
pub const ABOUT: &str = "prepared selects by tokio-postgres's query(), async";

/// The clients of one thread, on a runtime of their own.
pub struct Share {
    runtime: Runtime,
    clients: Vec<Arc<Connected>>,
}

struct Connected {
    client: Client,
    statement: Statement,
    backend: i32,
    _cancel: Registration,
}

impl Share {
    /// Connects `clients` and prepares the lookup on each, after `set` (any number of statements, may be empty).
    pub fn connect(config: &Config, text: &Text, clients: usize, set: &str) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let connect = |_| -> Result<Arc<Connected>> {
            interrupt::check()?;
            let bridged = Bridged::connect(&runtime, config)?;
            let _cancel = interrupt::register(bridged.cancel()?);
            let client = bridged.client;
            let (statement, pid) = runtime.block_on(async {
                client.batch_execute(set).await?;
                let statement = client.prepare(&text.parameterized).await?;
                let pid = client.query_typed_one("SELECT pg_catalog.pg_backend_pid()", &[]).await?;
                Ok::<_, Error>((statement, pid))
            })?;
            Ok(Arc::new(Connected { statement, backend: pid.try_get(0)?, client, _cancel }))
        };
        let clients = (0..clients).map(connect).collect::<Result<_>>()?;
        Ok(Self { runtime, clients })
    }

    /// Process ids of the backends.
    pub fn backends(&self) -> impl Iterator<Item = i32> {
        self.clients.iter().map(|connected| connected.backend)
    }

    /// Each client by itself, for what is not timed.
    pub fn each(&mut self) -> impl Iterator<Item = One<'_>> {
        let runtime = &self.runtime;
        self.clients.iter().map(move |connected| One { runtime, connected })
    }

    /// Runs the first clients on the calling thread, one for each of `keys`, until `until`; waits above `limit` are late.
    pub fn drive(&mut self, keys: Vec<Keys>, until: Until, limit: Option<Duration>) -> Result<(Outcome, Tally)> {
        let mut waits = Waits::new(limit)?;
        let start = Instant::now();
        let finished = self.runtime.block_on(async {
            let clients = self.clients.iter().zip(keys);
            let tasks = clients.map(|(connected, keys)| {
                let waits = Waits::new(limit)?;
                Ok(tokio::spawn(selects(connected.clone(), keys, start, until, waits)))
            });
            let tasks = tasks.collect::<Result<Vec<_>>>()?;
            let mut finished = Vec::with_capacity(tasks.len());
            for task in tasks {
                finished.push(task.await.map_err(|error| Error::failed(format!("a client ended: {error}")))??);
            }
            Ok::<_, Error>(finished)
        });
        interrupt::check()?;
        let finished = finished?;
        let end = finished.iter().map(|(end, ..)| *end).max().unwrap_or(start);
        finished.iter().for_each(|(.., own)| waits.merge(own));
        let tally = finished.into_iter().map(|(_, tally, _)| tally).reduce(Tally::plus).unwrap_or_default();
        Ok((Outcome { start, end, waits }, tally))
    }
}

async fn selects(
    connected: Arc<Connected>,
    mut keys: Keys,
    start: Instant,
    until: Until,
    mut waits: Waits,
) -> Result<(Instant, Tally, Waits)> {
    let Connected { client, statement, .. } = &*connected;
    let (mut selects, mut sums) = (0, Sums::default());
    let mut begun = Instant::now();
    loop {
        if keys.between_calls() {
            sums.next_call();
        }
        for row in client.query(statement, &[&Number(keys.draw())]).await? {
            sums.add(row.try_get::<_, Option<Number>>(0)?.map(|value| value.0))?;
        }
        selects += 1;
        let (over, end) = until.over(start, selects as u64);
        waits.add(end.duration_since(begun));
        begun = end;
        if over {
            let (found, checksum) = (Some(sums.found), Some(sums.checksum()));
            let tally = Tally { selects, found, checksum, ..Tally::default() };
            return Ok((end, tally, waits));
        }
    }
}

/// One client outside the timed stretches.
pub struct One<'a> {
    runtime: &'a Runtime,
    connected: &'a Connected,
}

impl Queries for One<'_> {
    fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        let messages = self.runtime.block_on(self.connected.client.simple_query(sql))?;
        let rows = messages.into_iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|i| row.get(i).map(str::to_owned)).collect()),
            _ => None,
        });
        Ok(rows.collect())
    }
}

/// A key or a value of whichever integer type the table has.
#[derive(Debug)]
struct Number(i64);

impl ToSql for Number {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match *ty {
            Type::INT2 => i16::try_from(self.0)?.to_sql(ty, out),
            Type::INT4 => i32::try_from(self.0)?.to_sql(ty, out),
            _ => self.0.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::INT2 | Type::INT4 | Type::INT8)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Number {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        let value = match *ty {
            Type::INT2 => i16::from_sql(ty, raw)?.into(),
            Type::INT4 => i32::from_sql(ty, raw)?.into(),
            _ => i64::from_sql(ty, raw)?,
        };
        Ok(Self(value))
    }

    fn accepts(ty: &Type) -> bool {
        <Self as ToSql>::accepts(ty)
    }
}
