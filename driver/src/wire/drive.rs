//! Driving clients through a block: each always has one request under way.
//!
//! A single client blocks in read. Several wait in epoll, and a read follows where there is something to read; the sockets
//! stay blocking, since requests are small.
//!
//! A single client on a unix socket that shares its core with the server waits in epoll, too: when the server takes a request
//! off the queue, the kernel wakes whoever sleeps in read on the other end to say that there is room to write again
//! (`unix_write_space`), which epoll filters out, as libpq's poll does. On one core that wake-up is a switch to the client
//! and back, a seventh of the rate. Over two cores it only keeps the client's from sleeping deeply, and the answer finds it
//! sooner (examples/waiting.rs compares them).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use super::arrivals::Arrivals;
use super::connection::{LeanConnection, Rows};
use super::open_loop;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::record::Waits;

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

/// When a thread's first request went out and its last answer was in, and what its clients waited for their units.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub start: Instant,
    pub end: Instant,
    pub waits: Waits,
}

/// The rules of a block.
#[derive(Debug)]
pub struct Terms<'a> {
    pub until: Until,
    /// Longer waits are counted as late.
    pub latency_limit: Option<Duration>,
    /// Do clients and their backends share a core?
    pub same_core: bool,
    /// When units are due; None: a client asks as soon as it was answered.
    pub arrivals: Option<&'a mut Arrivals>,
}

/// Runs all `clients` on the calling thread.
///
/// # Errors
/// The first that any client meets; the others are left as they are. An interrupt ends the block, too.
pub fn drive<S: Script>(clients: &mut [Client<'_, S>], terms: Terms<'_>) -> Result<Outcome> {
    let mut waits = Waits::new(terms.latency_limit)?;
    let (start, end) = match (terms.arrivals, clients) {
        (Some(arrivals), clients) => open_loop::run(clients, terms.until, arrivals, terms.latency_limit, &mut waits),
        (None, [client]) if !(terms.same_core && client.connection.is_unix()) => one(client, terms.until, &mut waits),
        (None, clients) => several(clients, terms.until, &mut waits),
    }?;
    interrupt::check()?;
    Ok(Outcome { start, end, waits })
}

fn one<S: Script>(client: &mut Client<'_, S>, until: Until, waits: &mut Waits) -> Result<(Instant, Instant)> {
    let start = Instant::now();
    let mut pace = Pace::default();
    client.begin(until, &mut pace)?;
    loop {
        if let Some(end) = client.go_on(until, start, &mut pace, waits)? {
            return Ok((start, end));
        }
    }
}

/// How far a client is.
#[derive(Clone, Default)]
struct Pace {
    /// Finished.
    units: u64,
    /// When the units under way were begun, the oldest first.
    begun: VecDeque<Instant>,
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
        let now = Instant::now();
        while pace.under_way < most.min(script.in_flight() as u64) {
            script.request(&mut connection.out)?;
            pace.begun.push_back(now);
            pace.under_way += 1;
        }
        connection.send()
    }

    /// One read; for each answer in it another request, unless the block is over. The time when the last answer was in.
    ///
    /// A unit's wait ends with the answer and begins with the answer before: one clock reading serves both, and what the
    /// client does in between is a part of the wait, as in pgbench.
    #[inline]
    fn go_on(&mut self, until: Until, start: Instant, pace: &mut Pace, waits: &mut Waits) -> Result<Option<Instant>> {
        let Client { connection, script } = self;
        let mut ready = connection.receive(script)?;
        while ready {
            pace.under_way -= 1;
            if script.answered()? {
                pace.units += 1;
                let (over, now) = until.over(start, pace.units + pace.under_way);
                if let Some(begun) = pace.begun.pop_front() {
                    waits.add(now.duration_since(begun));
                }
                pace.over |= over;
                if pace.over {
                    if pace.under_way == 0 {
                        return Ok(Some(now));
                    }
                } else {
                    pace.begun.push_back(now);
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
pub(super) const EVENTS: usize = 64;

/// An epoll that tells which of `clients` have something to read.
pub(super) fn watch<S>(clients: &[Client<'_, S>]) -> Result<Epoll> {
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(waiting)?;
    for (i, client) in clients.iter().enumerate() {
        epoll.add(&client.connection.socket, EpollEvent::new(EpollFlags::EPOLLIN, i as u64)).map_err(waiting)?;
    }
    Ok(epoll)
}

fn several<S: Script>(clients: &mut [Client<'_, S>], until: Until, waits: &mut Waits) -> Result<(Instant, Instant)> {
    let epoll = watch(clients)?;
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
            if let Some(now) = clients[i].go_on(until, start, &mut paces[i], waits)? {
                (active, end) = (active - 1, now);
            }
        }
    }
    Ok((start, end))
}

#[cold]
pub(super) fn waiting(error: nix::errno::Errno) -> Error {
    Error::failed(format!("cannot wait for the server's answers: {error}"))
}
