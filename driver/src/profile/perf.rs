//! perf as a process: found, attached to processes, told when to record, read.
//!
//! It records nothing until it is told to and stops when it is told to (`perf record --delay=-1 --control=fifo:…`, perf 5.10), so
//! that connecting and warming up are no part of a profile.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use tempfile::TempDir;

use super::unwind::Unwind;
use crate::error::{Error, Result};
use crate::interrupt;

/// Processor cycles where the machine counts them; perf itself takes the clock where it does not.
pub const DEFAULT_EVENT: &str = "cycles";

/// What to record.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub event: String,
    /// Samples a second.
    pub frequency: u64,
    pub unwind: Unwind,
}

/// A perf that is attached and waits.
#[derive(Debug)]
pub struct Recording {
    child: Child,
    control: File,
    acknowledged: File,
    folder: TempDir,
    stopped: bool,
}

/// perf answers at once; what it has recorded it writes within seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// perf's version, `6.1.192`.
///
/// # Errors
/// It cannot be run.
pub fn version() -> Result<String> {
    let output = Command::new("perf").arg("--version").output();
    let said = output.map(|output| (output.status, String::from_utf8_lossy(&output.stdout).trim().to_owned()));
    match said {
        Ok((status, said)) if status.success() => Ok(said.trim_start_matches("perf version ").to_owned()),
        // Debian's and Ubuntu's wrapper is there without the perf of the running kernel
        Ok(_) => Err(Error::failed("perf is installed, but not for this kernel").hint("apt-get install linux-perf")),
        Err(error) => {
            let why = match error.kind() {
                ErrorKind::NotFound => "perf is not installed".to_owned(),
                _ => format!("cannot run perf: {error}"),
            };
            Err(Error::failed(why).hint(
                "apt-get install linux-perf (Ubuntu: linux-tools-$(uname -r)); or attach a tool of your own: --attach-pause",
            ))
        }
    }
}

impl Recording {
    /// Attaches to `processes`, with all threads that they have and start.
    ///
    /// # Errors
    /// perf is refused, with its own reason.
    pub fn attach(processes: &[i32], recipe: &Recipe) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("sps-profile-").tempdir()?;
        let fifo = |name: &str| -> Result<File> {
            let path = folder.path().join(name);
            mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR)
                .map_err(|error| Error::failed(format!("cannot make a FIFO for perf: {error}")))?;
            // both ways, so that opening waits for nobody
            let flags = OFlag::O_NONBLOCK.bits();
            Ok(OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?)
        };
        let (control, acknowledged) = (fifo("control")?, fifo("acknowledged")?);
        let list: Vec<String> = processes.iter().map(i32::to_string).collect();
        let mut command = Command::new("perf");
        command
            .args(["record", "--no-buildid", "--no-buildid-cache", "--delay=-1"])
            .arg("--control=fifo:control,acknowledged")
            .args(["--event", &recipe.event, "--freq", &recipe.frequency.to_string()])
            .args(["--call-graph", recipe.unwind.perf_name(), "--pid", &list.join(",")])
            .args(["--output", "data"])
            .current_dir(folder.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(folder.path().join("log"))?)
            // the terminal's Ctrl-C is ours
            .process_group(0);
        let child = command.spawn().map_err(|error| Error::failed(format!("cannot run perf: {error}")))?;
        Ok(Self { child, control, acknowledged, folder, stopped: false })
    }

    /// Begins to record.
    pub fn enable(&mut self) -> Result<()> {
        self.tell("enable")
    }

    /// Ends recording.
    pub fn disable(&mut self) -> Result<()> {
        self.tell("disable")
    }

    /// Has perf write what it recorded, and end; the samples as text (perf script).
    pub fn finish(mut self) -> Result<Script> {
        self.stopped = true;
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGINT);
        let begun = Instant::now();
        while self.child.try_wait()?.is_none() {
            interrupt::check()?;
            if PATIENCE < begun.elapsed() {
                return Err(Error::failed("perf does not end"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let data = self.folder.path().join("data");
        let script = self.folder.path().join("script");
        let mut command = Command::new("perf");
        command
            // inlined functions take debug information of gigabytes to find, and are no frames of their own
            .args(["script", "--force", "--no-demangle", "--no-inline", "--input"])
            .arg(&data)
            .args(["--fields", "comm,pid,period,event,ip,sym,dso"])
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(File::create(&script)?)
            .stderr(Stdio::piped())
            .process_group(0);
        let output = command.output()?;
        if !output.status.success() {
            return Err(refused(&String::from_utf8_lossy(&output.stderr)));
        }
        let text = String::from_utf8_lossy(&std::fs::read(&script)?).into_owned();
        Ok(Script { text, data, script, _folder: std::mem::replace(&mut self.folder, tempfile::tempdir()?) })
    }

    fn tell(&mut self, what: &str) -> Result<()> {
        writeln!(self.control, "{what}")?;
        let begun = Instant::now();
        let mut answer = [0; 64];
        loop {
            // "ack\n", perhaps with a 0 behind it
            if self.acknowledged.read(&mut answer).is_ok_and(|count| 0 < count) {
                return Ok(());
            }
            if self.child.try_wait()?.is_some() {
                return Err(refused(&self.log()));
            }
            interrupt::check()?;
            if PATIENCE < begun.elapsed() {
                return Err(Error::failed(format!("perf does not answer: {}", self.log().trim())));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if !self.stopped || matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// What perf recorded, as text and in files that go with it.
#[derive(Debug)]
pub struct Script {
    pub text: String,
    data: PathBuf,
    script: PathBuf,
    _folder: TempDir,
}

impl Script {
    /// Copies perf's own data and the samples' text beside `picture`; the paths of both.
    pub fn keep(&self, picture: &Path) -> Result<[PathBuf; 2]> {
        let kept = [picture.with_extension("perf.data"), picture.with_extension("perf.txt")];
        for (from, to) in [&self.data, &self.script].into_iter().zip(&kept) {
            std::fs::copy(from, to)
                .map_err(|error| Error::failed(format!("cannot write {}: {error}", to.display())))?;
        }
        Ok(kept)
    }
}

/// perf's own words in a line, and what to do about the usual reasons.
fn refused(said: &str) -> Error {
    let told = |line: &&str| !line.is_empty() && *line != "Error:" && !line.starts_with("Events ");
    let reason: Vec<&str> = said.lines().map(str::trim).filter(told).take(3).collect();
    let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    let level = paranoid.trim();
    let error = Error::failed(format!("perf was refused: {}", reason.join(" ")));
    if said.contains("perf_event_paranoid") || said.contains("Permission") || said.contains("permitted") {
        error.hint(format!(
            "kernel.perf_event_paranoid is {level}: run sps as root, or as the server's user after `sysctl \
             kernel.perf_event_paranoid=1`; in a container the host has to allow perf_event_open (CAP_PERFMON)"
        ))
    } else {
        error.hint("--event cpu-clock needs no counter of the processor; --attach-pause waits for a tool of your own")
    }
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn the_reason_of_a_refusal_is_perfs_own() {
        let error = refused(
            "Error:\nAccess to performance monitoring and observability operations is limited.\nConsider \
                             adjusting /proc/sys/kernel/perf_event_paranoid setting to open\n",
        );
        assert!(error.message.starts_with("perf was refused: Access to performance monitoring"), "{error}");
        assert!(error.hint.unwrap().starts_with("kernel.perf_event_paranoid is "));
        let error = refused("event syntax error: 'nonsense'\n");
        assert_eq!(error.message, "perf was refused: event syntax error: 'nonsense'");
    }
}
