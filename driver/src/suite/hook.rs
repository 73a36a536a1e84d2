//! A command of the user's before a run: it can find out which run, and where the server is.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::unistd::Pid;

use crate::arm::pgbench;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::server::{Config, Place as Where};

/// Which run it is called for.
pub struct Place<'a> {
    pub config: &'a Config,
    pub set: i32,
    pub workload: &'a str,
    pub scale: i64,
    pub clients: usize,
    pub repeat: u32,
}

/// Runs `command` by sh to its end; what it prints goes to standard error.
///
/// # Errors
/// It failed, or Ctrl-C ended it.
pub fn run(command: &str, place: &Place<'_>) -> Result<()> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).process_group(0).stdin(Stdio::null()).stdout(std::io::stderr());
    // all that says where the server is, and for psql and its like the main parts apart
    let Config { user, dbname, .. } = place.config;
    shell.env("SPS_CONNINFO", pgbench::conninfo(place.config, "")).env("PGUSER", user).env("PGDATABASE", dbname);
    if let Some(host) = place.config.hosts.first() {
        let name = match &host.place {
            Where::Unix(directory) => directory,
            Where::Tcp { name, .. } => name,
        };
        shell.env("PGHOST", name).env("PGPORT", host.port.to_string());
        shell.envs(place.config.password(host).map(|password| ("PGPASSWORD", password)));
    }
    shell.env("SPS_SET", place.set.to_string()).env("SPS_WORKLOAD", place.workload);
    shell.env("SPS_SCALE", place.scale.to_string()).env("SPS_CLIENTS", place.clients.to_string());
    shell.env("SPS_REPEAT", place.repeat.to_string());
    let mut child = shell.spawn()?;
    let stop = interrupt::register(pgbench::Child::group(Pid::from_raw(child.id() as i32)));
    let status = child.wait()?;
    drop(stop);
    interrupt::check()?;
    match status.success() {
        true => Ok(()),
        false => Err(Error::failed(format!("the hook before the run failed ({status})"))
            .hint("it has to end with 0; what it printed is above")),
    }
}
