//! Whom a private server runs as: PostgreSQL refuses root.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use nix::unistd::{Gid, Uid, User};

use crate::error::{Error, Result};

/// An unprivileged user to run a server's programs as; None of it where sps itself is unprivileged.
#[derive(Clone, Debug)]
pub struct Account {
    other: Option<(Uid, Gid)>,
}

impl Account {
    /// Ourselves, or `postgres`, else `nobody`, when we are root.
    pub fn choose() -> Result<Self> {
        if !nix::unistd::geteuid().is_root() {
            return Ok(Self { other: None });
        }
        let user = ["postgres", "nobody"].iter().find_map(|name| User::from_name(name).ok().flatten());
        let user = user.ok_or_else(|| {
            Error::failed("PostgreSQL refuses to run as root, and there is no user postgres or nobody")
                .hint("run sps as an ordinary user")
        })?;
        Ok(Self { other: Some((user.uid, user.gid)) })
    }

    /// Makes the account the owner of `path`.
    pub fn give(&self, path: &Path) -> Result<()> {
        if let Some((uid, gid)) = self.other {
            std::os::unix::fs::chown(path, Some(uid.as_raw()), Some(gid.as_raw()))?;
        }
        Ok(())
    }

    /// Can the account walk to `directory`? Only the permissions of others are looked at.
    pub fn reaches(&self, directory: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        self.other.is_none()
            || directory
                .ancestors()
                .filter(|path| !path.as_os_str().is_empty())
                .all(|path| std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0))
    }

    /// `program` as this account, in a process group of its own (the terminal's Ctrl-C must not reach it before the
    /// cancel does), in `/`, without the PG* variables of the caller, and without RUST_BACKTRACE: the extension would put a
    /// stack's names together at each error, which makes a cancel take a quarter of a second. With `dies_with_us` the kernel
    /// sends it SIGQUIT when the thread that starts it ends, kill -9 included.
    pub fn command(&self, program: &Path, dies_with_us: bool) -> Command {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("setpriv");
        if let Some((uid, gid)) = self.other {
            command.arg(format!("--reuid={uid}")).arg(format!("--regid={gid}")).arg("--init-groups");
        }
        command.arg(if dies_with_us { "--pdeathsig=QUIT" } else { "--pdeathsig=clear" });
        command.arg(program).current_dir("/").process_group(0);
        let misleads =
            |name: &OsString| ["PG", "RUST_"].iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes()));
        for (name, _) in std::env::vars_os().filter(|(name, _)| misleads(name)) {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C");
        command
    }
}
