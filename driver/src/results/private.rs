//! The private results database: a PostgreSQL that is kept, and runs while some sps uses it.
//!
//! Every sps that uses it holds a shared lock on the file `users`, and starts a warden: a process that waits for the lock
//! alone and then stops the server. The kernel lets go of a dead process's lock, so the server ends with its last user, kill
//! -9 included, and never under another's feet.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};

use nix::fcntl::{Flock, FlockArg};
use tempfile::TempDir;

use super::folder::Folder;
use crate::error::{Error, Result};
use crate::server::account::Account;
use crate::server::installation::Installation;
use crate::server::{Config, Session};

const USER: &str = "postgres";

/// What pg_ctl is told to end the server.
const STOP: [&str; 5] = ["stop", "-s", "-w", "-m", "fast"];

/// Reachable by nobody else, durable, and quiet: no checkpoint of its own falls into a measurement.
const SETTINGS: &str = "
# sps
listen_addresses = ''
port = 5432
unix_socket_directories = '.'
unix_socket_permissions = 0700
max_connections = 50
shared_buffers = 32MB
wal_level = minimal
max_wal_senders = 0
checkpoint_timeout = 1d
autovacuum_naptime = 10min
jit = off
";

/// A use of the private results server.
pub struct PrivateResults {
    folder: Folder,
    account: Account,
    pg_ctl: PathBuf,
    users: Option<Flock<File>>,
    warden: Option<Child>,
}

impl PrivateResults {
    /// Is there anything in it?
    pub fn exists() -> Result<bool> {
        Ok(Folder::find()?.data().is_dir())
    }

    /// Uses the server; makes it where there is none, starts it where it does not run.
    pub fn start() -> Result<Self> {
        let folder = Folder::find()?;
        let account = Account::choose()?;
        folder.create(&account)?;
        let door = lock(&folder.door(), &account, FlockArg::LockExclusive)?;
        // waits while a warden stops the server
        let users = lock(&folder.users(), &account, FlockArg::LockShared)?;
        let installation = match major(&folder.data())? {
            Some(major) => installed(&folder, major)?,
            None => create(&folder, &account)?,
        };
        let pg_ctl = installation.bindir.join("pg_ctl");
        let mut this = Self { folder, account, pg_ctl, users: Some(users), warden: None };
        this.warden = Some(this.watch()?);
        let runs = this.control(&["status"])?.status.success();
        if !runs && !this.control(&["start", "-s", "-w", "-l"])?.status.success() {
            let log = std::fs::read(this.folder.log()).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            let last = log.lines().last().unwrap_or("it wrote no log");
            return Err(Error::failed(format!("the private results database did not start: {last}"))
                .hint(format!("{} says more; --results names another database", this.folder.log().display())));
        }
        drop(door);
        Ok(this)
    }

    /// Starts the warden. It holds the lock until the server is gone, so that who comes next starts it anew.
    fn watch(&self) -> Result<Child> {
        let mut warden = self.account.command(Path::new("flock"), false);
        warden.args(["--exclusive", "--no-fork"]).arg(self.folder.users());
        warden.arg(&self.pg_ctl).args(STOP).arg("-D").arg(self.folder.data());
        warden.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        warden.spawn().map_err(|error| cannot_run("flock", &error))
    }

    /// Runs pg_ctl to its end; an `-l` at the end gets the name of the log.
    fn control(&self, arguments: &[&str]) -> Result<Output> {
        let mut command = self.account.command(&self.pg_ctl, false);
        command.args(arguments);
        if arguments.last() == Some(&"-l") {
            command.arg(self.folder.log());
        }
        command.arg("-D").arg(self.folder.data()).stdin(Stdio::null());
        command.output().map_err(|error| cannot_run("pg_ctl", &error))
    }

