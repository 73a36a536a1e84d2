//! Is there room for all connections? Asked before anything is recorded, not found out in the middle of connecting.

use crate::error::{Error, Result};
use crate::server::Target;

use super::plan::{Arm, Kind};

/// Beside the arms' own: the snapshot's exporter, and a session that warms the data or watches.
const OURS: i64 = 2;

/// An error where `clients` connections an arm are more than the server has left. Not asked of a pooler, which queues them.
pub fn check(target: &Target, arms: &[Arm], clients: usize) -> Result<()> {
    if target.info.transport.contains("pooler") {
        return Ok(());
    }
    let row = target.session()?.query_one(
        "SELECT current_setting('max_connections')::bigint
                - CASE WHEN current_setting('is_superuser') = 'on' THEN 0
                       ELSE current_setting('superuser_reserved_connections')::bigint
                            + coalesce(current_setting('reserved_connections', true), '0')::bigint END
                - (SELECT count(*) FROM pg_catalog.pg_stat_activity
                   WHERE datid IS NOT NULL AND pid <> pg_catalog.pg_backend_pid())",
        &[],
    )?;
    let free: i64 = row.try_get(0)?;
    let clients = clients as i64;
    let pgbench = arms.iter().any(|arm| matches!(arm.kind, Kind::Pgbench(..)));
    let own = arms.iter().filter(|arm| !matches!(arm.kind, Kind::Pgbench(..))).count() as i64;
    // pgbench's come when the others are gone
    let need = (own * clients).max(if pgbench { clients + 1 } else { 0 }) + OURS;
    if need <= free {
        return Ok(());
    }
    Err(Error::failed(format!("{need} connections are needed at once, and the server has room for {free}")).hint(
        "every arm has connections of its own, one a client: lower -c, name fewer arms or one placement (--pin), or raise \
         max_connections (private server: --set max_connections=…)",
    ))
}
