//! The clocks and counters around a loop.
//!
//! Counterpart: src/include/portability/instr_time.h (CLOCK_MONOTONIC), src/backend/utils/misc/pg_rusage.c,
//! src/backend/executor/instrument.c (`pgBufferUsage`).

use perf_event::events::Hardware;
use perf_event::{Builder, Counter};
use pgrx::pg_sys;

/// Differences over the timed stretch. Times in nanoseconds, buffers in pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    pub elapsed_ns: i64,
    pub user_ns: i64,
    pub system_ns: i64,
    pub shared_hit: i64,
    pub shared_read: i64,
    /// In user mode; None where there is no counter: virtual machines, perf_event_paranoid above 2.
    pub instructions: Option<i64>,
}

impl Reading {
    /// Both stretches together.
    #[must_use]
    pub fn plus(self, other: &Self) -> Self {
        Self {
            elapsed_ns: self.elapsed_ns + other.elapsed_ns,
            user_ns: self.user_ns + other.user_ns,
            system_ns: self.system_ns + other.system_ns,
            shared_hit: self.shared_hit + other.shared_hit,
            shared_read: self.shared_read + other.shared_read,
            instructions: self.instructions.zip(other.instructions).map(|(mine, others)| mine + others),
        }
    }
}

/// A running stopwatch; reading it stops it.
pub struct Stopwatch {
    at_start: Reading,
    instructions: Option<Counter>,
}

impl Stopwatch {
    #[inline(never)]
    pub fn start() -> Self {
        let mut at_start = counters();
        let mut instructions = Builder::new(Hardware::INSTRUCTIONS).exclude_kernel(true).build().ok();
        if let Some(counter) = &mut instructions
            && counter.enable().is_err()
        {
            instructions = None;
        }
        // the clock last, so that reading the counters is not timed
        at_start.elapsed_ns = monotonic_ns();
        Self { at_start, instructions }
    }

    #[inline(never)]
    pub fn stop(mut self) -> Reading {
        let end = monotonic_ns();
        let instructions = self.instructions.as_mut().and_then(|counter| counter.read().ok());
        let counted = counters();
        Reading {
            elapsed_ns: end - self.at_start.elapsed_ns,
            user_ns: counted.user_ns - self.at_start.user_ns,
            system_ns: counted.system_ns - self.at_start.system_ns,
            shared_hit: counted.shared_hit - self.at_start.shared_hit,
            shared_read: counted.shared_read - self.at_start.shared_read,
            instructions: instructions.map(|count| count as i64),
        }
    }
}

fn counters() -> Reading {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: getrusage fills the struct and cannot fail with these arguments; the struct is plain old data
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    // SAFETY: pgBufferUsage belongs to this backend, which has one thread; two integers are copied
    let (shared_hit, shared_read) =
        unsafe { (pg_sys::pgBufferUsage.shared_blks_hit, pg_sys::pgBufferUsage.shared_blks_read) };
    Reading {
        elapsed_ns: 0,
        user_ns: timeval_ns(usage.ru_utime),
        system_ns: timeval_ns(usage.ru_stime),
        shared_hit,
        shared_read,
        instructions: None,
    }
}

fn timeval_ns(time: libc::timeval) -> i64 {
    time.tv_sec * 1_000_000_000 + time.tv_usec * 1_000
}

/// CLOCK_MONOTONIC in nanoseconds; the same clock as the driver's.
pub fn monotonic_ns() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every Linux; the struct is ours
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
