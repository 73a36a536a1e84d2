//! `pgbench`, `pgbench_simple`, `pgbench_extended`: the real binary doing the same lookup, to calibrate the driver by.
//!
//! Its keys are its own random ones, so it takes no part in the agreement check and says nothing of found or checksum.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Lookup;
use crate::error::{Error, Result};
use crate::interrupt::{self, Stop};
use crate::server::{Config, Host, Place, mode_name, variables};

/// The program.
pub const NAME: &str = "pgbench";

/// Its arms, each with the -M it runs with, which is also the name of the wire arm that it calibrates.
pub const ARMS: [(&str, &str); 3] =
    [(NAME, "prepared"), ("pgbench_simple", "simple"), ("pgbench_extended", "extended")];

/// The -M of the arm `arm`; None where it is none of these.
pub fn protocol(arm: &str) -> Option<&'static str> {
    ARMS.into_iter().find(|(name, _)| *name == arm).map(|(_, protocol)| protocol)
}

/// The binary, found.
#[derive(Clone, Debug)]
pub struct Pgbench(PathBuf);

/// How long it runs.
#[derive(Clone, Copy, Debug)]
pub enum Length {
    Seconds(u64),
    /// Of each client.
    Transactions(u64),
}

/// What it printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    pub transactions: i64,
    /// Without the time of connecting, as its tps is.
    pub elapsed_ns: i64,
}

impl Pgbench {
    /// The server's own where its folder of programs is known, else beside the pg_config that PG_CONFIG names, else on
    /// PATH, else Debian's newest.
    pub fn find(bindir: Option<&Path>) -> Result<Self> {
        let configured = std::env::var_os("PG_CONFIG").and_then(|config| bindir_of(&config));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut debian: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
            .map(|versions| versions.flatten().map(|version| version.path().join("bin")).collect())
            .unwrap_or_default();
        let major = |folder: &PathBuf| folder.iter().rev().nth(1).and_then(|name| name.to_str()?.parse::<u32>().ok());
        debian.sort_by_key(|folder| std::cmp::Reverse(major(folder)));
        let own = bindir.map(Path::to_owned).into_iter();
        let found = own.chain(configured).chain(std::env::split_paths(&path)).chain(debian);
        found.map(|folder| folder.join(NAME)).find(|file| file.is_file()).map(Self).ok_or_else(|| {
            Error::failed("cannot find pgbench")
                .hint("put it on PATH, name its pg_config in PG_CONFIG, or leave the arm pgbench out")
        })
    }

    /// Runs it to its end on the calling thread's cores, with `protocol` as its -M.
    pub fn run(
        &self,
        protocol: &str,
        config: &Config,
        lookup: &Lookup,
        clients: usize,
        threads: usize,
        length: Length,
    ) -> Result<Report> {
        let mut script = tempfile::Builder::new().prefix("sps-").suffix(".sql").tempfile()?;
        let last = lookup.min.wrapping_add(lookup.rows).wrapping_sub(1);
        write!(script, "\\set k random({}, {last})\n{}\n", lookup.min, lookup.select(":k"))?;
        script.flush()?;
        let mut command = self.on(config);
        command.args(["-n", "-M", protocol, "-c", &clients.to_string(), "-j", &threads.to_string(), "-f"]);
        command.arg(script.path());
        match length {
            Length::Seconds(seconds) => command.arg("-T").arg(seconds.to_string()),
            Length::Transactions(count) => command.arg("-t").arg(count.to_string()),
        };
        let set = if lookup.covered_by_key() { "-c enable_indexonlyscan=off" } else { "" };
        command.arg(conninfo(config, set));
        let (output, stdout, stderr) = finish(command)?;
        match parse(&stdout) {
            Some(report) if output.success() => Ok(report),
            _ => Err(failed(output, &stdout, &stderr)),
        }
    }