    pub fn session(&self) -> Result<Session> {
        let (socket, _link): (_, Option<TempDir>) = self.folder.socket()?;
        let mut config = Config::local(socket.to_string_lossy(), 5432, USER, "postgres");
        config.application_name = "sps results".to_owned();
        Session::connect(&config).map_err(|error| error.context("private results database"))
    }
}

impl Drop for PrivateResults {
    fn drop(&mut self) {
        // off the queue for the lock: whoever else waits there has users of its own to wait for
        if let Some(mut warden) = self.warden.take() {
            let _ = warden.kill();
            let _ = warden.wait();
        }
        // the last one sees the server gone before it goes itself
        let alone = self.users.as_ref().is_some_and(|users| users.relock(FlockArg::LockExclusiveNonblock).is_ok());
        if alone {
            let _ = self.control(&STOP);
        }
    }
}

fn cannot_run(program: &str, error: &std::io::Error) -> Error {
    Error::failed(format!("cannot start {program}: {error}"))
        .hint("it is started through setpriv, which the package util-linux has")
}

fn lock(path: &Path, account: &Account, how: FlockArg) -> Result<Flock<File>> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    account.give(path)?;
    Flock::lock(file, how).map_err(|(_, error)| Error::failed(format!("cannot lock {}: {error}", path.display())))
}

/// The version of a data directory; None where there is none.
fn major(data: &Path) -> Result<Option<u32>> {
    match std::fs::read_to_string(data.join("PG_VERSION")) {
        Ok(text) => text.trim().parse().map(Some).map_err(|_| {
            Error::failed(format!("{} is not the data directory of a PostgreSQL that sps knows", data.display()))
                .hint("move it out of the way, or give --results")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !data.exists() => Ok(None),
        Err(error) => Err(Error::failed(format!("{}: {error}", data.join("PG_VERSION").display()))
            .hint("move the directory out of the way, or give --results")),
    }
}

/// An installation that can run a data directory of `major`, whatever server is measured: results stay in one place.
fn installed(folder: &Folder, major: u32) -> Result<Installation> {
    let remembered = std::fs::read_to_string(folder.pg_config()).ok().map(|text| text.trim_end().into());
    let named: Vec<PathBuf> = remembered.into_iter().chain(given()).collect();
    Installation::of_major(&named, major).ok_or_else(|| {
        Error::failed(format!(
            "the results in {} are kept by PostgreSQL {major}, of which no server is installed here",
            folder.path().display()
        ))
        .hint(format!(
            "install PostgreSQL {major}, or name its pg_config by PG_CONFIG; pg_upgrade brings the data directory to another \
             version; --results names another database"
        ))
    })
}

/// What PG_CONFIG names.
fn given() -> Option<PathBuf> {
    std::env::var_os("PG_CONFIG").filter(|path| !path.is_empty()).map(Into::into)
}

/// Makes the data directory; it gets its name when it is whole.
fn create(folder: &Folder, account: &Account) -> Result<Installation> {
    let installation = Installation::find(given().as_deref())?;
    let unfinished = folder.path().join("data.new");
    if unfinished.exists() {
        std::fs::remove_dir_all(&unfinished)?;
    }
    let output = account
        .command(&installation.bindir.join("initdb"), true)
        .args(["--no-instructions", "--auth=trust", "--encoding=UTF8", "--locale=C"])
        .arg(format!("--username={USER}"))
        .arg("-D")
        .arg(&unfinished)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_run("initdb", &error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::failed(format!("initdb failed: {}", said.trim()))
            .hint("the results database goes to XDG_DATA_HOME; --results names another"));
    }
    let mut settings = File::options().append(true).open(unfinished.join("postgresql.conf"))?;
    std::io::Write::write_all(&mut settings, SETTINGS.as_bytes())?;
    settings.sync_all()?;
    std::fs::write(folder.pg_config(), format!("{}\n", installation.pg_config.display()))?;
    std::fs::rename(unfinished, folder.data())?;
    Ok(installation)
}
