//! What a server says of itself: version, transport, settings that are not default, where its postmaster is.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::record::{Build, ServerInfo};
use crate::server::Session;

/// Asks the server for what a record keeps of it, and for the extension's schema, quoted. `local` holds by transport only.
pub fn describe(session: &Session) -> Result<(ServerInfo, Option<String>)> {
    let row = session.query_one(
        "select current_setting('server_version_num')::int, version(), current_database()::text, pg_is_in_recovery(),
                coalesce(current_setting('debug_assertions', true), 'off') = 'on',
                current_user::text, coalesce(inet_server_addr() = inet_client_addr() or inet_server_addr() << '127.0.0.0/8', true)",
        &[],
    )?;
    let extension = session.query_opt(
        "select quote_ident(n.nspname), e.extversion from pg_extension e join pg_namespace n on n.oid = e.extnamespace
         where e.extname = 'select_loop'",
        &[],
    )?;
    let info = ServerInfo {
        version_num: row.get::<_, i32>(0) as u32,
        version: row.get(1),
        transport: session.transport().to_owned(),
        tls: session.tls().map(str::to_owned),
        private: false,
        local: row.get(6),
        extension: extension.as_ref().map(|row| row.get(1)),
        database: row.get(2),
        user: row.get(5),
        settings: non_default(session)?,
        in_recovery: row.get(3),
        assertions: row.get(4),
        build: build(session)?,
    };
    Ok((info, extension.map(|row| row.get(0))))
}

/// How the server was built, where this user may ask: superusers may, others where it was granted.
fn build(session: &Session) -> Result<Option<Build>> {
    // permission is looked at before any row: a condition in the same query would not help
    let may = session.query_one("select has_function_privilege('pg_catalog.pg_config()', 'execute')", &[])?;
    if !may.get::<_, bool>(0) {
        return Ok(None);
    }
    let row = session.query_one(
        "select coalesce(max(setting) filter (where name = 'CONFIGURE'), ''),
                coalesce(max(setting) filter (where name = 'CFLAGS'), '')
         from pg_catalog.pg_config()",
        &[],
    )?;
    Ok(Some(Build { configure: row.get(0), cflags: row.get(1) }))
}

/// Settings whose value is not the built-in one, with units. What may hold a password or a command is named, not shown.
pub fn non_default(session: &Session) -> Result<BTreeMap<String, String>> {
    let rows = session.query(
        "select name,
                case when name ~ '(conninfo|command|passphrase|cleanup)' then '(set)' else current_setting(name) end
         from pg_settings
         where setting is distinct from boot_val and source not in ('default', 'client')
           and context <> 'internal' or name = 'huge_pages_status'",
        &[],
    )?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// The postmaster's process id, where the server runs on this machine and shows among its processes: our backend's parent.
pub fn local_postmaster(session: &Session) -> Result<Option<i32>> {
    let row =
        session.query_one("select pg_backend_pid(), coalesce(inet_server_addr() = inet_client_addr() or inet_server_addr() << '127.0.0.0/8', true)", &[])?;
    let (backend, local): (i32, bool) = (row.get(0), row.get(1));
    // the id may mean another process here when the server is in a container: both have to look like PostgreSQL's
    let looks = |pid: i32| process(pid).is_some_and(|(name, _)| name.starts_with("postgres"));
    let parent = process(backend).map(|(_, parent)| parent);
    Ok(parent.filter(|parent| local && looks(backend) && looks(*parent)))
}

/// Name and parent of a process.
fn process(pid: i32) -> Option<(String, i32)> {
    let stat = procfs::process::Process::new(pid).ok()?.stat().ok()?;
    Some((stat.comm, stat.ppid))
}

/// May we set another process's affinity: ours, or are we root?
pub fn may_signal(pid: i32) -> bool {
    let me = nix::unistd::geteuid();
    me.is_root() || procfs::process::Process::new(pid).and_then(|p| p.uid()).is_ok_and(|uid| uid == me.as_raw())
}
