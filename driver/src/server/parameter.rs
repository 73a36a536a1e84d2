//! What libpq's connection parameters mean for us: hosts, ports, password, time limits.
//!
//! Counterpart: PQconnectdbParams in src/interfaces/libpq/fe-connect.c.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{LoadBalanceHosts, SslMode, TargetSessionAttrs};

use crate::error::{Error, Result};
use crate::server::known;
use crate::server::passfile::{self, Wanted};

/// Parameters by name, each with what set it ("PGHOST", "-h", "the connection string") for messages.
#[derive(Default)]
pub struct Parameters(BTreeMap<String, (String, String)>);

impl Parameters {
    /// What the environment sets.
    pub fn from_environment() -> Self {
        let mut found = Self::default();
        for (name, variable) in known::variables() {
            // libpq takes an empty variable for an unset one in all that matters here
            if let Some(value) = std::env::var(variable).ok().filter(|value| !value.is_empty()) {
                found.set(name, value, variable);
            }
        }
        found
    }

    pub fn set(&mut self, name: &str, value: String, source: &str) {
        self.0.insert(name.to_owned(), (value, source.to_owned()));
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|(value, _)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The configuration that these parameters mean; what is not set takes libpq's default. `warn` hears of what is set
    /// aside.
    pub fn config(&self, warn: &mut dyn FnMut(String)) -> Result<Config> {
        for (name, (value, source)) in &self.0 {
            known::check(name, value, source, self.get("sslmode") == Some("disable"))?;
        }
        let mut config = Config::new();
        let user = match self.get("user") {
            Some(user) => user.to_owned(),
            None => account_name()?,
        };
        let dbname = self.get("dbname").unwrap_or(&user).to_owned();
        config.user(&user).dbname(&dbname);
        config.application_name(
            self.get("application_name").or_else(|| self.get("fallback_application_name")).unwrap_or("sps"),
        );
        if let Some(options) = self.get("options") {
            config.options(options);
        }
        let first_host = self.set_hosts(&mut config)?;
        self.set_behaviour(&mut config)?;
        if let Some(password) = self.get("password") {
            config.password(password);
        } else if let Some(path) = self.passfile() {
            let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
            let wanted = Wanted { host: &first_host, port: &port, dbname: &dbname, user: &user };
            if let Some(password) = passfile::lookup(&path, &wanted, warn) {
                config.password(password);
            }
        }
        Ok(config)
    }

    /// Hosts, addresses and ports; returns the name that the password file knows the first one by.
    fn set_hosts(&self, config: &mut Config) -> Result<String> {
        let ports = self.list("port");
        for port in &ports {
            match port.as_str() {
                "" => config.port(5432),
                text => config.port(self.number("port", text, 1..=65535)? as u16),
            };
        }
        let addresses = self.list("hostaddr");
        for address in &addresses {
            let address: IpAddr =
                address.parse().map_err(|_| self.bad("hostaddr", address, "an IP address like 127.0.0.1 or ::1"))?;
            config.hostaddr(address);
        }
        let mut hosts = self.list("host");
        if hosts.is_empty() && addresses.is_empty() {
            hosts.push(String::new());
        }
        let count = hosts.len().max(addresses.len());
        if (!hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len())
            || (ports.len() > 1 && ports.len() != count)
        {
            return Err(Error::usage(format!("{} ports for {count} hosts", ports.len()))
                .hint("give one port for all hosts, or one for each; as many addresses as hosts"));
        }
        for (at, host) in hosts.iter_mut().enumerate() {
            if host.starts_with('@') {
                return Err(self.bad("host", host, "a host name or a directory: abstract sockets are not read"));
            }
            if host.is_empty() {
                let port = config.get_ports().get(at).or(config.get_ports().first()).copied().unwrap_or(5432);
                *host = default_socket_directory(port).to_owned();
                config.host(host.as_str());
                *host = "localhost".to_owned();
            } else {
                config.host(host.as_str());
                if host.as_str() == DEBIAN_SOCKETS {
                    *host = "localhost".to_owned();
                }
            }
        }
        Ok(hosts.into_iter().next().or_else(|| addresses.into_iter().next()).unwrap_or_default())
    }

    fn set_behaviour(&self, config: &mut Config) -> Result<()> {
        config.ssl_mode(match self.get("sslmode").unwrap_or("prefer") {
            "disable" | "allow" => SslMode::Disable,
            "prefer" => SslMode::Prefer,
            mode @ ("require" | "verify-ca" | "verify-full") => {
                return Err(Error::failed(format!("sslmode={mode} asks for TLS, which sps does not speak yet"))
                    .hint("use sslmode=prefer or disable where the server allows it, or a unix socket"));
            }
            other => return Err(self.bad("sslmode", other, "disable, allow or prefer")),
        });
        if let Some(text) = self.get("connect_timeout") {
            let seconds = text.trim().parse().map_err(|_| self.bad("connect_timeout", text, "seconds"))?;
            // as in libpq: zero or less waits for ever, and one second is too short to mean it
            if 0 < seconds {
                config.connect_timeout(Duration::from_secs(i64::max(seconds, 2) as u64));
            }
        }
        if let Some(text) = self.get("client_encoding")
            && !["auto", "utf8", "utf-8", "unicode"].contains(&text.to_ascii_lowercase().as_str())
        {
            return Err(self.bad("client_encoding", text, "UTF8, which is what sps speaks"));
        }
        if let Some(text) = self.get("keepalives") {
            config.keepalives(self.number("keepalives", text, 0..=1)? != 0);
        }
        if let Some(text) = self.get("keepalives_idle") {
            config.keepalives_idle(Duration::from_secs(self.number("keepalives_idle", text, 1..=u32::MAX)?.into()));
        }
        if let Some(text) = self.get("keepalives_interval") {
            let seconds = self.number("keepalives_interval", text, 1..=u32::MAX)?;
            config.keepalives_interval(Duration::from_secs(seconds.into()));
        }
        if let Some(text) = self.get("keepalives_count") {
            config.keepalives_retries(self.number("keepalives_count", text, 1..=u32::MAX)?);
        }
        if let Some(text) = self.get("tcp_user_timeout") {
            config.tcp_user_timeout(Duration::from_millis(self.number("tcp_user_timeout", text, 0..=u32::MAX)?.into()));
        }
        config.target_session_attrs(match self.get("target_session_attrs").unwrap_or("any") {
            "any" => TargetSessionAttrs::Any,
            "read-write" => TargetSessionAttrs::ReadWrite,
            "read-only" => TargetSessionAttrs::ReadOnly,
            other => return Err(self.bad("target_session_attrs", other, "any, read-write or read-only")),
        });
        config.load_balance_hosts(match self.get("load_balance_hosts").unwrap_or("disable") {
            "disable" => LoadBalanceHosts::Disable,
            "random" => LoadBalanceHosts::Random,
            other => return Err(self.bad("load_balance_hosts", other, "disable or random")),
        });
        Ok(())
    }

    fn list(&self, name: &str) -> Vec<String> {
        self.get(name).map(|text| text.split(',').map(|part| part.trim().to_owned()).collect()).unwrap_or_default()
    }

    fn passfile(&self) -> Option<PathBuf> {
        match self.get("passfile") {
            Some(path) => Some(path.into()),
            None => std::env::home_dir().map(|home| home.join(".pgpass")),
        }
    }

    fn number(&self, name: &str, text: &str, range: std::ops::RangeInclusive<u32>) -> Result<u32> {
        let found = text.trim().parse().ok().filter(|number| range.contains(number));
        found.ok_or_else(|| self.bad(name, text, &format!("a number from {} to {}", range.start(), range.end())))
    }

    fn bad(&self, name: &str, value: &str, expected: &str) -> Error {
        let source = self.0.get(name).map_or("default", |(_, source)| source);
        Error::usage(format!("{name} is \"{value}\" ({source})")).hint(format!("{name} has to be {expected}"))
    }
}

/// Debian's libpq looks here; PostgreSQL's own default is /tmp.
const DEBIAN_SOCKETS: &str = "/var/run/postgresql";

fn default_socket_directory(port: u16) -> &'static str {
    let has_socket = |directory: &str| Path::new(directory).join(format!(".s.PGSQL.{port}")).exists();
    if !has_socket(DEBIAN_SOCKETS) && (has_socket("/tmp") || !Path::new(DEBIAN_SOCKETS).is_dir()) {
        return "/tmp";
    }
    DEBIAN_SOCKETS
}

fn account_name() -> Result<String> {
    let uid = nix::unistd::geteuid();
    match nix::unistd::User::from_uid(uid) {
        Ok(Some(user)) => Ok(user.name),
        _ => Err(Error::failed(format!("user id {uid} has no name")).hint("name the database user with -U or PGUSER")),
    }
}
