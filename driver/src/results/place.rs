//! Where results go: the database that `--results` names, else a private one that is kept.

use super::Store;
use super::private::PrivateResults;
use crate::error::{Error, Result};
use crate::server::{NamedArgs, Session, pooler};

#[derive(Clone, Debug, Default, clap::Args)]
pub struct ResultsArgs {
    /// Results database: name, URI or connection string [default: a private one, kept in the user's data folder]
    #[arg(long, value_name = "DSN", env = "SPS_RESULTS", hide_env_values = true, global = true)]
    results: Option<String>,
}

impl ResultsArgs {
    /// Opens the results database, and makes it where it is missing.
    pub fn open(&self) -> Result<Store> {
        match self.named() {
            Some(dsn) => connect(dsn),
            None => private(PrivateResults::start()?),
        }
    }

    /// Opens the results database to read it. A private one that nothing was ever stored in is not made for that.
    pub fn read(&self) -> Result<Store> {
        match self.named() {
            Some(dsn) => connect(dsn),
            None if PrivateResults::exists()? => private(PrivateResults::start()?),
            None => Err(Error::failed("there are no results yet")
                .hint("`sps suite` stores some, --results names a database that has them")),
        }
    }

    // a variable that is set to nothing is not set
    fn named(&self) -> Option<&str> {
        self.results.as_deref().filter(|text| !text.is_empty())
    }
}

fn connect(dsn: &str) -> Result<Store> {
    let config = NamedArgs::of_connection_string(dsn).config()?;
    let config = config.ok_or_else(|| Error::usage("--results names no database"))?;
    let session = Session::connect(&config).map_err(|error| error.context("results database"))?;
    if pooler::between(&config, &session)? {
        // in a backend that is another's next, a lock says nothing of who holds it
        return Err(Error::failed("the results database is behind a pooler")
            .hint("runs are told alive from dead by locks of a session: give --results the server itself"));
    }
    Store::new(session, None)
}

fn private(server: PrivateResults) -> Result<Store> {
    Store::new(server.session()?, Some(server))
}
