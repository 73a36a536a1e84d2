//! The machine: CPU, memory, disks. From /proc, whose counters become rates since the look before.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use procfs::{CpuTime, Current, CurrentSI, Meminfo};

use super::{Look, Taken};
use crate::error::{Error, Result};
use crate::results::Sample;

pub struct Machine {
    at: Instant,
    cpu: CpuTime,
    disks: BTreeMap<String, Disk>,
}

/// Counters of one disk.
#[derive(Clone, Copy, Default)]
struct Disk {
    read_bytes: f64,
    written_bytes: f64,
    reads: f64,
    writes: f64,
    busy_ms: f64,
}

/// /proc/diskstats counts in these, whatever the disk's own are.
const SECTOR: f64 = 512.0;

impl Machine {
    pub fn new() -> Result<Self> {
        Ok(Self { at: Instant::now(), cpu: cpu()?, disks: disks() })
    }
}

impl Look for Machine {
    fn interval(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn look(&mut self, at: f64, taken: &mut Taken) {
        let mut add = |name: &str, unit: &str, value: f64| {
            let (source, name, unit) = ("host".to_owned(), name.to_owned(), unit.to_owned());
            taken.samples.push(Sample { source, name, unit, at, value });
        };
        let seconds = self.at.elapsed().as_secs_f64();
        self.at = Instant::now();
        if let Ok(now) = cpu() {
            let before = std::mem::replace(&mut self.cpu, now);
            let shares = shares(&before, &self.cpu);
            shares.into_iter().for_each(|(name, share)| add(name, "share", share));
        }
        if let Ok(memory) = Meminfo::current() {
            add("memory_dirty", "bytes", memory.dirty as f64);
            add("memory_writeback", "bytes", memory.writeback as f64);
            add("memory_cached", "bytes", memory.cached as f64);
            if let Some(available) = memory.mem_available {
                add("memory_available", "bytes", available as f64);
            }
        }
        let now = disks();
        for (name, disk) in &now {
            let Some(before) = self.disks.get(name) else { continue };
            let mut rate = |what: &str, unit: &str, after: f64, before: f64| {
                add(&format!("disk_{what} {name}"), unit, (after - before) / seconds);
            };
            rate("read", "bytes/s", disk.read_bytes, before.read_bytes);
            rate("written", "bytes/s", disk.written_bytes, before.written_bytes);
            rate("reads", "1/s", disk.reads, before.reads);
            rate("writes", "1/s", disk.writes, before.writes);
            rate("busy", "share", disk.busy_ms / 1e3, before.busy_ms / 1e3);
        }
        self.disks = now;
    }
}

fn cpu() -> Result<CpuTime> {
    let stat =
        procfs::KernelStats::current().map_err(|error| Error::failed(format!("cannot read /proc/stat: {error}")))?;
    Ok(stat.total)
}

/// Shares of all CPUs' time between two readings.
fn shares(before: &CpuTime, after: &CpuTime) -> Vec<(&'static str, f64)> {
    let since = |part: fn(&CpuTime) -> u64| part(after).saturating_sub(part(before)) as f64;
    let parts = [
        ("cpu_user", since(|cpu| cpu.user + cpu.nice)),
        ("cpu_system", since(|cpu| cpu.system + cpu.irq.unwrap_or(0) + cpu.softirq.unwrap_or(0))),
        ("cpu_iowait", since(|cpu| cpu.iowait.unwrap_or(0))),
        ("cpu_steal", since(|cpu| cpu.steal.unwrap_or(0))),
        ("cpu_idle", since(|cpu| cpu.idle)),
    ];
    let all: f64 = parts.iter().map(|(_, ticks)| ticks).sum();
    if all > 0.0 { parts.map(|(name, ticks)| (name, ticks / all)).to_vec() } else { Vec::new() }
}

/// Whole disks that have done anything: partitions would count twice, and loop and RAM devices are no disks.
fn disks() -> BTreeMap<String, Disk> {
    let whole = |name: &str| {
        std::path::Path::new("/sys/block").join(name).exists()
            && !["loop", "ram", "zram", "dm-", "md"].iter().any(|kind| name.starts_with(kind))
    };
    let stats = procfs::diskstats().unwrap_or_default();
    let used = stats.into_iter().filter(|disk| disk.reads + disk.writes > 0 && whole(&disk.name));
    used.map(|disk| {
        let counters = Disk {
            read_bytes: disk.sectors_read as f64 * SECTOR,
            written_bytes: disk.sectors_written as f64 * SECTOR,
            reads: disk.reads as f64,
            writes: disk.writes as f64,
            busy_ms: disk.time_in_progress as f64,
        };
        (disk.name, counters)
    })
    .collect()
}
