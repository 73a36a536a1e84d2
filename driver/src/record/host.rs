//! What a record says of the machine and the tool. What cannot be read is absent, not guessed.

use std::fs;

use procfs::Current;

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
        Self {
            hostname: nix::unistd::gethostname()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_else(|_| "unknown".into()),
            cpu_model: cpu.as_ref().and_then(|cpu| cpu.model_name(0)).map(str::to_owned),
            cpus: cpu.map_or(1, |cpu| cpu.num_cores()),
            kernel: line_of("/proc/sys/kernel/osrelease"),
            governor: line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            memory_bytes: procfs::Meminfo::current().ok().map(|memory| memory.mem_total),
            // what std::time::Instant reads on Linux
            clock: "CLOCK_MONOTONIC".into(),
        }
    }
}

fn line_of(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|line| !line.is_empty())
}
