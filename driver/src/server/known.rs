//! The connection parameters that libpq knows, the environment variable of each, and which of them sps honours.
//!
//! Counterpart: PQconninfoOptions in src/interfaces/libpq/fe-connect.c. A parameter that sps cannot honour is an error
//! that names it, never ignored.

use crate::error::{Error, Result};

/// Parameters that sps reads, with libpq's environment variable ("" where it has none).
const READ: [(&str, &str); 21] = [
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
    ("sslmode", "PGSSLMODE"),
    ("service", "PGSERVICE"),
];

/// Parameters that sps does not honour, with libpq's environment variable and the values that change nothing.
const REFUSED: [(&str, &str, &[&str]); 24] = [
    ("channel_binding", "PGCHANNELBINDING", &["prefer", "disable"]),
    ("gssencmode", "PGGSSENCMODE", &["prefer", "disable"]),
    ("gssdelegation", "PGGSSDELEGATION", &["0"]),
    ("gsslib", "PGGSSLIB", &[]),
    ("krbsrvname", "PGKRBSRVNAME", &["postgres"]),
    ("max_protocol_version", "PGMAXPROTOCOLVERSION", &["3.0"]),
    ("min_protocol_version", "PGMINPROTOCOLVERSION", &["3.0"]),
    ("replication", "", &["false", "off", "no", "0"]),
    ("require_auth", "PGREQUIREAUTH", &[]),
    ("requirepeer", "PGREQUIREPEER", &[]),
    ("requiressl", "PGREQUIRESSL", &["0"]),
    ("servicefile", "PGSERVICEFILE", &[]),
    ("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION", &[]),
    ("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION", &["TLSv1.2"]),
    ("sslcert", "PGSSLCERT", &[]),
    ("sslcertmode", "PGSSLCERTMODE", &["disable", "allow"]),
    ("sslcompression", "PGSSLCOMPRESSION", &["0"]),
    ("sslcrl", "PGSSLCRL", &[]),
    ("sslcrldir", "PGSSLCRLDIR", &[]),
    ("sslkey", "PGSSLKEY", &[]),
    ("sslnegotiation", "PGSSLNEGOTIATION", &["postgres"]),
    ("sslpassword", "", &[]),
    ("sslrootcert", "PGSSLROOTCERT", &[]),
    ("sslsni", "PGSSLSNI", &["0", "1"]),
];

/// Parameters that the environment can set, with their variables.
pub fn variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let refused = REFUSED.iter().map(|(name, variable, _)| (*name, *variable));
    READ.iter().copied().chain(refused).filter(|(_, variable)| !variable.is_empty())
}

/// An error unless sps can do what the parameter asks; `plain`: TLS is off, so how it would be done is of no matter.
pub fn check(name: &str, value: &str, source: &str, plain: bool) -> Result<()> {
    if name == "service" {
        return Err(Error::failed(format!("services are not read yet ({source} names one)"))
            .hint("give -h, -p, -U and -d, or a connection string"));
    }
    if READ.iter().any(|(known, _)| *known == name) {
        return Ok(());
    }
    match REFUSED.iter().find(|(known, _, _)| *known == name) {
        None => Err(Error::usage(format!("unknown connection parameter \"{name}\" in {source}"))
            .hint("parameters are those of libpq: host, port, user, dbname, password, …")),
        Some((_, _, harmless)) if harmless.contains(&value) || value.is_empty() => Ok(()),
        Some(_) if plain && name.starts_with("ssl") => Ok(()),
        Some(_) => Err(Error::failed(format!("connection parameter \"{name}\" is not supported (set by {source})"))
            .hint("leave it out; sps connects without TLS and GSSAPI")),
    }
}
