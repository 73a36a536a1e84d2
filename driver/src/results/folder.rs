//! The folder of the private results database, kept from run to run.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::{Error, Result};
use crate::server::account::Account;

/// struct sockaddr_un has 108 bytes, one of them for the end.
const MAX_SOCKET_PATH: usize = 107;
const SOCKET_NAME: &str = "/.s.PGSQL.5432";

/// `data` (with the socket), `log`, and what sps processes agree by: `door`, held while the server is started, and `users`,
/// held by each that uses it.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// `select_loop/results` in XDG_DATA_HOME, else in /var/lib for root, in ~/.local/share for others.
    pub fn find() -> Result<Self> {
        // the XDG base directory specification has relative ones ignored
        let given = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let base = match given {
            Some(given) => given,
            None if nix::unistd::geteuid().is_root() => "/var/lib".into(),
            None => std::env::home_dir()
                .filter(|home| home.is_absolute())
                .map(|home| home.join(".local/share"))
                .ok_or_else(|| {
                    Error::failed("there is no home directory to keep results in")
                        .hint("set HOME or XDG_DATA_HOME, or give --results")
                })?,
        };
        Ok(Self(base.join("select_loop/results")))
    }

    /// Makes it, `account`'s alone.
    pub fn create(&self, account: &Account) -> Result<()> {
        let failed = |error: std::io::Error| {
            Error::failed(format!("cannot make the results' folder {}: {error}", self.0.display()))
                .hint("XDG_DATA_HOME names the folder that it goes to; --results names another database")
        };
        if !self.0.is_dir() {
            std::fs::create_dir_all(&self.0).map_err(failed)?;
            std::fs::set_permissions(&self.0, PermissionsExt::from_mode(0o700)).map_err(failed)?;
            account.give(&self.0)?;
        }
        let above = self.0.parent().unwrap_or(&self.0);
        if !account.reaches(above) {
            return Err(Error::failed(format!("the server's account cannot reach {}", above.display()))
                .hint("let XDG_DATA_HOME name a folder that others may walk to, or give --results"));
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    pub fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    /// Names the pg_config of the installation that made the data directory.
    pub fn pg_config(&self) -> PathBuf {
        self.0.join("pg_config")
    }

    pub fn door(&self) -> PathBuf {
        self.0.join("door")
    }

    pub fn users(&self) -> PathBuf {
        self.0.join("users")
    }

    /// Where a client finds the socket: the data directory, or a short link to it, which goes when it is dropped.
    pub fn socket(&self) -> Result<(PathBuf, Option<TempDir>)> {
        let data = self.data();
        if data.as_os_str().as_bytes().len() + SOCKET_NAME.len() <= MAX_SOCKET_PATH {
            return Ok((data, None));
        }
        let short = tempfile::Builder::new().prefix("sps-").tempdir_in("/tmp")?;
        let link = short.path().join("s");
        std::os::unix::fs::symlink(data, &link)?;
        Ok((link, Some(short)))
    }
}
