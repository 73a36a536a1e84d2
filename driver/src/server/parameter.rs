//! What libpq's connection parameters mean for us, but for those of hosts (`host.rs`) and TLS (`tls.rs`).
//!
//! Counterpart: PQconnectdbParams in src/interfaces/libpq/fe-connect.c.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tokio_postgres::config::ChannelBinding;

use crate::error::{Error, Result};
use crate::server::prompt::{Prompt, When};
use crate::server::{Config, Keepalive, Wanted, known, service};

/// Parameters by name, each with what set it ("PGHOST", "-h", "the connection string") for messages.
#[derive(Default)]
pub struct Parameters(BTreeMap<String, (String, String)>);

impl Parameters {
    pub fn set(&mut self, name: &str, value: String, source: &str) {
        self.0.insert(name.to_owned(), (value, source.to_owned()));
    }

    pub fn unset(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|(value, _)| value.as_str()).filter(|value| !value.is_empty())
    }

    fn add(&mut self, name: &str, value: String, source: &str) {
        self.0.entry(name.to_owned()).or_insert((value, source.to_owned()));
    }

    /// Adds what is not set: by the service that these or the environment name, then by the environment.
    ///
    /// # Errors
    /// No such service; a variable that is no UTF-8.
    pub fn complete(&mut self) -> Result<()> {
        let environment = environment()?;
        let named = |name: &str| environment.iter().find(|(known, _, _)| *known == name).map(|(_, value, _)| value);
        let service = self.get("service").or(named("service").map(String::as_str));
        if let Some(service) = service {
            let file = self.get("servicefile").or(named("servicefile").map(String::as_str));
            let source = format!("service \"{service}\"");
            for (name, value) in service::read(service, file)? {
                self.add(&name, value, &source);
            }
        }
        for (name, value, variable) in environment {
            self.add(name, value, variable);
        }
        Ok(())
    }

    /// The configuration that these parameters mean; what is not set takes libpq's default. `warn` hears of what is set
    /// aside.
    pub fn config(&self, when: When, warn: &mut dyn FnMut(String)) -> Result<Config> {
        for (name, (value, source)) in &self.0 {
            known::check(name, value, source, self.get("sslmode") == Some("disable"))?;
        }
        let user = match self.get("user") {
            Some(user) => user.to_owned(),
            None => account_name()?,
        };
        let dbname = self.get("dbname").unwrap_or(&user).to_owned();
        let mut config = Config::local("", 5432, &user, &dbname);
        config.hosts = self.hosts(&user, &dbname, warn)?;
        let name = self.get("application_name").or_else(|| self.get("fallback_application_name"));
        config.application_name = name.unwrap_or("sps").to_owned();
        config.options = self.options();
        config.tls = self.tls()?;
        config.prompt = Prompt::new(when, &user);
        self.set_behaviour(&mut config)?;
        self.set_times(&mut config)?;
        let public = self.0.iter().filter(|(name, (value, _))| !name.contains("password") && !value.is_empty());
        config.parameters = public.map(|(name, (value, _))| (name.clone(), value.clone())).collect();
        Ok(config)
    }

    fn set_behaviour(&self, config: &mut Config) -> Result<()> {
        if let Some(text) = self.get("client_encoding")
            && !["auto", "utf8", "utf-8", "unicode"].contains(&text.to_ascii_lowercase().as_str())
        {
            return Err(self.bad("client_encoding", text, "UTF8, which is what sps speaks"));
        }
        config.channel_binding = match self.choice("channel_binding", "prefer", &["disable", "prefer", "require"])? {
            "disable" => ChannelBinding::Disable,
            "require" => ChannelBinding::Require,
            _ => ChannelBinding::Prefer,
        };
        let kinds = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"];
        config.wanted = match self.choice("target_session_attrs", "any", &kinds)? {
            "read-write" => Wanted::ReadWrite,
            "read-only" => Wanted::ReadOnly,
            "primary" => Wanted::Primary,
            "standby" => Wanted::Standby,
            "prefer-standby" => Wanted::PreferStandby,
            _ => Wanted::Any,
        };
        config.shuffled = self.choice("load_balance_hosts", "disable", &["disable", "random"])? == "random";
        Ok(())
    }

    fn set_times(&self, config: &mut Config) -> Result<()> {
        if let Some(text) = self.get("connect_timeout") {
            let seconds = text.trim().parse().map_err(|_| self.bad("connect_timeout", text, "seconds"))?;
            // as in libpq: zero or less waits for ever, and one second is too short to mean it
            if 0 < seconds {
                config.connect_timeout = Some(Duration::from_secs(i64::max(seconds, 2) as u64));
            }
        }
        // as in libpq: zero or less is the system's own
        let time = |name: &str| -> Result<Option<u32>> {
            let Some(text) = self.get(name) else { return Ok(None) };
            let number: i32 = text.trim().parse().map_err(|_| self.bad(name, text, "a number"))?;
            Ok(u32::try_from(number).ok().filter(|number| *number > 0))
        };
        // the system's own would notice a cut network after two hours, while a layer's call is under way
        let or = |name: &str, default: u32| match self.get(name) {
            Some(_) => time(name),
            None => Ok(Some(default)),
        };
        let alive = Keepalive {
            idle: or("keepalives_idle", 60)?,
            interval: or("keepalives_interval", 10)?,
            count: or("keepalives_count", 6)?,
        };
        let on = self
            .get("keepalives")
            .map_or(Ok(1), |text| text.trim().parse::<i32>().map_err(|_| self.bad("keepalives", text, "0 or 1")))?;
        config.keepalive = (on != 0).then_some(alive);
        config.user_timeout = time("tcp_user_timeout")?.map(|milliseconds| Duration::from_millis(milliseconds.into()));
        Ok(())
    }

    /// `options`, and the settings that libpq takes from variables of their own.
    fn options(&self) -> Option<String> {
        let mut all: Vec<String> = self.get("options").map(str::to_owned).into_iter().collect();
        for (variable, setting) in [("PGDATESTYLE", "datestyle"), ("PGTZ", "timezone"), ("PGGEQO", "geqo")] {
            if let Ok(value) = std::env::var(variable)
                && !value.eq_ignore_ascii_case("default")
                && !value.is_empty()
            {
                let value = value.replace('\\', r"\\").replace(' ', r"\ ");
                all.push(format!("-c {setting}={value}"));
            }
        }
        (!all.is_empty()).then(|| all.join(" "))
    }

    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        self.get(name).map(|text| text.split(',').map(str::trim).collect()).unwrap_or_default()
    }

    pub(super) fn passfile(&self) -> Option<PathBuf> {
        match self.get("passfile") {
            Some(path) => Some(path.into()),
            None => std::env::home_dir().map(|home| home.join(".pgpass")),
        }
    }

    /// A parameter that has one of few values.
    pub(super) fn choice<'a>(&'a self, name: &str, default: &'static str, valid: &[&str]) -> Result<&'a str> {
        let found = self.get(name).unwrap_or(default);
        match valid.contains(&found) {
            true => Ok(found),
            false => Err(self.bad(name, found, &valid.join(" or "))),
        }
    }

    pub(super) fn number(&self, name: &str, text: &str, range: std::ops::RangeInclusive<u32>) -> Result<u32> {
        let found = text.trim().parse().ok().filter(|number| range.contains(number));
        found.ok_or_else(|| self.bad(name, text, &format!("a number from {} to {}", range.start(), range.end())))
    }

    pub(super) fn bad(&self, name: &str, value: &str, expected: &str) -> Error {
        let source = self.0.get(name).map_or("default", |(_, source)| source);
        Error::usage(format!("{name} is \"{value}\" ({source})")).hint(format!("{name} has to be {expected}"))
    }
}

/// What libpq's variables set: parameter, value, variable. An empty one is taken for an unset one, as libpq does in all that
/// matters here.
fn environment() -> Result<Vec<(&'static str, String, &'static str)>> {
    let mut found = Vec::new();
    for (name, variable) in known::parameters() {
        match std::env::var(variable) {
            Ok(value) if value.is_empty() => {}
            Ok(value) => found.push((name, value, variable)),
            Err(std::env::VarError::NotPresent) => {}
            Err(std::env::VarError::NotUnicode(_)) => {
                return Err(Error::usage(format!("{variable} is not UTF-8")).hint("sps speaks UTF-8 with the server"));
            }
        }
    }
    Ok(found)
}

fn account_name() -> Result<String> {
    let uid = nix::unistd::geteuid();
    match nix::unistd::User::from_uid(uid) {
        Ok(Some(user)) => Ok(user.name),
        _ => Err(Error::failed(format!("user id {uid} has no name")).hint("name the database user with -U or PGUSER")),
    }
}