    /// The program, ready for its arguments, [`conninfo`] the last of them.
    pub fn on(&self, config: &Config) -> Command {
        // killed with the thread that starts it, so that a kill -9 of sps leaves no load behind
        let mut command = Command::new("setpriv");
        command.arg("--pdeathsig=KILL").arg(&self.0);
        // what could lead it elsewhere
        for variable in variables() {
            command.env_remove(variable);
        }
        let password = config.hosts.first().and_then(|host| config.password(host));
        command.envs(password.map(|password| ("PGPASSWORD", password))).env("LC_ALL", "C");
        // a group of its own: the terminal's Ctrl-C comes to sps, which ends it
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Runs a command of [`Pgbench::on`] to its end; what it printed on standard output and standard error. Ctrl-C ends it.
pub fn finish(mut command: Command) -> Result<(ExitStatus, String, String)> {
    interrupt::check()?;
    let child = command.spawn().map_err(|error| {
        Error::from(error).context("cannot start pgbench").hint("it is started through setpriv, which util-linux has")
    })?;
    let stop = interrupt::register(Child(Pid::from_raw(child.id() as i32)));
    let output = child.wait_with_output()?;
    drop(stop);
    interrupt::check()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((output.status, text(&output.stdout), text(&output.stderr)))
}

/// Its own last words as an error.
pub fn failed(status: ExitStatus, stdout: &str, stderr: &str) -> Error {
    let last = stderr.lines().chain(stdout.lines()).rfind(|line| !line.trim().is_empty());
    let said = format!("pgbench failed ({status}): {}", last.unwrap_or("it said nothing"));
    let gone = ["server closed the connection", "terminating connection", "connection to server"];
    if gone.iter().any(|words| stderr.contains(words)) { Error::lost(said) } else { Error::failed(said) }
}

fn bindir_of(pg_config: &OsStr) -> Option<PathBuf> {
    let output = Command::new(pg_config).arg("--bindir").stderr(Stdio::null()).output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end()))
}

/// The configuration as a connection string, without any password: others can read a command line. `set` are more options
/// for the backend.
pub fn conninfo(config: &Config, set: &str) -> String {
    const OURS: [&str; 11] = [
        "host",
        "hostaddr",
        "port",
        "user",
        "dbname",
        "options",
        "sslmode",
        "service",
        "servicefile",
        "load_balance_hosts",
        "target_session_attrs",
    ];
    let mut all = vec![
        ("user", config.user.clone()),
        ("dbname", config.dbname.clone()),
        ("options", [config.options.as_deref().unwrap_or_default(), set].join(" ").trim().to_owned()),
        ("sslmode", mode_name(config.tls.mode).to_owned()),
    ];
    for Host { place, port, .. } in config.hosts.iter().take(1) {
        all.push(("port", port.to_string()));
        match place {
            Place::Unix(directory) => all.push(("host", directory.clone())),
            Place::Tcp { name, address } => {
                all.push(("host", name.clone()));
                all.extend(address.map(|address| ("hostaddr", address.to_string())));
            }
        }
    }
    let rest = config.parameters.iter().filter(|(name, _)| !OURS.contains(&name.as_str()));
    all.extend(rest.map(|(name, value)| (name.as_str(), value.clone())));
    let quoted = |value: &str| value.replace('\\', r"\\").replace('\'', r"\'");
    let written = all.iter().filter(|(_, value)| !value.is_empty());
    written.map(|(name, value)| format!("{name}='{}'", quoted(value))).collect::<Vec<_>>().join(" ")
}

/// Reads the transactions processed and the tps without connecting; None when either is missing or senseless.
fn parse(stdout: &str) -> Option<Report> {
    let after = |prefix: &'static str| stdout.lines().filter_map(move |line| line.trim().strip_prefix(prefix));
    let processed = after("number of transactions actually processed:").next()?;
    // "1000/1000" with -t
    let transactions: i64 = processed.trim().split('/').next()?.trim().parse().ok()?;
    let tps = after("tps =").find(|rest| rest.contains("without initial") || rest.contains("excluding"))?;
    let tps: f64 = tps.split_whitespace().next()?.parse().ok()?;
    let seconds = transactions as f64 / tps;
    (transactions > 0 && seconds.is_finite() && seconds > 0.0)
        .then(|| Report { transactions, elapsed_ns: (seconds * 1e9).round() as i64 })
}

/// A process that Ctrl-C is passed on to; by a negative id, a process group.
pub struct Child(Pid);

impl Child {
    /// All of a process group.
    pub fn group(leader: Pid) -> Self {
        Self(Pid::from_raw(-leader.as_raw()))
    }
}

impl Stop for Child {
    fn cancel(&self) {
        let _ = kill(self.0, Signal::SIGINT);
    }

    fn abandon(&self) {
        let _ = kill(self.0, Signal::SIGKILL);
    }
}

#[cfg(test)]
mod tests {
    use super::{Report, parse};

    #[test]
    fn the_rate_without_connecting_gives_the_time() {
        let printed = "transaction type: x.sql\nnumber of transactions actually processed: 1000/1000\n\
                       number of failed transactions: 0 (0.000%)\ninitial connection time = 2.100 ms\n\
                       tps = 500.000000 (without initial connection time)\n";
        assert_eq!(parse(printed), Some(Report { transactions: 1000, elapsed_ns: 2_000_000_000 }));
    }

    #[test]
    fn output_without_a_rate_is_refused() {
        assert_eq!(
            parse("number of transactions actually processed: 0\ntps = 0.0 (without initial connection time)"),
            None
        );
        assert_eq!(parse("tps = 10.0 (without initial connection time)"), None);
        assert_eq!(parse(""), None);
    }
}
