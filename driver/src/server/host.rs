//! The parameters host, hostaddr and port: lists that belong together.

use std::net::IpAddr;
use std::path::Path;

use crate::error::{Error, Result};
use crate::server::parameter::Parameters;
use crate::server::passfile::{self, Wanted};
use crate::server::{Host, Place};

impl Parameters {
    /// The hosts in their order, each with the password that is given for it or to all. `warn` hears of a password file that
    /// is set aside.
    pub(super) fn hosts(&self, user: &str, dbname: &str, warn: &mut dyn FnMut(String)) -> Result<Vec<Host>> {
        let (ports, addresses) = (self.list("port"), self.list("hostaddr"));
        let mut names = self.list("host");
        if names.is_empty() && addresses.is_empty() {
            names.push("");
        }
        let count = names.len().max(addresses.len());
        if !names.is_empty() && !addresses.is_empty() && names.len() != addresses.len() {
            return Err(Error::usage(format!("{} hosts, but {} addresses", names.len(), addresses.len()))
                .hint("give as many in hostaddr as in host"));
        }
        if ports.len() > 1 && ports.len() != count {
            return Err(Error::usage(format!("{} ports for {count} hosts", ports.len()))
                .hint("give one port for all hosts, or one for each"));
        }
        let mut hosts = Vec::with_capacity(count);
        let mut unreadable = Vec::new();
        for at in 0..count {
            let port = match ports.get(at).or(ports.first()).copied().unwrap_or_default() {
                "" => 5432,
                text => self.number("port", text, 1..=65535)? as u16,
            };
            let (name, address) = (names.get(at).copied(), addresses.get(at).copied().unwrap_or_default());
            let place = self.place(name.unwrap_or_default(), address, port)?;
            let password = match (self.get("password"), self.passfile()) {
                (Some(password), _) => Some(password.to_owned()),
                (None, None) => None,
                (None, Some(path)) => {
                    let port = port.to_string();
                    let wanted = Wanted { host: &known_as(&place), port: &port, dbname, user };
                    passfile::lookup(&path, &wanted, &mut |warning| unreadable.push(warning))
                }
            };
            hosts.push(Host { place, port, password });
        }
        unreadable.dedup();
        unreadable.into_iter().for_each(warn);
        Ok(hosts)
    }

    fn place(&self, name: &str, address: &str, port: u16) -> Result<Place> {
        if !address.is_empty() {
            let address: IpAddr =
                address.parse().map_err(|_| self.bad("hostaddr", address, "an IP address like 127.0.0.1 or ::1"))?;
            return Ok(Place::Tcp { name: name.to_owned(), address: Some(address) });
        }
        Ok(match name {
            "" => Place::Unix(default_directory(port).to_owned()),
            directory if directory.starts_with(['/', '@']) => Place::Unix(directory.to_owned()),
            name => Place::Tcp { name: name.to_owned(), address: None },
        })
    }
}

/// What the password file calls it: the default directory of sockets is localhost there.
fn known_as(place: &Place) -> String {
    match place {
        Place::Unix(directory) if directory == DEBIAN || directory == POSTGRESQL => "localhost".to_owned(),
        Place::Unix(directory) => directory.clone(),
        Place::Tcp { name, address: Some(address) } if name.is_empty() => address.to_string(),
        Place::Tcp { name, .. } => name.clone(),
    }
}

/// Debian's libpq looks here; PostgreSQL's own default is /tmp.
const DEBIAN: &str = "/var/run/postgresql";
const POSTGRESQL: &str = "/tmp";

fn default_directory(port: u16) -> &'static str {
    let has_socket = |directory: &str| Path::new(directory).join(format!(".s.PGSQL.{port}")).exists();
    if !has_socket(DEBIAN) && (has_socket(POSTGRESQL) || !Path::new(DEBIAN).is_dir()) {
        return POSTGRESQL;
    }
    DEBIAN
}
