//! CPU time and switches around a block; every number is absent where the system does not tell it.

use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// What a thread or the finished children have used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    pub cpu_ns: i64,
    pub involuntary_switches: i64,
}

impl Used {
    /// By the calling thread.
    pub fn by_thread() -> Option<Self> {
        getrusage(UsageWho::RUSAGE_THREAD).ok().map(Self::of)
    }

    /// By all children that were waited for.
    pub fn by_children() -> Option<Self> {
        getrusage(UsageWho::RUSAGE_CHILDREN).ok().map(Self::of)
    }

    fn of(usage: Usage) -> Self {
        Self {
            cpu_ns: usage.user_time().num_nanoseconds() + usage.system_time().num_nanoseconds(),
            involuntary_switches: usage.involuntary_context_switches(),
        }
    }

    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns - before.cpu_ns,
            involuntary_switches: self.involuntary_switches - before.involuntary_switches,
        }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns + other.cpu_ns,
            involuntary_switches: self.involuntary_switches + other.involuntary_switches,
        }
    }
}

/// CPU time of the processes `pids` of this machine in nanoseconds; None unless all can be read.
///
/// `/proc/<pid>/schedstat` has the time on a core first, in nanoseconds, where `stat` has ticks of 10 ms.
pub fn of_processes(pids: impl IntoIterator<Item = i32>) -> Option<i64> {
    pids.into_iter().try_fold(0_i64, |sum, pid| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
        Some(sum + text.split_ascii_whitespace().next()?.parse::<i64>().ok()?)
    })
}

/// `/proc/stat` counts in USER_HZ, which is 100 on every architecture that Linux runs PostgreSQL on.
const TICK: Duration = Duration::from_millis(10);

/// Time that the hypervisor gave to others so far, over all CPUs, nanoseconds.
pub fn steal() -> Option<i64> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    // cpu user nice system idle iowait irq softirq steal
    let ticks = text.lines().next()?.split_ascii_whitespace().nth(8)?.parse::<i64>().ok()?;
    Some(ticks * TICK.as_nanos() as i64)
}
