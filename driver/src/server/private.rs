//! The private server: initdb, a postmaster on a unix socket, our extension and tables, all of it gone at the end.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::{Error, Result, tell};
use crate::interrupt;
use crate::server::account::Account;
use crate::server::capacity;
use crate::server::extension::{self, ExtensionFiles};
use crate::server::folder::{self, Folder};
use crate::server::installation::Installation;
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
        let postmaster = Postmaster::start(&bindir, &folder, &account, options.keep)?;
        let mut server = Self { postmaster, folder, installation };
        let session = server.wait_until_ready()?;
        if files.is_some() {
            extension::create(&session, &server.installation)?;
        }
        if options.keep {
            server.folder.keep()?;
            server.postmaster.kept = true;
        }
        Ok(server)
    }

    /// Creates and fills the tables, then a checkpoint, so that none falls into the measurement.
    pub fn fill(&self, scale: i64) -> Result<()> {
        let session = Session::connect(&self.config())?;
        table::create(&session, &TableOptions::of_scale(scale))?;
        session.interruptible(|| session.batch("checkpoint"))
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
        self.postmaster.pid().as_raw()
    }

    /// How to reach and end a kept server; None for one that goes with us.
    pub fn farewell(&self) -> Option<String> {
        self.postmaster.kept.then(|| {
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
            let ended = self.postmaster.child.try_wait()?;
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

/// The postmaster's process; stopped and waited for on Drop.
struct Postmaster {
    child: Child,
    kept: bool,
}

impl Postmaster {
    fn start(bindir: &Path, folder: &Folder, account: &Account, survives: bool) -> Result<Self> {
        let log = File::create(folder.log())?;
        let child = account
            .command(&bindir.join("postgres"), !survives)
            .arg("-D")
            .arg(folder.data())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .map_err(|error| cannot_run("postgres", &error))?;
        Ok(Self { child, kept: false })
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        // fast shutdown, immediate shutdown, the kernel
        for (signal, patience) in [(Signal::SIGINT, 20), (Signal::SIGQUIT, 5), (Signal::SIGKILL, 5)] {
            let begun = Instant::now();
            let _ = kill(self.pid(), signal);
            while begun.elapsed() < Duration::from_secs(patience) {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
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

fn cannot_run(program: &str, error: &std::io::Error) -> Error {
    Error::failed(format!("cannot start {program}: {error}"))
        .hint("it is started through setpriv, which the package util-linux has")
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
