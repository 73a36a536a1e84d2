//! What SQL sees: settings that make each statement dearer, other activity, data beyond shared buffers. The same query as
//! `select_loop_check()`'s; and how the server was built and is reached, which that cannot tell.

use select_loop_keys::fill;

use super::Finding;
use crate::error::Result;
use crate::record::{Dataset, ServerInfo};
use crate::server::Session;

const CHECK: &str = include_str!("../../../../sql/check.sql");

pub fn inspect(session: &Session, info: &ServerInfo, dataset: Option<&Dataset>) -> Result<Vec<Finding>> {
    let regclass = |name: Option<&str>| match name {
        Some(name) => format!("{}::pg_catalog.regclass", quote_literal(name)),
        None => "NULL::pg_catalog.regclass".to_owned(),
    };
    let table = regclass(dataset.map(|data| data.relation.as_str()));
    let index = regclass(dataset.map(|data| data.index.as_str()));
    let rows = session.query(&fill(CHECK, &[("table", &table), ("index", &index)]), &[])?;
    let mut findings: Vec<Finding> = rows
        .iter()
        .map(|row| Finding {
            item: row.get(0),
            value: row.get(1),
            ok: row.get(2),
            hint: row.get::<_, Option<String>>(3).unwrap_or_default(),
        })
        .collect();
    findings.extend(optimisation(session));
    let hint = match info.transport.contains("pooler") {
        true => "a pooler passes each message on, which the wire arms pay for twice: connect to the server itself",
        false => "each message is encrypted, which the wire arms pay for: sslmode=disable",
    };
    findings.push(Finding::new("transport", info.transport.clone(), !info.transport.contains('+'), hint));
    Ok(findings)
}

/// By the compiler's flags; None where we may not see them.
fn optimisation(session: &Session) -> Option<Finding> {
    let row = session.query_opt("select setting from pg_config() where name = 'CFLAGS'", &[]).ok()??;
    let flags: String = row.get(0);
    let level = flags.split_whitespace().rfind(|flag| flag.starts_with("-O")).unwrap_or("no -O");
    let ok = !["-O0", "no -O", "-Og"].contains(&level);
    Some(Finding::new(
        "optimisation",
        level,
        ok,
        "this server was built without optimisation: measure a build with -O2",
    ))
}

/// As the server's quote_literal.
fn quote_literal(text: &str) -> String {
    let escape = if text.contains('\\') { "E" } else { "" };
    format!("{escape}'{}'", text.replace('\\', r"\\").replace('\'', "''"))
}
