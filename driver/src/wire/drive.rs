//! Driving clients through a block: each always has one request under way.
//!
//! Clients wait in epoll, and a read follows where there is something to read; the sockets stay blocking, since requests
//! are small. A single client on TCP blocks in read itself. On a unix socket it must not: when the server takes the
//! request off the queue, the kernel wakes whoever sleeps in read on the other end to say that there is room to write
//! again (`unix_write_space`); epoll filters that out, as libpq's poll does. Blocked in read, each select cost two
//! wake-ups instead of one: a fifth of the rate over two cores.

use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use super::connection::{LeanConnection, Rows};
use crate::error::{Error, Result};
use crate::interrupt;

/// What a client asks and what it makes of the answers.
pub trait Script: Rows {
    /// How many requests are under way at a time; above one, each is a unit.
    #[inline]
    fn in_flight(&self) -> usize {
        1
    }
    /// Appends the next request, up to what makes the server answer with ReadyForQuery.
    fn request(&mut self, out: &mut BytesMut) -> Result<()>;
    /// The oldest answer is in. True when a unit is complete (a select, a call): only there may a block end.
    fn answered(&mut self) -> Result<bool>;
}

/// When a block ends: every client finishes its unit first.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    Elapsed(Duration),
    /// This many units of each client.
    Units(u64),
}

impl Until {
    /// Is it over after `units` of a client? Also the time at which that was asked.
    #[inline]
    pub fn over(self, start: Instant, units: u64) -> (bool, Instant) {
        let now = Instant::now();
        let over = match self {
            Self::Elapsed(length) => now.duration_since(start) >= length,
            Self::Units(wanted) => units >= wanted,
        };
        (over || interrupt::requested(), now)
    }
}

/// A connection with its script.
pub struct Client<'a, S> {
    pub connection: &'a mut LeanConnection,
    pub script: S,
}

/// When a thread's first request went out and its last answer was in.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub start: Instant,
    pub end: Instant,
}

/// Runs all `clients` on the calling thread.
///
/// # Errors
/// The first that any client meets; the others are left as they are. An interrupt ends the block, too.
pub fn drive<S: Script>(clients: &mut [Client<'_, S>], until: Until) -> Result<Outcome> {
    let outcome = match clients {
        [client] if !client.connection.is_unix() => one(client, until),
        clients => several(clients, until),
    }?;
    interrupt::check()?;
    Ok(outcome)
}

fn one<S: Script>(client: &mut Client<'_, S>, until: Until) -> Result<Outcome> {
    let start = Instant::now();
    let mut pace = Pace::default();
    client.begin(until, &mut pace)?;
    loop {
        if let Some(end) = client.go_on(until, start, &mut pace)? {
            return Ok(Outcome { start, end });
        }
    }
}

/// How far a client is.
#[derive(Clone, Copy, Default)]
struct Pace {
    /// Finished.
    units: u64,
    /// Requests whose answers are not in.
    under_way: u64,
    /// No more is to be asked.
    over: bool,
}

impl<S: Script> Client<'_, S> {
    /// Sends the first requests: as many as are to be under way.
    fn begin(&mut self, until: Until, pace: &mut Pace) -> Result<()> {
        let Client { connection, script } = self;
        let most = match until {
            Until::Elapsed(_) => u64::MAX,
            Until::Units(wanted) => wanted.max(1),
        };
        while pace.under_way < most.min(script.in_flight() as u64) {
            script.request(&mut connection.out)?;
            pace.under_way += 1;
        }
        connection.send()
    }

    /// One read; for each answer in it another request, unless the block is over. The time when the last answer was in.
    #[inline]
    fn go_on(&mut self, until: Until, start: Instant, pace: &mut Pace) -> Result<Option<Instant>> {
        let Client { connection, script } = self;
        let mut ready = connection.receive(script)?;
        while ready {
            pace.under_way -= 1;
            if script.answered()? {
                pace.units += 1;
                let (over, now) = until.over(start, pace.units + pace.under_way);
                pace.over |= over;
                if pace.over && pace.under_way == 0 {
                    return Ok(Some(now));
                }
            }
            if !pace.over {
                script.request(&mut connection.out)?;
                pace.under_way += 1;
            }
            // the request just made is not sent yet: with no other there is no answer to look for
            ready = (pace.over || pace.under_way > 1) && connection.received(script)?;
        }
        if !connection.out.is_empty() {
            connection.send()?;
        }
        Ok(None)
    }
}

/// Events taken from the kernel at a time.
const EVENTS: usize = 64;

fn several<S: Script>(clients: &mut [Client<'_, S>], until: Until) -> Result<Outcome> {
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(waiting)?;
    for (i, client) in clients.iter().enumerate() {
        epoll.add(&client.connection.socket, EpollEvent::new(EpollFlags::EPOLLIN, i as u64)).map_err(waiting)?;
    }
    let mut paces = vec![Pace::default(); clients.len()];
    let mut active = clients.len();
    let start = Instant::now();
    for (client, pace) in clients.iter_mut().zip(&mut paces) {
        client.begin(until, pace)?;
    }
    let mut end = start;
    let mut events = [EpollEvent::empty(); EVENTS];
    while active > 0 {
        let count = match epoll.wait(&mut events, EpollTimeout::NONE) {
            Err(nix::errno::Errno::EINTR) => 0,
            other => other.map_err(waiting)?,
        };
        for event in &events[..count] {
            let i = event.data() as usize;
            if let Some(now) = clients[i].go_on(until, start, &mut paces[i])? {
                (active, end) = (active - 1, now);
            }
        }
    }
    Ok(Outcome { start, end })
}

#[cold]
fn waiting(error: nix::errno::Errno) -> Error {
    Error::failed(format!("cannot wait for the server's answers: {error}"))
}
