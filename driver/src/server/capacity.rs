//! What the machine has: memory and disk space.

use std::path::Path;

use crate::error::{Error, Result};

/// Bytes of memory, or of the control group's limit where that is lower.
pub fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let total = line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024;
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|text| text.trim().parse::<u64>().ok());
    Some(limit.map_or(total, |limit| limit.min(total)))
}

/// Bytes that an unprivileged user may still write to the file system of `path`.
pub fn free_bytes(path: &Path) -> Result<u64> {
    let found = nix::sys::statvfs::statvfs(path)
        .map_err(|error| Error::failed(format!("cannot ask for the free space of {}: {error}", path.display())))?;
    Ok(found.blocks_available() * found.fragment_size())
}

/// An error unless `need` bytes are free at `path`.
pub fn check_space(path: &Path, need: u64) -> Result<()> {
    let free = free_bytes(path)?;
    if free < need {
        return Err(Error::failed(format!(
            "not enough disk space in {}: {} needed, {} free",
            path.display(),
            human(need),
            human(free)
        ))
        .hint("choose a smaller scale, or a place with more room (for a private server by TMPDIR)"));
    }
    Ok(())
}

/// `150 MB`, `1.5 GB`.
pub fn human(bytes: u64) -> String {
    match bytes {
        0..1_000_000_000 => format!("{} MB", bytes.div_ceil(1_000_000)),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
