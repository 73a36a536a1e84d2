//! Why there is no connection, with what to do about it.

use std::io;

use tokio_postgres::error::SqlState;

use crate::error::Error;
use crate::server::Config;

/// Does the server want a password that we do not have?
pub fn is_password_missing(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.to_string() == "password missing")
}

/// By the server, or by tokio-postgres in its name.
pub fn refused(config: &Config, error: tokio_postgres::Error) -> Error {
    let Config { user, dbname, .. } = config;
    if is_password_missing(&error) {
        return Error::failed("the server wants a password, and none was given")
            .hint(format!("set PGPASSWORD or a line in ~/.pgpass for user \"{user}\""));
    }
    let code = error.code().cloned();
    let described = Error::from(error);
    let advice = match code {
        Some(code) if code == SqlState::INVALID_PASSWORD => {
            format!("set PGPASSWORD or a line in ~/.pgpass for user \"{user}\", or name another user with -U")
        }
        Some(code) if code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            format!("the server does not let \"{user}\" in: name another user with -U, or look at its pg_hba.conf")
        }
        Some(code) if code == SqlState::INVALID_CATALOG_NAME => {
            format!("name another database with -d, or create it: createdb {dbname}")
        }
        Some(code) if code == SqlState::TOO_MANY_CONNECTIONS => {
            "every arm has connections of its own, one a client: lower -c, end other sessions, or raise max_connections"
                .into()
        }
        Some(code) if code == SqlState::CANNOT_CONNECT_NOW => "wait until the server is up, then try again".into(),
        Some(_) => return described,
        None if described.message.contains("channel binding") => {
            "channel_binding=prefer does without it, where the password is not stored as SCRAM wants it or TLS has none"
                .into()
        }
        None if described.message.contains("unsupported authentication") => {
            "sps knows passwords (SCRAM, MD5, in the clear), certificates, peer and trust; not GSSAPI and the like"
                .into()
        }
        None => "is it a PostgreSQL server that answers there? -h and -p (or PGHOST and PGPORT) say where".into(),
    };
    described.hint(advice)
}

/// The TLS handshake's failure.
pub fn handshake(error: &io::Error) -> Error {
    let late = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
    let why = if late { "timeout expired".to_owned() } else { error.to_string() };
    let advice = match why.as_str() {
        text if text.contains("not valid for") || text.contains("NotValidForName") => {
            "the certificate is another host's: connect by its name, or use sslmode=verify-ca"
        }
        text if text.contains("UnsupportedCertVersion") => {
            "the server's certificate is of X.509 version 1, which sps can use but not verify: sign it with -extfile, \
             or use sslmode=require"
        }
        text if text.contains("invalid peer certificate") => {
            "sslrootcert names the certificates to trust; sslmode=require without one trusts any"
        }
        text if text.contains("alert") => "the server ended it: its log says why",
        _ => "does the server speak TLS 1.2 or 1.3?",
    };
    Error::failed(format!("SSL error: {why}")).hint(advice)
}

/// PostgreSQL's own message, SQLSTATE and hint, in one line each.
impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(db) => {
                let detail = db.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
                let code = db.code().code();
                let found = Self::failed(format!("{} (SQLSTATE {code}){detail}", db.message())).sqlstate(code);
                match db.hint() {
                    Some(hint) => found.hint(hint),
                    None => found,
                }
            }
            None => {
                let source = std::error::Error::source(&error);
                let cause = source.map(|cause| format!(": {cause}")).unwrap_or_default();
                match error.is_closed() || source.is_some_and(|cause| cause.is::<io::Error>()) {
                    true => Self::lost(format!("{error}{cause}")),
                    false => Self::failed(format!("{error}{cause}")),
                }
            }
        }
    }
}
