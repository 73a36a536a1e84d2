//! A backend hands in what it has counted at the latest when it ends, and it ends a moment after its client has gone.

use std::time::{Duration, Instant};

use crate::error::Result;
use crate::server::Session;

/// Longest wait: what others of our name do on a busy server must not hold up a suite.
const PATIENCE: Duration = Duration::from_secs(1);

/// The client backends that are there now and belong to this role and machine.
pub fn backends(session: &Session) -> Result<Vec<i32>> {
    let rows = session.query(
        "select pid from pg_stat_activity
         where backend_type = 'client backend' and datname = current_database() and usename = current_user
           and client_addr is not distinct from inet_client_addr() and pid <> pg_backend_pid()",
        &[],
    )?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Returns when all backends but those in `before` have ended, or after a second.
pub fn wait_until_quiet(session: &Session, before: &[i32]) -> Result<()> {
    let begun = Instant::now();
    while backends(session)?.iter().any(|pid| !before.contains(pid)) && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
