//! What else the server is doing now.

use super::Finding;
use crate::error::Result;
use crate::server::Session;

pub fn inspect(session: &Session) -> Result<Vec<Finding>> {
    let row = session.query_one(
        "select count(*) filter (where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()),
                count(*) filter (where backend_type = 'autovacuum worker'),
                count(*) filter (where backend_type = 'checkpointer' and wait_event is distinct from 'CheckpointerMain'),
                pg_has_role('pg_read_all_stats', 'usage')
         from pg_stat_activity",
        &[],
    )?;
    // without the privilege the columns are there, and empty
    let seen: bool = row.get(3);
    let count = |item: &str, number: i64, hint: &str| {
        let value = if seen { number.to_string() } else { "unknown (needs pg_read_all_stats)".to_owned() };
        Finding::new(item, value, !seen || number == 0, hint)
    };
    let vacuum: i64 = session.query_one("select count(*) from pg_stat_progress_vacuum", &[])?.get(0);
    Ok(vec![
        count("other active sessions", row.get(0), "they compete for cores and locks: measure when the server is idle"),
        count(
            "vacuums running",
            i64::max(row.get(1), vacuum),
            "they read the same pages and the same disks: wait for their end, or VACUUM (ANALYZE) now",
        ),
        count("checkpoints running", row.get(2), "pages are being written: CHECKPOINT first, then measure"),
    ])
}
