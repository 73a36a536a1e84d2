//! Cores: which there are, and putting threads and backends on them.
//!
//! Backends inherit the affinity that the postmaster has when it forks them; so it is set before connecting and put
//! back afterwards. That needs a server on this machine, of the same user or with sps running as root.

use std::collections::BTreeSet;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use crate::error::{Error, Result};

/// Some of the machine's logical CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreSet(CpuSet);

impl CoreSet {
    fn of(cpus: impl IntoIterator<Item = usize>) -> Result<Self> {
        let mut set = CpuSet::new();
        for cpu in cpus {
            set.set(cpu).map_err(refused)?;
        }
        Ok(Self(set))
    }
}

/// The cores that this process may use, as it found them: one for clients, the rest for backends.
#[derive(Clone, Debug)]
pub struct Cores {
    all: CoreSet,
    client: CoreSet,
    other: Option<CoreSet>,
}

impl Cores {
    /// By the affinity of the process; two threads of one core are not two cores.
    pub fn detect() -> Result<Self> {
        // the main thread's: sps pins only threads that it starts
        let allowed = sched_getaffinity(Pid::this()).map_err(refused)?;
        let cpus: Vec<usize> = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false)).collect();
        let first = *cpus.first().ok_or_else(|| Error::failed("this process may run on no CPU"))?;
        let beside = siblings(first);
        let others: Vec<usize> = cpus.iter().copied().filter(|cpu| *cpu != first && !beside.contains(cpu)).collect();
        let other = if others.is_empty() { None } else { Some(CoreSet::of(others)?) };
        Ok(Self { all: CoreSet(allowed), client: CoreSet::of([first])?, other })
    }

    /// All of them.
    pub fn all(&self) -> &CoreSet {
        &self.all
    }

    /// One logical CPU, for client threads and for backends in `same` placement.
    pub fn client(&self) -> &CoreSet {
        &self.client
    }

    /// The CPUs of other cores; None where there is one core only.
    pub fn other(&self) -> Option<&CoreSet> {
        self.other.as_ref()
    }
}

/// The CPUs that share a core with `cpu`, itself included; empty where the kernel does not say.
fn siblings(cpu: usize) -> BTreeSet<usize> {
    let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    std::fs::read_to_string(file).map(|list| parse_list(list.trim())).unwrap_or_default()
}

/// A list as the kernel writes it: `0,4` or `0-1,8`.
fn parse_list(list: &str) -> BTreeSet<usize> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse().ok()?..=to.parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

/// Pins the calling thread until it ends.
pub fn pin_thread(cores: &CoreSet) -> Result<()> {
    sched_setaffinity(Pid::from_raw(0), &cores.0).map_err(refused)
}

/// A postmaster whose new backends run on chosen cores; dropped, its own affinity is back.
#[derive(Debug)]
pub struct Postmaster {
    pid: Pid,
    before: CpuSet,
}

impl Postmaster {
    /// # Errors
    /// When the process is another user's, or gone.
    pub fn pinned(pid: i32, cores: &CoreSet) -> Result<Self> {
        let pid = Pid::from_raw(pid);
        let before = sched_getaffinity(pid).map_err(refused)?;
        sched_setaffinity(pid, &cores.0).map_err(refused)?;
        Ok(Self { pid, before })
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        // it may have been stopped meanwhile, and then there is nothing to put back
        let _ = sched_setaffinity(self.pid, &self.before);
    }
}

fn refused(error: nix::errno::Errno) -> Error {
    Error::failed(format!("cannot set or read the cores that a process runs on: {error}")).hint("use --pin free")
}

#[cfg(test)]
mod tests {
    use super::parse_list;

    #[test]
    fn sibling_lists_are_read_in_both_of_the_kernels_forms() {
        assert_eq!(parse_list("0,4").into_iter().collect::<Vec<_>>(), [0, 4]);
        assert_eq!(parse_list("0-1,8").into_iter().collect::<Vec<_>>(), [0, 1, 8]);
        assert!(parse_list("").is_empty());
    }
}
