//! A connection for everything that is not timed: tokio-postgres, called as if it blocked.

use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Row};

use crate::error::{Error, Result};
use crate::interrupt;

/// An untimed connection. Every method blocks until the server has answered.
pub struct Session {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl Session {
    /// Connects; the connection lives as long as the session.
    ///
    /// # Errors
    /// Says where it tried to connect and what to do; never the password.
    pub fn connect(config: &Config) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let connected = runtime.block_on(config.connect(tokio_postgres::NoTls));
        let (client, connection) = connected.map_err(|error| refusal(config, error))?;
        runtime.spawn(connection);
        Ok(Self { runtime, client })
    }

    // unnamed statements throughout: a pooler hands named ones to backends that know them not, or have others so named

    pub fn query(&self, sql: &str, params: &[&dyn Param]) -> Result<Vec<Row>> {
        Ok(self.runtime.block_on(self.client.query_typed(sql, &typed(params)))?)
    }

    /// Exactly one row.
    pub fn query_one(&self, sql: &str, params: &[&dyn Param]) -> Result<Row> {
        Ok(self.runtime.block_on(self.client.query_typed_one(sql, &typed(params)))?)
    }

    /// One row or none.
    pub fn query_opt(&self, sql: &str, params: &[&dyn Param]) -> Result<Option<Row>> {
        Ok(self.runtime.block_on(self.client.query_typed_opt(sql, &typed(params)))?)
    }

    /// Any number of statements, no parameters, rows thrown away.
    pub fn batch(&self, sql: &str) -> Result<()> {
        Ok(self.runtime.block_on(self.client.batch_execute(sql))?)
    }

    /// Does something long: Ctrl-C cancels what the session runs meanwhile, and the error is then
    /// [`Error::interrupted`].
    pub fn interruptible<T>(&self, long: impl FnOnce() -> Result<T>) -> Result<T> {
        let registered = interrupt::register(Cancel(self.cancel_token()));
        let outcome = long();
        drop(registered);
        interrupt::check()?;
        outcome
    }

    pub fn cancel_token(&self) -> tokio_postgres::CancelToken {
        self.client.cancel_token()
    }
}

/// A value that can be sent as a parameter, and the type it is sent as.
pub trait Param: ToSql + Sync {
    fn sql_type(&self) -> Type;
    fn as_sql(&self) -> &(dyn ToSql + Sync);
}

macro_rules! param {
    ($($rust:ty => $sql:ident),*) => {$(
        impl Param for $rust {
            fn sql_type(&self) -> Type {
                Type::$sql
            }

            fn as_sql(&self) -> &(dyn ToSql + Sync) {
                self
            }
        }
    )*};
}

param!(&str => TEXT, String => TEXT, i32 => INT4, i64 => INT8, u32 => OID, f64 => FLOAT8, &[&str] => TEXT_ARRAY);

fn typed<'a>(params: &[&'a dyn Param]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    params.iter().map(|param| (param.as_sql(), param.sql_type())).collect()
}

/// Ends what a connection of tokio-postgres is running when the user asks to stop.
pub struct Cancel(tokio_postgres::CancelToken);

impl Cancel {
    pub fn new(token: tokio_postgres::CancelToken) -> Self {
        Self(token)
    }
}

impl interrupt::Stop for Cancel {
    fn cancel(&self) {
        // a server that no longer takes the cancel has nothing left to cancel
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            let _ = runtime.block_on(self.0.cancel_query(tokio_postgres::NoTls));
        }
    }

    fn abandon(&self) {
        self.cancel();
    }
}

/// Why there is no connection, with what to do about it.
pub fn refusal(config: &Config, error: tokio_postgres::Error) -> Error {
    let code = error.code().cloned();
    let user = config.get_user().unwrap_or_default();
    let dbname = config.get_dbname().unwrap_or_default();
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
        Some(_) => return described.context(format!("cannot connect to {}", places(config))),
        None if described.message.contains("password missing") => {
            format!("the server wants a password: set PGPASSWORD or a line in ~/.pgpass for user \"{user}\"")
        }
        None => "is a server running there? -h and -p (or PGHOST and PGPORT) say where, --private starts one".into(),
    };
    described.context(format!("cannot connect to {}", places(config))).hint(advice)
}

/// `socket "/tmp/.s.PGSQL.5432"`, `"db.example", port 5432`, several of them.
fn places(config: &Config) -> String {
    let port_of = |at: usize| {
        let ports = config.get_ports();
        ports.get(at).or(ports.first()).copied().unwrap_or(5432)
    };
    let named = config.get_hosts().iter().enumerate().map(|(at, host)| match host {
        Host::Unix(directory) => format!("socket \"{}/.s.PGSQL.{}\"", directory.display(), port_of(at)),
        Host::Tcp(name) => format!("\"{name}\", port {}", port_of(at)),
    });
    let mut all: Vec<String> = named.collect();
    if all.is_empty() {
        let numbered = config.get_hostaddrs().iter().enumerate();
        all.extend(numbered.map(|(at, address)| format!("\"{address}\", port {}", port_of(at))));
    }
    all.join(" or ")
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
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Self::failed(format!("{error}{cause}"))
            }
        }
    }
}
