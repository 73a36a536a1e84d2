//! Where to connect: flags over environment over libpq's defaults, or a private server.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::{Error, Result, tell};
use crate::server::conninfo;
use crate::server::parameter::Parameters;
use crate::server::prompt::When;
use crate::server::{Config, private};

/// Where to connect, as psql names it.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Connection")]
pub struct NamedArgs {
    /// Server's host name or socket directory
    #[arg(short = 'h', long, value_name = "HOST")]
    host: Option<String>,
    /// Server's port
    #[arg(short = 'p', long, value_name = "PORT")]
    port: Option<String>,
    /// Database user
    #[arg(short = 'U', long = "username", value_name = "NAME")]
    user: Option<String>,
    /// Database, URI (postgresql://…) or connection string (host=… port=…)
    #[arg(short = 'd', long = "dbname", value_name = "DBNAME")]
    dbname: Option<String>,
    /// Never ask for a password
    #[arg(short = 'w', long, conflicts_with = "password")]
    no_password: bool,
    /// Ask for a password before connecting
    #[arg(short = 'W', long)]
    password: bool,
}

/// Where to connect, or how to start a private server, and whether that stays.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ConnectArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    keep: KeepArgs,
}

/// Where to connect, or how to start a private server that goes with the command.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Connection")]
pub struct PlaceArgs {
    #[command(flatten)]
    named: NamedArgs,
    /// Start a private server, whatever the environment names
    #[arg(long, conflicts_with_all = ["host", "port", "dbname"])]
    private: bool,
    #[command(flatten)]
    options: PrivateArgs,
}

/// Whether a private server stays. A struct of its own, since `sps profile` keeps something else.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Private server (started where no server is named, or with --private)")]
pub struct KeepArgs {
    /// Keep the private server and say how to connect to it
    #[arg(long)]
    pub keep: bool,
}

/// How a private server is made.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Private server (started where no server is named, or with --private)")]
pub struct PrivateArgs {
    /// Setting of the private server (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Folder with select_loop.so, select_loop.control and its SQL
    #[arg(long, value_name = "DIR", env = "SPS_EXTENSION_DIR")]
    // not a PathBuf: clap refuses an empty one, and a variable that is set to nothing is not set
    pub extension_dir: Option<OsString>,
    /// The pg_config of the PostgreSQL to start
    #[arg(long, value_name = "FILE", env = "PG_CONFIG")]
    pub pg_config: Option<OsString>,
}

/// What the arguments and the environment come to.
pub enum Place {
    Named(Box<Config>),
    Private(private::Options),
}

impl ConnectArgs {
    /// As `-d name`.
    ///
    /// # Errors
    /// A usage error where there is a -d already.
    pub fn database(&mut self, name: String) -> Result<()> {
        match &self.place.named.dbname {
            Some(_) => Err(Error::usage("the database is named twice").hint("name it by -d or as the last argument")),
            None if self.place.private => {
                Err(Error::usage("--private starts a server of its own, and a database is named"))
            }
            None => {
                self.place.named.dbname = Some(name);
                Ok(())
            }
        }
    }

    /// Resolves flags and environment. Warnings go to standard error.
    pub fn place(&self) -> Result<Place> {
        self.place.resolve(self.keep.keep)
    }
}

impl PlaceArgs {
    /// The same; a private server stays where `keep`.
    pub fn resolve(&self, keep: bool) -> Result<Place> {
        let named = if self.private { None } else { self.named.config()? };
        let Some(config) = named else {
            return Ok(Place::Private(private::Options { keep, ..self.options.resolve()? }));
        };
        if keep || !self.options.set.is_empty() {
            return Err(Error::usage("--keep and --set are for a private server, but a server is named")
                .hint("add --private, or leave out -h, -p, -d and PGHOST, PGPORT, PGDATABASE"));
        }
        Ok(Place::Named(Box::new(config)))
    }
}

impl NamedArgs {
    /// A name, URI or connection string, as `-d` takes it.
    pub fn of_connection_string(text: &str) -> Self {
        Self { dbname: Some(text.to_owned()), ..Self::default() }
    }

    /// The server that flags and environment name; None where they name none. Warnings go to standard error.
    pub fn config(&self) -> Result<Option<Config>> {
        let mut parameters = Parameters::default();
        for (name, value, flag) in [
            ("host", &self.host, "-h"),
            ("port", &self.port, "-p"),
            ("user", &self.user, "-U"),
            ("dbname", &self.dbname, "-d"),
        ] {
            // as in psql: an empty one is none
            if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
                parameters.set(name, value.clone(), flag);
            }
        }
        // as in psql and pgbench: what a connection string says goes over the other flags
        if let Some(text) = self.dbname.as_deref().filter(|text| conninfo::is_conninfo(text)) {
            parameters.unset("dbname");
            for (name, value) in conninfo::parse(text)? {
                parameters.set(&name, value, "the connection string");
            }
        }
        parameters.complete()?;
        let named = ["host", "hostaddr", "port", "dbname", "service"].iter().any(|name| parameters.get(name).is_some());
        if !named && self.dbname.is_none() {
            return Ok(None);
        }
        let when = match (self.no_password, self.password) {
            (true, _) => When::Never,
            (_, true) => When::First,
            _ => When::Needed,
        };
        parameters.config(when, &mut |warning| tell(format_args!("sps: warning: {warning}"))).map(Some)
    }
}

impl PrivateArgs {
    /// A server that goes with the command.
    pub fn resolve(&self) -> Result<private::Options> {
        let mut settings = Vec::new();
        for text in &self.set {
            let Some((name, value)) = text.split_once('=').filter(|(name, _)| is_setting_name(name)) else {
                return Err(Error::usage(format!("--set \"{text}\" is not NAME=VALUE"))
                    .hint("for example --set shared_buffers=1GB"));
            };
            settings.push((name.to_owned(), value.to_owned()));
        }
        Ok(private::Options {
            keep: false,
            durable: false,
            settings,
            extension_dir: given(&self.extension_dir),
            pg_config: given(&self.pg_config),
        })
    }
}

fn given(path: &Option<OsString>) -> Option<PathBuf> {
    path.as_ref().filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Can `name` stand before the = in postgresql.conf?
pub fn is_setting_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}
