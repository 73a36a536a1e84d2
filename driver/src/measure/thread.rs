//! The threads of a block: pinned, started together, their CPU time taken.

use std::sync::Barrier;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use crate::arm::Placement;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::record::Waits;
use crate::wire::Outcome;

use super::placing::Placing;
use super::usage::Used;

/// What all threads did together, each with what its work gave.
pub struct Ran<T> {
    pub driver_ns: i64,
    pub waits: Waits,
    pub used: Option<Used>,
    pub results: Vec<T>,
}

/// Runs each of `works` on a thread of its own, all from a common start. When they are not done after `patience`, all
/// connections are given up.
///
/// # Errors
/// The first thread's that failed; a usage error where there is nothing to run.
pub fn run<T, F>(placing: &Placing, placement: Placement, patience: Option<Duration>, works: Vec<F>) -> Result<Ran<T>>
where
    T: Send,
    F: FnOnce() -> Result<(Outcome, T)> + Send,
{
    let barrier = Barrier::new(works.len());
    let (done, all_done) = mpsc::channel::<()>();
    let mut late = false;
    let joined = std::thread::scope(|scope| {
        let barrier = &barrier;
        let start = |(thread, work)| {
            let done = done.clone();
            scope.spawn(move || {
                let ran = one(placing, (placement, thread), barrier, work);
                drop(done);
                ran
            })
        };
        let running: Vec<_> = works.into_iter().enumerate().map(start).collect();
        drop(done);
        // nobody sends: the channel is closed when the last thread is done
        let waited = patience.map(|patience| all_done.recv_timeout(patience));
        if waited == Some(Err(RecvTimeoutError::Timeout)) {
            late = true;
            interrupt::abandon_all();
        }
        running.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut span: Option<Outcome> = None;
    let mut used = Some(Used::default());
    let mut results = Vec::new();
    for thread in joined {
        let ran = thread.map_err(|_| Error::failed("a client thread ended unexpectedly"))?;
        let (outcome, mine, result) = ran.map_err(|error| if late { silent(patience) } else { error })?;
        span = Some(match span {
            None => outcome,
            Some(mut all) => {
                all.waits.merge(&outcome.waits);
                Outcome { start: all.start.min(outcome.start), end: all.end.max(outcome.end), waits: all.waits }
            }
        });
        used = used.zip(mine).map(|(a, b)| a.plus(b));
        results.push(result);
    }
    let span = span.ok_or_else(|| Error::usage("there is no client").hint("use -c 1 or more"))?;
    let driver_ns = span.end.duration_since(span.start).as_nanos() as i64;
    Ok(Ran { driver_ns, waits: span.waits, used, results })
}

#[cold]
fn silent(patience: Option<Duration>) -> Error {
    let seconds = patience.unwrap_or_default().as_secs();
    Error::lost(format!("the server gave no answer: a block was not over after {seconds} s"))
        .hint("is the network cut, or the table locked? tcp_user_timeout says how long to wait")
}

fn one<T>(
    placing: &Placing,
    (placement, thread): (Placement, usize),
    barrier: &Barrier,
    work: impl FnOnce() -> Result<(Outcome, T)>,
) -> Result<(Outcome, Option<Used>, T)> {
    let pinned = placing.pin_client(placement, thread);
    // everyone waits here, errors included: a missing thread would hold up the others for ever
    barrier.wait();
    pinned?;
    let before = Used::by_thread();
    let (outcome, result) = work()?;
    let used = Used::by_thread().zip(before).map(|(after, before)| after.since(before));
    Ok((outcome, used, result))
}
