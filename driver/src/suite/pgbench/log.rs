//! pgbench's log of single transactions (-l), read for its latencies: percentiles averaged from lines of summary would be
//! none.
//!
//! A line is `client transaction latency script second microsecond [lag]`, times in microseconds; what stands in the
//! latency's place of a transaction that failed or was skipped is a word. doLog in src/bin/pgbench/pgbench.c.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use crate::error::Result;
use crate::record::Waits;

/// Adds every log in `folder` to `waits`.
pub fn read(folder: &Path, waits: &mut Waits) -> Result<()> {
    let mut line = String::new();
    for entry in std::fs::read_dir(folder)? {
        let mut log = BufReader::with_capacity(1 << 16, File::open(entry?.path())?);
        while log.read_line(&mut line)? > 0 {
            add(&line, waits);
            line.clear();
        }
    }
    Ok(())
}

fn add(line: &str, waits: &mut Waits) {
    let mut fields = line.split_ascii_whitespace();
    let mut next = |skipped: usize| Some(Duration::from_micros(fields.nth(skipped)?.parse().ok()?));
    if let Some(latency) = next(2) {
        waits.add(latency);
        if let Some(lag) = next(3) {
            waits.lagged(lag);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::record::{Unit, Waits};

    #[test]
    fn latencies_are_read_and_what_failed_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let log =
            "0 1 1000 0 1700000000 1\n0 2 failed 0 1700000000 2\n0 3 skipped 0 1700000000 3\n1 1 3000 0 1700000001 4\n";
        std::fs::write(folder.path().join("log.1"), log).unwrap();
        std::fs::write(folder.path().join("log.1.1"), "2 1 2000 0 1700000001 5 250\n").unwrap();
        let mut waits = Waits::new(None).unwrap();
        super::read(folder.path(), &mut waits).unwrap();
        let latency = waits.latency(Unit::Transaction).unwrap();
        assert_eq!((latency.count, latency.mean_ns, latency.max_ns), (3, 2e6, 3_000_000));
        assert!(latency.p50_ns.abs_diff(2_000_000) < 20_000, "{latency:?}");
        assert_eq!(latency.lag_max_ns, Some(250_000));
    }
}
