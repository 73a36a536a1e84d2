//! The private server: initdb, a postmaster on a unix socket, our extension and tables, all of it gone at the end.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::error::{Error, Result, tell};
use crate::interrupt;
use crate::server::account::Account;
use crate::server::capacity;
use crate::server::extension::{self, ExtensionFiles};
use crate::server::folder::{self, Folder};
use crate::server::installation::Installation;
use crate::server::postmaster::{Postmaster, Wrapper, cannot_run};
use crate::server::table::{self, TableOptions};
use crate::server::{Config, Session, tree};

pub const USER: &str = "postgres";
pub const DATABASE: &str = "postgres";
pub const PORT: u16 = 5432;

/// How a private server is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub keep: bool,
    /// Keeps its promises on disk: what writes is to pay for it.
    pub durable: bool,
    /// Settings over ours, in order.
    pub settings: Vec<(String, String)>,
    pub extension_dir: Option<PathBuf>,
    pub pg_config: Option<PathBuf>,
}

/// A running private server. Dropping it stops the server and removes its folder.
pub struct PrivateServer {
    // dropped in this order: the process first, then its files
    postmaster: Postmaster,
    folder: Folder,
    bindir: PathBuf,
    account: Account,
    pub installation: Installation,
}

impl PrivateServer {
    /// Starts a server with room for a data set of `scale`, creates the extension where its files are found, and no
    /// tables yet. To be called from the main thread: the server dies with the thread that starts it.
    pub fn start(options: &Options, scale: i64) -> Result<Self> {
        let installation = Installation::find(options.pg_config.as_deref())?;
        let files = ExtensionFiles::find(options.extension_dir.as_deref(), &installation)?;
        let account = Account::choose()?;
        let folder = Folder::create(&account)?;
        capacity::check_space(folder.path(), disk_need(scale, options.durable))?;
        let bindir = tree::build(&folder.path().join("tree"), &installation, files.as_ref())?;
        initdb(&bindir, &folder, &account)?;
        interrupt::check()?;
        write_settings(&folder, scale, options)?;
        let postmaster = Postmaster::start(&bindir, &folder, &account, options.keep, None)?;
        let mut server = Self { postmaster, folder, bindir, account, installation };
        let session = server.wait_until_ready()?;
        if files.is_some() {
            extension::create(&session, &server.installation)?;
        }
        if options.keep {
            server.folder.keep()?;
            server.postmaster.keep();
        }
        Ok(server)
    }

    /// Creates and fills the tables, then a checkpoint, so that none falls into the measurement.
    pub fn fill(&self, scale: i64) -> Result<()> {
        let session = Session::connect(&self.config())?;
        table::create(&session, &TableOptions::of_scale(scale))?;
        session.interruptible(|| session.batch("checkpoint"))
    }

    /// Stops the server and starts it anew under `wrapper`. To be called from the main thread, as [`PrivateServer::start`].
    pub fn restart_under(&mut self, wrapper: &Wrapper) -> Result<()> {
        self.postmaster.stop();
        self.postmaster = Postmaster::start(&self.bindir, &self.folder, &self.account, false, Some(wrapper))?;
        self.wait_until_ready().map(drop)
    }

