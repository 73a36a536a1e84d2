//! The threads of a block: pinned, started together, their CPU time taken.

use std::sync::Barrier;

use crate::arm::Placement;
use crate::error::{Error, Result};
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

/// Runs each of `works` on a thread of its own, all from a common start.
///
/// # Errors
/// The first thread's that failed; a usage error where there is nothing to run.
pub fn run<T, F>(placing: &Placing, placement: Placement, works: Vec<F>) -> Result<Ran<T>>
where
    T: Send,
    F: FnOnce() -> Result<(Outcome, T)> + Send,
{
    let barrier = Barrier::new(works.len());
    let joined = std::thread::scope(|scope| {
        let barrier = &barrier;
        let start = |(thread, work)| scope.spawn(move || one(placing, (placement, thread), barrier, work));
        let running: Vec<_> = works.into_iter().enumerate().map(start).collect();
        running.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    let mut span: Option<Outcome> = None;
    let mut used = Some(Used::default());
    let mut results = Vec::new();
    for thread in joined {
        let (outcome, mine, result) = thread.map_err(|_| Error::failed("a client thread ended unexpectedly"))??;
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
