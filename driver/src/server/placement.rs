//! Cores: which there are, and putting threads and backends on them.
//!
//! A core is one logical CPU here: of hyper-threads, which share what they compute with, one stands for its core and the
//! others stay idle. What is offline or outside the cpuset of this process or of the server's is no core at all.

use std::collections::BTreeSet;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use crate::error::{Error, Result};

/// Some of the machine's logical CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreSet(CpuSet);

impl CoreSet {
    pub fn of(cpus: impl IntoIterator<Item = usize>) -> Result<Self> {
        let mut set = CpuSet::new();
        for cpu in cpus {
            set.set(cpu).map_err(refused)?;
        }
        Ok(Self(set))
    }

    /// Those that process `pid` may run on: the kernel leaves out what is offline or outside its cpuset.
    fn allowed(pid: Pid) -> Result<Self> {
        sched_getaffinity(pid).map(Self).map_err(refused)
    }

    fn cpus(&self) -> impl Iterator<Item = usize> {
        (0..CpuSet::count()).filter(|&cpu| self.0.is_set(cpu).unwrap_or(false))
    }
}

/// The cores that clients and backends may both run on.
#[derive(Clone, Debug)]
pub struct Cores {
    /// All CPUs of this process.
    all: CoreSet,
    /// The CPU that stands for each core, in the kernel's order.
    cores: Vec<usize>,
}

impl Cores {
    /// Those of this process; with a server also of its `postmaster`.
    ///
    /// # Errors
    /// Where there is none.
    pub fn detect(postmaster: Option<i32>) -> Result<Self> {
        // the main thread's: sps pins only threads that it starts
        let all = CoreSet::allowed(Pid::this())?;
        let servers = postmaster.map(|pid| CoreSet::allowed(Pid::from_raw(pid))).transpose()?;
        let both = |cpu: &usize| servers.as_ref().is_none_or(|set| set.0.is_set(*cpu).unwrap_or(false));
        let cores = one_a_core(all.cpus().filter(both), siblings);
        if cores.is_empty() {
            return Err(Error::failed("this process and the server share no CPU").hint("use --pin free"));
        }
        Ok(Self { all, cores })
    }

    /// All CPUs of this process, cores or not.
    pub fn all(&self) -> &CoreSet {
        &self.all
    }

    /// The CPU of the `n`th core, counted round and round.
    pub fn nth(&self, n: usize) -> usize {
        self.cores[n % self.cores.len()]
    }

    pub fn count(&self) -> usize {
        self.cores.len()
    }
}

/// The first CPU of each core; `siblings` are the CPUs that share one with a CPU.
fn one_a_core(cpus: impl Iterator<Item = usize>, siblings: impl Fn(usize) -> BTreeSet<usize>) -> Vec<usize> {
    let mut taken = BTreeSet::new();
    let mut cores = Vec::new();
    for cpu in cpus {
        if taken.insert(cpu) {
            taken.extend(siblings(cpu));
            cores.push(cpu);
        }
    }
    cores
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

/// Pins a process of the server that is this connection's alone. It is not put back: it ends with the connection.
pub fn pin_backend(pid: i32, cpu: usize) -> Result<()> {
    sched_setaffinity(Pid::from_raw(pid), &CoreSet::of([cpu])?.0).map_err(refused)
}

/// A postmaster whose new backends run on chosen cores, for clients that connect by themselves; dropped, its own affinity
/// is back.
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
    use std::collections::BTreeSet;

    use super::{one_a_core, parse_list};

    #[test]
    fn sibling_lists_are_read_in_both_of_the_kernels_forms() {
        assert_eq!(parse_list("0,4").into_iter().collect::<Vec<_>>(), [0, 4]);
        assert_eq!(parse_list("0-1,8").into_iter().collect::<Vec<_>>(), [0, 1, 8]);
        assert!(parse_list("").is_empty());
    }

    #[test]
    fn of_hyper_threads_one_stands_for_the_core() {
        // numbered apart, as on most machines, and side by side
        let apart = |cpu: usize| BTreeSet::from([cpu % 4, cpu % 4 + 4]);
        assert_eq!(one_a_core(0..8, apart), [0, 1, 2, 3]);
        let beside = |cpu: usize| BTreeSet::from([cpu & !1, cpu | 1]);
        assert_eq!(one_a_core(0..8, beside), [0, 2, 4, 6]);
        // the first of them may be offline, or another cpuset's
        assert_eq!(one_a_core([1, 4, 5, 6].into_iter(), apart), [1, 4, 6]);
    }

    #[test]
    fn where_the_kernel_says_nothing_each_cpu_is_a_core() {
        assert_eq!(one_a_core([2, 3].into_iter(), |_| BTreeSet::new()), [2, 3]);
    }
}
