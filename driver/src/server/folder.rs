//! A private server's folder, and the folders that killed runs left behind.
//!
//! A folder holds a file `owner`, locked by the sps that made it for as long as that lives. The kernel drops the lock
//! with the process, kill -9 included, so a folder whose lock can be had is nobody's.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::{Error, Result};
use crate::server::account::Account;

const PREFIX: &str = "sps-";
const OWNER: &str = "owner";
/// Names the socket folder where that is elsewhere.
const SOCKET_LINK: &str = "socket-folder";
/// struct sockaddr_un has 108 bytes, one of them for the end.
const MAX_SOCKET_PATH: usize = 107;
const SOCKET_NAME: &str = "/.s.PGSQL.5432";

/// Where folders are made.
pub fn base(account: &Account) -> PathBuf {
    let base = std::env::temp_dir();
    // initdb and postgres call each other by a shell, in double quotes, and settings hold paths in single ones
    let named = !base.as_os_str().as_encoded_bytes().iter().any(|byte| b"\"'`$\\\n".contains(byte));
    if named && account.reaches(&base) { base } else { "/tmp".into() }
}

/// The folder of a private server: `data`, `log`, the installation tree and, unless its path is too long, the socket.
pub struct Folder {
    path: PathBuf,
    socket: PathBuf,
    /// Held, not used: whoever can take it knows that we are gone.
    lock: Option<Flock<File>>,
    kept: bool,
}

impl Folder {
    /// A new folder under TMPDIR, or under /tmp where `account` cannot reach that or initdb cannot name it. Removes leftovers
    /// first.
    pub fn create(account: &Account) -> Result<Self> {
        let base = base(account);
        sweep(&base);
        let path = new_folder(&base, 0o711)?;
        let socket = path.join("s");
        // from here on Drop removes what is there
        let mut folder = Self { path, socket, lock: None, kept: false };
        folder.lock = Some(lock_new(&folder.path)?);
        if MAX_SOCKET_PATH < folder.socket.as_os_str().len() + SOCKET_NAME.len() {
            folder.socket = new_folder(Path::new("/tmp"), 0o700)?;
            std::fs::write(folder.path.join(SOCKET_LINK), folder.socket.as_os_str().as_encoded_bytes())?;
        }
        for directory in [folder.data(), folder.socket.clone()] {
            if !directory.is_dir() {
                std::fs::create_dir(&directory)?;
            }
            // whoever reaches the socket is superuser in there
            std::fs::set_permissions(&directory, PermissionsExt::from_mode(0o700))?;
            account.give(&directory)?;
        }
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the server puts its socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    pub fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    /// Leaves the folder to its user: neither Drop nor a later sps removes it.
    pub fn keep(&mut self) -> Result<()> {
        std::fs::remove_file(self.path.join(OWNER))?;
        self.lock = None;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.kept {
            remove(&self.path);
        }
    }
}

fn new_folder(base: &Path, mode: u32) -> Result<PathBuf> {
    let made = tempfile::Builder::new().prefix(PREFIX).permissions(PermissionsExt::from_mode(mode)).tempdir_in(base);
    let made = made.map_err(|error| {
        Error::failed(format!("cannot create a folder in {}: {error}", base.display()))
            .hint("TMPDIR names the directory that the private server's folder goes to")
    })?;
    // the mode above went through the umask
    std::fs::set_permissions(made.path(), PermissionsExt::from_mode(mode))?;
    Ok(made.keep())
}

/// Writes and locks `owner`; it gets its name only when it is locked, so that no sweep sees it unlocked.
fn lock_new(folder: &Path) -> Result<Flock<File>> {
    let unnamed = folder.join("owner.new");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unnamed)?;
    std::io::Write::write_all(&mut file, format!("{}\n", std::process::id()).as_bytes())?;
    let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock)
        .map_err(|(_, error)| Error::failed(format!("cannot lock {}: {error}", unnamed.display())))?;
    std::fs::rename(&unnamed, folder.join(OWNER))?;
    Ok(lock)
}

/// Removes the folders in `base` whose owner is gone, stopping a server that may still run in them. What cannot be
/// removed is left alone.
fn sweep(base: &Path) {
    let me = nix::unistd::geteuid().as_raw();
    for entry in std::fs::read_dir(base).into_iter().flatten().flatten() {
        let path = entry.path();
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.metadata().is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == me);
        if !ours {
            continue;
        }
        let Ok(file) = OpenOptions::new().read(true).write(true).open(path.join(OWNER)) else { continue };
        if let Ok(_lock) = Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            end_server(&path);
            remove(&path);
        }
    }
}

fn remove(folder: &Path) {
    let me = nix::unistd::geteuid().as_raw();
    if let Ok(socket) = std::fs::read_to_string(folder.join(SOCKET_LINK)) {
        let socket = Path::new(&socket);
        let named = socket.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if named && socket.parent() == Some(Path::new("/tmp")) && (me == 0 || owner_of(socket) == Some(me)) {
            let _ = std::fs::remove_dir_all(socket);
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}

fn owner_of(path: &Path) -> Option<u32> {
    std::fs::symlink_metadata(path).ok().map(|metadata| metadata.uid())
}

/// Ends the server that runs in `folder`, if one does: immediate shutdown, then SIGKILL.
fn end_server(folder: &Path) {
    let Ok(text) = std::fs::read_to_string(folder.join("data/postmaster.pid")) else { return };
    let Some(pid) = text.lines().next().and_then(|line| line.trim().parse().ok()) else { return };
    // the id may be another program's by now; under valgrind the program is valgrind's, its arguments are the server's
    let runs = || {
        let program = std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe.starts_with(folder));
        let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        program || arguments.split(|byte| *byte == 0).any(|word| Path::new(OsStr::from_bytes(word)).starts_with(folder))
    };
    for signal in [Signal::SIGQUIT, Signal::SIGKILL] {
        let begun = Instant::now();
        while runs() && begun.elapsed() < Duration::from_secs(5) {
            let _ = kill(Pid::from_raw(pid), signal);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
