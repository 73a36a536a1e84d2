//! Ctrl-C, SIGTERM and a terminal that is closed: cancel what runs on the server, keep what was measured, exit 130.
//!
//! Signals are awaited on a thread of their own, since the measuring thread is blocked in a read. The first one sets a
//! flag and cancels everything registered; the blocked read then ends with the server's "canceling statement". A second
//! one gives up on the server's answer: the sockets are shut down, and the way out still runs every clean-up.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::{Error, Result};

static REQUESTED: AtomicBool = AtomicBool::new(false);
static NEXT: AtomicU64 = AtomicU64::new(0);
static RUNNING: Mutex<Vec<(u64, Box<dyn Stop>)>> = Mutex::new(Vec::new());

/// A cancel that arrives between two requests does nothing: it is sent again, this often and this many times.
const REPEAT: Duration = Duration::from_millis(200);
const REPEATS: u32 = 25;

/// Something that runs and can be stopped from another thread.
pub trait Stop: Send {
    /// Asks it to end; it may still answer.
    fn cancel(&self);
    /// Ends it without waiting for an answer.
    fn abandon(&self);
}

/// Takes its entry off the list when dropped.
#[derive(Debug)]
pub struct Registration(u64);

impl Drop for Registration {
    fn drop(&mut self) {
        let found = {
            let mut running = running();
            running.iter().position(|(id, _)| *id == self.0).map(|at| running.swap_remove(at))
        };
        // dropped outside the lock: it may hold a socket
        drop(found);
    }
}

/// Starts to listen for signals; once is enough for a process, more do no harm.
pub fn install() -> Result<()> {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let mut signals = Signals::new(terminations().into_iter().chain([SIGINT]))?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for _ in signals.forever() {
            if REQUESTED.swap(true, Ordering::SeqCst) {
                abandon_all();
            } else {
                // a thread of its own: a cancel that hangs must not keep the second signal waiting
                let _ = std::thread::Builder::new().name("cancel".into()).spawn(cancel_all);
            }
        }
    })?;
    Ok(())
}

/// SIGTERM, and SIGHUP unless it is ignored: nohup is to keep its promise.
pub fn terminations() -> Vec<i32> {
    // /proc's mask: bit 0 is signal 1
    let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    let hangup = ignored.unwrap_or(0) & (1 << (SIGHUP - 1)) == 0;
    [SIGTERM].into_iter().chain(hangup.then_some(SIGHUP)).collect()
}

fn cancel_all() {
    for _ in 0..REPEATS {
        {
            let running = running();
            if running.is_empty() {
                return;
            }
            running.iter().for_each(|(_, stop)| stop.cancel());
        }
        std::thread::sleep(REPEAT);
    }
}

/// Gives up on everything that runs: whoever waits for an answer sees the connection's end.
pub fn abandon_all() {
    running().iter().for_each(|(_, stop)| stop.abandon());
}

/// Has the user asked to stop?
#[inline]
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// # Errors
/// [`Error::interrupted`] once the user has asked to stop.
pub fn check() -> Result<()> {
    if requested() { Err(Error::interrupted()) } else { Ok(()) }
}

/// Has `stop` cancelled on the first signal, until the registration is dropped.
pub fn register(stop: impl Stop + 'static) -> Registration {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    running().push((id, Box::new(stop)));
    Registration(id)
}

fn running() -> MutexGuard<'static, Vec<(u64, Box<dyn Stop>)>> {
    // the list is whole after every statement, so a panic elsewhere leaves nothing to distrust
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
