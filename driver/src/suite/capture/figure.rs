//! Checkpoints and who wrote buffers, under one name each, whatever the server's version calls them.
//!
//! PostgreSQL 17 moved the checkpointer's columns out of pg_stat_bgwriter under new names, and left what backends write to
//! pg_stat_io; before, pg_stat_bgwriter had all of it.

use super::{Counters, metric};
use crate::results::Metric;

/// The source that these metrics have.
const SOURCE: &str = "server";

/// (our name, unit, view and column up to 16, view and column from 17 on)
type Figure = (&'static str, &'static str, (&'static str, &'static str), (&'static str, &'static str));

const FIGURES: [Figure; 8] = [
    ("checkpoints_timed", "", ("pg_stat_bgwriter", "checkpoints_timed"), ("pg_stat_checkpointer", "num_timed")),
    ("checkpoints_requested", "", ("pg_stat_bgwriter", "checkpoints_req"), ("pg_stat_checkpointer", "num_requested")),
    (
        "checkpoint_write_time",
        "ms",
        ("pg_stat_bgwriter", "checkpoint_write_time"),
        ("pg_stat_checkpointer", "write_time"),
    ),
    ("checkpoint_sync_time", "ms", ("pg_stat_bgwriter", "checkpoint_sync_time"), ("pg_stat_checkpointer", "sync_time")),
    (
        "buffers_checkpoint",
        "blocks",
        ("pg_stat_bgwriter", "buffers_checkpoint"),
        ("pg_stat_checkpointer", "buffers_written"),
    ),
    ("buffers_clean", "blocks", ("pg_stat_bgwriter", "buffers_clean"), ("pg_stat_bgwriter", "buffers_clean")),
    ("buffers_alloc", "blocks", ("pg_stat_bgwriter", "buffers_alloc"), ("pg_stat_bgwriter", "buffers_alloc")),
    ("maxwritten_clean", "", ("pg_stat_bgwriter", "maxwritten_clean"), ("pg_stat_bgwriter", "maxwritten_clean")),
];

/// All that the server's version counts, zeroes too: no checkpoint is a figure.
pub fn all(version: u32, changes: &Counters) -> Vec<Metric> {
    let moved = version >= 170_000;
    let mut found = Vec::new();
    for (name, unit, before, since) in FIGURES {
        let (view, column) = if moved { since } else { before };
        if let Some(change) = changes.get(&(view, column.to_owned(), String::new())) {
            found.push(metric(SOURCE, name, unit, *change));
        }
    }
    found.extend(by_backends(moved, changes).map(|blocks| metric(SOURCE, "buffers_backend", "blocks", blocks)));
    found
}

/// Blocks that backends had to write themselves. What they extend tables by is counted up to 16, and apart from 17 on.
fn by_backends(moved: bool, changes: &Counters) -> Option<f64> {
    if !moved {
        return changes.get(&("pg_stat_bgwriter", "buffers_backend".into(), String::new())).copied();
    }
    const BLOCK: f64 = 8192.0;
    let written = |(view, column, row): &&super::Name| {
        let part = column == "write_bytes" || column == "extend_bytes";
        *view == "pg_stat_io" && part && row.starts_with("client backend relation")
    };
    Some(changes.iter().filter(|(name, _)| written(name)).map(|(_, bytes)| bytes / BLOCK).sum())
}

#[cfg(test)]
mod tests {
    use super::{Counters, all};

    fn counters(of: &[(&'static str, &str, &str, f64)]) -> Counters {
        of.iter().map(|(view, column, row, value)| ((*view, (*column).into(), (*row).into()), *value)).collect()
    }

    fn figure(version: u32, changes: &Counters, name: &str) -> Option<f64> {
        all(version, changes).iter().find(|metric| metric.name == name).map(|metric| metric.delta)
    }

    #[test]
    fn figures_are_the_same_by_their_old_names_and_their_new_ones() {
        let old = counters(&[
            ("pg_stat_bgwriter", "checkpoints_timed", "", 1.0),
            ("pg_stat_bgwriter", "checkpoints_req", "", 2.0),
            ("pg_stat_bgwriter", "buffers_checkpoint", "", 300.0),
            ("pg_stat_bgwriter", "buffers_clean", "", 40.0),
            ("pg_stat_bgwriter", "buffers_backend", "", 5.0),
        ]);
        let new = counters(&[
            ("pg_stat_checkpointer", "num_timed", "", 1.0),
            ("pg_stat_checkpointer", "num_requested", "", 2.0),
            ("pg_stat_checkpointer", "buffers_written", "", 300.0),
            ("pg_stat_bgwriter", "buffers_clean", "", 40.0),
            ("pg_stat_io", "write_bytes", "client backend relation normal", 3.0 * 8192.0),
            ("pg_stat_io", "extend_bytes", "client backend relation normal", 2.0 * 8192.0),
            ("pg_stat_io", "write_bytes", "checkpointer relation normal", 300.0 * 8192.0),
        ]);
        for name in
            ["checkpoints_timed", "checkpoints_requested", "buffers_checkpoint", "buffers_clean", "buffers_backend"]
        {
            assert_eq!(figure(150_020, &old, name), figure(180_000, &new, name), "{name}");
            assert!(figure(150_020, &old, name).is_some(), "{name}");
        }
        // a column of the name that another version uses is not taken for it
        assert_eq!(figure(180_000, &old, "checkpoints_timed"), None);
    }
}
