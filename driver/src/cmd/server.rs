//! `sps server`: a private server for the duration of a command, like pg_virtualenv.

use std::ffi::OsString;
use std::process::Command;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::iterator::Signals;

use crate::error::{Error, Exit, Result};
use crate::interrupt;
use crate::server::private::{DATABASE, Options, PORT, PrivateServer, USER};
use crate::server::{KeepArgs, PrivateArgs, variables};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Create pgbench's tables at this scale; 0 for none
    #[arg(long, short = 's', default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..=100_000))]
    scale: i64,
    #[command(flatten)]
    keep: KeepArgs,
    #[command(flatten)]
    options: PrivateArgs,
    /// What to run; PGHOST, PGPORT, PGUSER, PGDATABASE name the server, SPS_PG_CONFIG its pg_config, and its programs
    /// come first on PATH
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(args: Args) -> Result<Exit> {
    // asked for before a handler of ours stands where SIG_IGN stood
    let terminations = interrupt::terminations();
    interrupt::install()?;
    // from here on a signal ends the command, not us before the server is gone
    let mut signals = Signals::new(terminations)?;
    let options = Options { keep: args.keep.keep, ..args.options.resolve()? };
    let server = PrivateServer::start(&options, args.scale)?;
    if 0 < args.scale {
        server.fill(args.scale)?;
    }
    interrupt::check()?;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    // libpq's variables would lead the command elsewhere
    for name in variables() {
        command.env_remove(name);
    }
    command
        .env("PGHOST", server.socket())
        .env("PGPORT", PORT.to_string())
        .env("PGUSER", USER)
        .env("PGDATABASE", DATABASE);
    command.env("SPS_PG_CONFIG", &server.installation.pg_config);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(server.installation.bindir.clone()).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).unwrap_or(path.clone()));

    let mut child = command
        .spawn()
        .map_err(|error| Error::failed(format!("cannot run {}: {error}", args.command[0].to_string_lossy())))?;
    let pid = Pid::from_raw(child.id() as i32);
    let handle = signals.handle();
    let forwarder = std::thread::spawn(move || {
        // SIGINT is not passed on: the terminal sends it to the command itself, which is in our process group
        for _ in signals.forever() {
            let _ = kill(pid, Signal::SIGTERM);
        }
    });
    let status = child.wait();
    handle.close();
    let _ = forwarder.join();
    drop(server);
    let status = status?;
    let code =
        status.code().or_else(|| std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal));
    // not one of our own codes: the command's
    std::process::exit(code.unwrap_or(1));
}
