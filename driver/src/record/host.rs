//! What a record says of the machine and the tool. What cannot be read is absent, not guessed.

use std::fs;

use procfs::{Current, CurrentSI};

use super::{Host, Tool};

impl Tool {
    /// This build of sps.
    pub fn this() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            git_commit: option_env!("SPS_GIT_COMMIT").map(str::to_owned).filter(|commit| !commit.is_empty()),
        }
    }
}

impl Host {
    /// The machine that this process runs on.
    pub fn this() -> Self {
        let cpu = procfs::CpuInfo::current().ok();
        let memory = procfs::Meminfo::current().ok();
        Self {
            hostname: nix::unistd::gethostname()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_else(|_| "unknown".into()),
            cpu_model: cpu.as_ref().and_then(|cpu| cpu.model_name(0)).map(str::to_owned),
            cpus: cpu.map_or(1, |cpu| cpu.num_cores()),
            kernel: line_of("/proc/sys/kernel/osrelease"),
            governor: line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            memory_bytes: memory.as_ref().map(|memory| memory.mem_total),
            transparent_huge_pages: line_of("/sys/kernel/mm/transparent_hugepage/enabled").map(|line| chosen(&line)),
            huge_pages: memory.and_then(|memory| memory.hugepages_total),
            load: procfs::LoadAverage::current().ok().map(|load| load.one),
            steal: steal(),
            // what std::time::Instant reads on Linux
            clock: "CLOCK_MONOTONIC".into(),
        }
    }
}

/// The word in brackets of `always [madvise] never`.
fn chosen(line: &str) -> String {
    let word = line.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    word.map_or(line, |(word, _)| word).to_owned()
}

fn steal() -> Option<f64> {
    let cpu = procfs::KernelStats::current().ok()?.total;
    // guests' time is within user's and nice's
    let rest = [cpu.iowait, cpu.irq, cpu.softirq, cpu.steal].map(|ticks| ticks.unwrap_or(0));
    let all = cpu.user + cpu.nice + cpu.system + cpu.idle + rest.iter().sum::<u64>();
    Some(cpu.steal? as f64 / all.max(1) as f64)
}

fn line_of(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|line| !line.is_empty())
}
