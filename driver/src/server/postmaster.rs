//! The postmaster of a private server: started, perhaps under another program, and stopped.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::{Error, Result};
use crate::server::account::Account;
use crate::server::folder::Folder;

/// A program that runs the server, as valgrind does, with what stands before the server's own command line.
#[derive(Clone, Debug)]
pub struct Wrapper {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

/// The postmaster's process; stopped and waited for on Drop.
pub struct Postmaster {
    child: Child,
    kept: bool,
}

impl Postmaster {
    /// Starts it on the data of `folder`; it dies with the calling thread unless it `survives`.
    pub fn start(
        bindir: &Path,
        folder: &Folder,
        account: &Account,
        survives: bool,
        wrapper: Option<&Wrapper>,
    ) -> Result<Self> {
        let log = File::create(folder.log())?;
        let postgres = bindir.join("postgres");
        let mut command = account.command(wrapper.map_or(&postgres, |wrapper| &wrapper.program), !survives);
        if let Some(wrapper) = wrapper {
            command.args(&wrapper.arguments).arg(&postgres);
            // the caller's variables lie above the stack, and where that begins decides which way memcmp and its like take:
            // tens of instructions a select
            command.env_clear().env("LC_ALL", "C");
            let kept = ["PATH", "LD_LIBRARY_PATH"].iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.envs(kept);
        }
        let child = command
            .arg("-D")
            .arg(folder.data())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .map_err(|error| cannot_run("postgres", &error))?;
        Ok(Self { child, kept: false })
    }

    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Leaves it running when we go.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Stops it and waits for its end.
    pub fn stop(&mut self) {
        // fast shutdown, immediate shutdown, the kernel
        for (signal, patience) in [(Signal::SIGINT, 20), (Signal::SIGQUIT, 5), (Signal::SIGKILL, 5)] {
            let begun = Instant::now();
            let _ = kill(Pid::from_raw(self.pid()), signal);
            while begun.elapsed() < Duration::from_secs(patience) {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        if !self.kept {
            self.stop();
        }
    }
}

pub fn cannot_run(program: &str, error: &std::io::Error) -> Error {
    Error::failed(format!("cannot start {program}: {error}"))
        .hint("it is started through setpriv, which the package util-linux has")
}
