//! The connection parameters that libpq knows, the environment variable of each, and which of them sps honours.
//!
//! Counterpart: PQconninfoOptions in src/interfaces/libpq/fe-connect.c. A parameter that sps cannot honour is an error
//! that names it, never ignored.

use crate::error::{Error, Result};

/// Parameters that sps reads, with libpq's environment variable ("" where it has none).
const READ: [(&str, &str); 32] = [
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("dbname", "PGDATABASE"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("passfile", "PGPASSFILE"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("options", "PGOPTIONS"),
    ("application_name", "PGAPPNAME"),
    ("fallback_application_name", ""),
    ("client_encoding", "PGCLIENTENCODING"),
    ("keepalives", ""),
    ("keepalives_idle", ""),
    ("keepalives_interval", ""),
    ("keepalives_count", ""),
    ("tcp_user_timeout", ""),
    ("target_session_attrs", "PGTARGETSESSIONATTRS"),
    ("load_balance_hosts", "PGLOADBALANCEHOSTS"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("service", "PGSERVICE"),
    ("servicefile", "PGSERVICEFILE"),
    ("sslmode", "PGSSLMODE"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("sslcertmode", "PGSSLCERTMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcrl", "PGSSLCRL"),
    ("sslsni", "PGSSLSNI"),
    ("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION"),
    ("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION"),
];

/// Parameters that sps does not honour, with libpq's environment variable and the values that ask for nothing.
const REFUSED: [(&str, &str, &[&str]); 20] = [
    ("gssencmode", "PGGSSENCMODE", &["prefer", "disable"]),
    ("gssdelegation", "PGGSSDELEGATION", &["0"]),
    ("gsslib", "PGGSSLIB", &[]),
    ("krbsrvname", "PGKRBSRVNAME", &["postgres"]),
    // what we speak is at most that
    ("max_protocol_version", "PGMAXPROTOCOLVERSION", &["3.0", "3.2", "latest"]),
    ("min_protocol_version", "PGMINPROTOCOLVERSION", &["3.0"]),
    ("oauth_issuer", "", &[]),
    ("oauth_client_id", "", &[]),
    ("oauth_client_secret", "", &[]),
    ("oauth_scope", "", &[]),
    ("replication", "", &["false", "off", "no", "0"]),
    ("require_auth", "PGREQUIREAUTH", &[]),
    ("requirepeer", "PGREQUIREPEER", &[]),
    ("requiressl", "PGREQUIRESSL", &["0"]),
    ("scram_client_key", "", &[]),
    ("scram_server_key", "", &[]),
    ("sslcompression", "PGSSLCOMPRESSION", &["0"]),
    ("sslcrldir", "PGSSLCRLDIR", &[]),
    ("sslkeylogfile", "", &[]),
    ("sslpassword", "", &[]),
];

/// Parameters that the environment can set, with their variables.
pub fn parameters() -> impl Iterator<Item = (&'static str, &'static str)> {
    let refused = REFUSED.iter().map(|(name, variable, _)| (*name, *variable));
    READ.iter().copied().chain(refused).filter(|(_, variable)| !variable.is_empty())
}

/// libpq's variables.
pub fn variables() -> impl Iterator<Item = &'static str> {
    parameters().map(|(_, variable)| variable)
}

/// An error unless sps can do what the parameter asks; `plain`: TLS is off, so how it would be done is of no matter.
pub fn check(name: &str, value: &str, source: &str, plain: bool) -> Result<()> {
    if READ.iter().any(|(known, _)| *known == name) {
        return Ok(());
    }
    match REFUSED.iter().find(|(known, _, _)| *known == name) {
        None => Err(Error::usage(format!("unknown connection parameter \"{name}\" in {source}"))
            .hint("parameters are those of libpq: host, port, user, dbname, password, …")),
        Some((_, _, harmless)) if harmless.contains(&value) || value.is_empty() => Ok(()),
        Some(_) if plain && name.starts_with("ssl") => Ok(()),
        Some(_) => Err(Error::failed(format!("connection parameter \"{name}\" is not supported (set by {source})"))
            .hint("leave it out: sps knows passwords, certificates and TLS, but not all that libpq does")),
    }
}
