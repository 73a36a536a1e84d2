//! Is there a pooler between us and the server?
//!
//! At the end of the start-up a server tells the process id that a cancel request has to name (BackendKeyData). It is our
//! backend's, and shows in pg_stat_activity; a pooler makes one up, since the backend behind it changes.

use crate::error::Result;
use crate::server::{Config, Session};
use crate::wire::LeanConnection;

/// True where `config` leads to a pooler; `session` is on the same server. False, too, where it cannot be found out.
pub fn between(config: &Config, session: &Session) -> Result<bool> {
    // it stays open until the end, and so does the backend that we look for
    let Ok(connection) = LeanConnection::connect(config) else { return Ok(false) };
    let Some(pid) = connection.key_process() else { return Ok(false) };
    let row = session.query_one("select exists (select from pg_stat_activity where pid = $1)", &[&pid])?;
    Ok(!row.get::<_, bool>(0))
}
