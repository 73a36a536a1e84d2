//! Driving clients at a rate: units begin when they are due, on whichever client is free, and wait for one where none is.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use nix::sys::epoll::{EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use super::arrivals::Arrivals;
use super::drive::{Client, EVENTS, Script, Until, waiting, watch};
use crate::error::Result;
use crate::interrupt;
use crate::record::Waits;

/// The timer among epoll's events.
const TIMER: u64 = u64::MAX;

/// An interrupt is seen this soon although nobody waits for an answer; milliseconds.
const LOOK_UP: u16 = 100;

/// Runs all `clients` on the calling thread: start and end.
pub fn run<S: Script>(
    clients: &mut [Client<'_, S>],
    until: Until,
    arrivals: &mut Arrivals,
    limit: Option<Duration>,
    waits: &mut Waits,
) -> Result<(Instant, Instant)> {
    let epoll = watch(clients)?;
    // no part of a poll's timeout, which the kernel may stretch by 50 µs (timer slack)
    let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_CLOEXEC).map_err(waiting)?;
    epoll.add(&timer, EpollEvent::new(EpollFlags::EPOLLIN, TIMER)).map_err(waiting)?;
    let start = Instant::now();
    arrivals.resume(start);
    let mut queue = Queue::new(until, start, clients.len());
    let mut events = [EpollEvent::empty(); EVENTS];
    let mut armed = None;
    while let Some(alarm) = queue.begin_due(clients, arrivals, limit, waits)? {
        if armed != Some(alarm) {
            set(&timer, alarm)?;
            armed = Some(alarm);
        }
        let count = match epoll.wait(&mut events, EpollTimeout::from(LOOK_UP)) {
            Err(nix::errno::Errno::EINTR) => 0,
            other => other.map_err(waiting)?,
        };
        for event in &events[..count] {
            match event.data() {
                // set anew before the next wait, which also quiets it
                TIMER => armed = None,
                i => queue.take_answer(i as usize, clients, waits)?,
            }
        }
    }
    arrivals.pause(queue.end);
    Ok((start, queue.end))
}

/// Lets `timer` go off at `alarm`, or never.
fn set(timer: &TimerFd, alarm: Option<Instant>) -> Result<()> {
    // zero would turn it off
    let left = alarm.map(|alarm| alarm.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1)));
    match left {
        Some(left) => timer.set(Expiration::OneShot(TimeSpec::from_duration(left)), TimerSetTimeFlags::empty()),
        None => timer.unset(),
    }
    .map_err(waiting)
}

/// Who is free and who waits for what.
struct Queue {
    /// When the block is over; None where units are counted.
    closes: Option<Instant>,
    /// Units of each client.
    most: u64,
    /// Free clients, the longest free first.
    free: VecDeque<usize>,
    /// Of each client: units begun, when the last was due.
    begun: Vec<(u64, Instant)>,
    under_way: usize,
    end: Instant,
}

impl Queue {
    fn new(until: Until, start: Instant, clients: usize) -> Self {
        let (closes, most) = match until {
            Until::Elapsed(length) => (Some(start + length), u64::MAX),
            Until::Units(units) => (None, units),
        };
        let free = (0..clients).collect();
        Self { closes, most, free, begun: vec![(0, start); clients], under_way: 0, end: closes.unwrap_or(start) }
    }

    /// Begins what is due. When the next will be, if anybody is free for it; None when all is over.
    fn begin_due<S: Script>(
        &mut self,
        clients: &mut [Client<'_, S>],
        arrivals: &mut Arrivals,
        limit: Option<Duration>,
        waits: &mut Waits,
    ) -> Result<Option<Option<Instant>>> {
        while let Some(&i) = self.free.front() {
            let now = Instant::now();
            let closed = self.closes.is_some_and(|closes| now >= closes);
            if closed || interrupt::requested() {
                self.free.clear();
                break;
            }
            if arrivals.next() > now {
                let next = arrivals.next();
                return Ok(Some(Some(self.closes.map_or(next, |closes| next.min(closes)))));
            }
            let due = arrivals.take();
            let begun = &mut self.begun[i];
            *begun = (begun.0 + 1, due);
            let late_by = now.duration_since(due);
            if limit.is_some_and(|limit| late_by > limit) {
                // late already: as pgbench, it is not even sent
                waits.skip();
                if begun.0 >= self.most {
                    self.free.pop_front();
                }
                continue;
            }
            self.free.pop_front();
            waits.lagged(late_by);
            ask(&mut clients[i])?;
            self.under_way += 1;
        }
        Ok((self.under_way > 0).then_some(None))
    }

    /// Reads an answer of client `i`; after its last it is free, unless it has done all that it should.
    fn take_answer<S: Script>(&mut self, i: usize, clients: &mut [Client<'_, S>], waits: &mut Waits) -> Result<()> {
        let client = &mut clients[i];
        if !client.connection.receive(&mut client.script)? {
            return Ok(());
        }
        if !client.script.answered()? {
            return ask(client);
        }
        let now = Instant::now();
        let (begun, due) = self.begun[i];
        waits.add(now.duration_since(due));
        self.under_way -= 1;
        self.end = self.end.max(now);
        if begun < self.most {
            self.free.push_back(i);
        }
        Ok(())
    }
}

fn ask<S: Script>(client: &mut Client<'_, S>) -> Result<()> {
    client.script.request(&mut client.connection.out)?;
    client.connection.send()
}