    /// A new folder beside the data that the server's processes may write to; it goes with the server.
    pub fn new_folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.path().join(name);
        std::fs::create_dir(&path)?;
        self.account.give(&path)?;
        Ok(path)
    }

    pub fn config(&self) -> Config {
        Config::local(self.folder.socket().to_string_lossy(), PORT, USER, DATABASE)
    }

    /// The folder of the socket: what PGHOST has to be.
    pub fn socket(&self) -> &Path {
        self.folder.socket()
    }

    /// Process id of the postmaster.
    pub fn pid(&self) -> i32 {
        self.postmaster.pid()
    }

    /// How to reach and end a kept server; None for one that goes with us.
    pub fn farewell(&self) -> Option<String> {
        self.postmaster.is_kept().then(|| {
            format!(
                "the private server is kept: psql -h {} -p {PORT} -U {USER} {DATABASE}; to end it: kill -INT {}, then remove {}",
                self.folder.socket().display(),
                self.pid(),
                self.folder.path().display()
            )
        })
    }

    fn wait_until_ready(&mut self) -> Result<Session> {
        let begun = Instant::now();
        loop {
            let why = match Session::connect(&self.config()) {
                Ok(session) => return Ok(session),
                Err(error) => error.message,
            };
            let ended = self.postmaster.ended()?;
            if let Some(status) = ended {
                let how = match status.signal() {
                    Some(signal) => format!("signal {signal}"),
                    None => format!("exit code {}", status.code().unwrap_or(-1)),
                };
                let tail = log_tail(&self.folder.log());
                return Err(Error::failed(format!("the private server did not start ({how}):\n{tail}"))
                    .hint("a setting given with --set may be wrong; the lines above are the end of the server's log"));
            }
            if Duration::from_secs(60) < begun.elapsed() {
                let tail = log_tail(&self.folder.log());
                return Err(Error::failed(format!("the private server was not ready after 60 s: {why}\n{tail}")));
            }
            interrupt::check()?;
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        if let Some(farewell) = self.farewell() {
            tell(farewell);
        }
    }
}

fn initdb(bindir: &Path, folder: &Folder, account: &Account) -> Result<()> {
    let output = account
        .command(&bindir.join("initdb"), true)
        .args(["--no-sync", "--no-instructions", "--auth=trust", "--encoding=UTF8", "--locale=C"])
        .arg(format!("--username={USER}"))
        .arg("-D")
        .arg(folder.data())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_run("initdb", &error))?;
    if !output.status.success() {
        return Err(Error::failed(format!("initdb failed: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    Ok(())
}

/// Ours first, then the user's: the last line of a setting wins.
fn write_settings(folder: &Folder, scale: i64, options: &Options) -> Result<()> {
    let data = TableOptions::of_scale(scale).bytes();
    let most = capacity::memory_bytes().map_or(u64::MAX, |bytes| bytes / 10 * 4);
    let buffers = (data * 3 / 2).max(128 << 20).min(most);
    let socket = folder.socket().to_string_lossy().into_owned();
    let ours = [
        ("listen_addresses", ""),
        ("port", "5432"),
        ("unix_socket_directories", &socket),
        ("unix_socket_permissions", "0700"),
        ("shared_buffers", &format!("{}MB", buffers >> 20)),
        ("max_connections", "1000"), // every arm has connections of its own
        ("jit", "off"),
        ("autovacuum", "off"),
        ("max_wal_size", "4GB"),
        ("checkpoint_timeout", "1h"),
    ];
    let careless = [("fsync", "off"), ("full_page_writes", "off"), ("synchronous_commit", "off")];
    let careless = careless.into_iter().filter(|_| !options.durable);
    let given = options.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut text = String::from("\n# sps\n");
    for (name, value) in ours.into_iter().chain(careless).chain(given) {
        let value = value.replace('\\', "\\\\").replace('\'', "''").replace('\n', " ");
        text.push_str(&format!("{name} = '{value}'\n"));
    }
    let path = folder.data().join("postgresql.conf");
    let mut file = File::options().append(true).open(path)?;
    Ok(std::io::Write::write_all(&mut file, text.as_bytes())?)
}

/// Where private servers' folders are made.
pub fn base() -> Result<PathBuf> {
    Ok(folder::base(&Account::choose()?))
}

/// Disk space that a private server needs: data, its WAL up to max_wal_size, an empty cluster and the copied programs; where
/// it is written to, what updates leave behind until they are vacuumed, and WAL in any case.
pub fn disk_need(scale: i64, written: bool) -> u64 {
    let data = TableOptions::of_scale(scale).bytes();
    let (dead, wal) = if written { (data / 4, data + (1 << 30)) } else { (0, data) };
    data + dead + wal.min(4 << 30) + (200 << 20)
}

fn log_tail(path: &Path) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(10)..].join("\n")
}
