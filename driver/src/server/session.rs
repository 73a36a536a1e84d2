//! A connection for everything that is not timed: tokio-postgres, called as if it blocked.

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row};

use crate::error::{Error, Result};

/// An untimed connection. Every method blocks until the server has answered.
pub struct Session {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl Session {
    /// Connects; the connection lives as long as the session.
    pub fn connect(config: &Config) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (client, connection) = runtime.block_on(config.connect(tokio_postgres::NoTls))?;
        runtime.spawn(connection);
        Ok(Self { runtime, client })
    }

    pub fn query(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        Ok(self.runtime.block_on(self.client.query(sql, params))?)
    }

    /// Exactly one row.
    pub fn query_one(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Row> {
        Ok(self.runtime.block_on(self.client.query_one(sql, params))?)
    }

    /// One row or none.
    pub fn query_opt(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Option<Row>> {
        Ok(self.runtime.block_on(self.client.query_opt(sql, params))?)
    }

    /// Any number of statements, no parameters, rows thrown away.
    pub fn batch(&self, sql: &str) -> Result<()> {
        Ok(self.runtime.block_on(self.client.batch_execute(sql))?)
    }

    pub fn cancel_token(&self) -> tokio_postgres::CancelToken {
        self.client.cancel_token()
    }
}

/// PostgreSQL's own message, SQLSTATE and hint, in one line each.
impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(db) => {
                let found = Self::failed(format!("{} (SQLSTATE {})", db.message(), db.code().code()));
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
