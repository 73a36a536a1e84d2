//! A connection for everything that is not timed: tokio-postgres, called as if it blocked.

use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::error::Result;
use crate::interrupt;
use crate::server::Config;
use crate::server::bridge::Bridged;

/// An untimed connection. Every method blocks until the server has answered.
pub struct Session {
    runtime: tokio::runtime::Runtime,
    bridged: Bridged,
}

impl Session {
    /// Connects; the connection lives as long as the session.
    ///
    /// # Errors
    /// Says where it tried to connect and what to do; never the password.
    pub fn connect(config: &Config) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let bridged = Bridged::connect(&runtime, config)?;
        Ok(Self { runtime, bridged })
    }

    /// The configuration that leads to this server again, and in the same way.
    pub fn settled(&self) -> Config {
        self.bridged.route.settled()
    }

    /// `unix` or `tcp`, with `+tls`.
    pub fn transport(&self) -> &'static str {
        let route = &self.bridged.route;
        match (route.is_unix(), route.is_secure()) {
            (true, _) => "unix",
            (false, false) => "tcp",
            (false, true) => "tcp+tls",
        }
    }

    /// Version and cipher of TLS, where there is TLS.
    pub fn tls(&self) -> Option<&str> {
        self.bridged.tls.as_deref()
    }

    // unnamed statements throughout: a pooler hands named ones to backends that know them not, or have others so named

    pub fn query(&self, sql: &str, params: &[&dyn Param]) -> Result<Vec<Row>> {
        Ok(self.runtime.block_on(self.bridged.client.query_typed(sql, &typed(params)))?)
    }

    /// Exactly one row.
    pub fn query_one(&self, sql: &str, params: &[&dyn Param]) -> Result<Row> {
        Ok(self.runtime.block_on(self.bridged.client.query_typed_one(sql, &typed(params)))?)
    }

    /// One row or none.
    pub fn query_opt(&self, sql: &str, params: &[&dyn Param]) -> Result<Option<Row>> {
        Ok(self.runtime.block_on(self.bridged.client.query_typed_opt(sql, &typed(params)))?)
    }

    /// Any number of statements, no parameters, rows thrown away.
    pub fn batch(&self, sql: &str) -> Result<()> {
        Ok(self.runtime.block_on(self.bridged.client.batch_execute(sql))?)
    }

    /// Does something long: Ctrl-C cancels what the session runs meanwhile, and the error is then
    /// [`Error::interrupted`].
    pub fn interruptible<T>(&self, long: impl FnOnce() -> Result<T>) -> Result<T> {
        let registered = interrupt::register(self.bridged.cancel()?);
        let outcome = long();
        drop(registered);
        interrupt::check()?;
        outcome
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
