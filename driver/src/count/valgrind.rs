//! A private server under valgrind's callgrind: each backend writes what it executed when it ends.
//!
//! `postgres --single` would do for layers, but speaks no protocol; a server counts wire arms the same way, and a backend is
//! forked in half a second, where valgrind itself takes two to start.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::callgrind::Profile;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::server::Target;
use crate::server::postmaster::Wrapper;

/// A valgrind that is there.
#[derive(Debug)]
pub struct Valgrind {
    /// As it calls itself: `valgrind-3.19.0`.
    pub version: String,
}

impl Valgrind {
    /// # Errors
    /// It cannot be run, with what to do.
    pub fn find() -> Result<Self> {
        let output = Command::new("valgrind").arg("--version").output();
        let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        match version {
            Ok(version) if version.starts_with("valgrind-") => Ok(Self { version }),
            Ok(said) => Err(Error::failed(format!("valgrind does not work: it said \"{said}\""))),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::failed("valgrind is not installed")
                .hint("apt-get install valgrind; or count layers by the processor's counter: --by hardware")),
            Err(error) => Err(Error::failed(format!("cannot run valgrind: {error}"))),
        }
    }

    /// Starts the private server of `target` anew, every process of it counted.
    pub fn start(&self, target: &mut Target) -> Result<Outputs> {
        let server = target.private().ok_or_else(|| Error::failed("callgrind counts on a private server only"))?;
        let folder = server.new_folder("callgrind")?;
        // valgrind puts the process id in the place of %p
        let pattern = folder.display().to_string().replace('%', "%%");
        let arguments = [
            // neither VALGRIND_OPTS nor a .valgrindrc
            "--command-line-only=yes".to_owned(),
            "--quiet".into(),
            "--tool=callgrind".into(),
            // Rust's names are demangled here
            "--demangle=no".into(),
            format!("--callgrind-out-file={pattern}/%p"),
        ];
        let arguments = arguments.into_iter().map(Into::into).collect();
        target.restart_under(&Wrapper { program: "valgrind".into(), arguments })?;
        Ok(Outputs { folder })
    }
}

/// What the server's processes write when they end.
#[derive(Debug)]
pub struct Outputs {
    folder: PathBuf,
}

/// A backend writes half a megabyte when it ends.
const PATIENCE: Duration = Duration::from_secs(60);

impl Outputs {
    /// Waits for the end of process `pid`, whose connection is closed, and reads what it executed.
    pub fn of(&self, pid: i32) -> Result<Profile> {
        let begun = Instant::now();
        while Path::new(&format!("/proc/{pid}")).exists() {
            interrupt::check()?;
            if PATIENCE < begun.elapsed() {
                return Err(Error::failed(format!("backend {pid} does not end")));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let file = self.folder.join(pid.to_string());
        let text = std::fs::read(&file)
            .map_err(|error| Error::failed(format!("callgrind left no output of backend {pid}: {error}")))?;
        std::fs::remove_file(&file)?;
        Profile::parse(&String::from_utf8_lossy(&text))
    }
}
