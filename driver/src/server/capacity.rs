//! What the machine has: memory and disk space.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::record::ServerInfo;
use crate::server::Session;

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

/// Where a server on this machine keeps the database's files; None where that cannot be known.
pub fn data_directory(info: &ServerInfo, session: &Session) -> Result<Option<PathBuf>> {
    if !info.local {
        return Ok(None);
    }
    // a database in a tablespace of its own is where that is
    let row = session.query_one(
        "select case when pg_has_role('pg_read_all_settings', 'usage')
                then coalesce(nullif(pg_tablespace_location(t.oid), ''), current_setting('data_directory', true)) end
         from pg_database d join pg_tablespace t on t.oid = d.dattablespace where d.datname = current_database()",
        &[],
    )?;
    let path = row.get::<_, Option<String>>(0).map(PathBuf::from);
    Ok(path.filter(|path| free_bytes(path).is_ok()))
}

/// `150 MB`, `1.5 GB`.
pub fn human(bytes: u64) -> String {
    match bytes {
        0..1_000_000_000 => format!("{} MB", bytes.div_ceil(1_000_000)),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
