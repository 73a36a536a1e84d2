//! The command line: one line a subcommand; each subcommand's flags live in its own file under `cmd/`.

use clap::{CommandFactory, Parser, Subcommand};

use crate::cmd;
use crate::error::{Exit, Result};

/// Selects per second: one primary-key lookup, over the wire and inside the server, compared with honest intervals.
#[derive(Debug, Parser)]
#[command(name = "sps", version, disable_help_flag = true, max_term_width = 110)]
struct Cli {
    /// Print help
    #[arg(long, short = '?', global = true, action = clap::ArgAction::Help)]
    help: Option<bool>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create and fill pgbench's tables (pgbench -i)
    Init(cmd::init::Args),
    /// Say what would distort a measurement on this server
    Check(cmd::check::Args),
    /// Run one arm: -S, -S -M prepared, -P, --arm NAME
    Run(Box<cmd::run::Args>),
    /// Compare arms, interleaved, ratios with intervals; default: simple prepared plpgsql
    Compare(Box<cmd::compare::Args>),
    /// Every arm from the wire to the buffer: what each costs, and the step to the next
    Ladder(Box<cmd::ladder::Args>),
    /// Run a matrix of scales, clients and workloads, many times, into a results database; resumable
    Suite(Box<cmd::suite::Args>),
    /// Count instructions per select and function
    Count(cmd::count::Args),
    /// Draw a flame graph of an arm, or of the difference between two (perf)
    Profile(Box<cmd::profile::Args>),
    /// Print records: table, Markdown, web page, JSON, CSV; or put a table into a README
    Report(cmd::report::Args),
    /// List, export, import and remove sets of the results database
    Results(cmd::results::Args),
    /// Start a private server, run a command on it, remove it
    Server(cmd::server::Args),
    /// Print completions for a shell
    Completions(cmd::completions::Args),
    /// Print the manual page, or write all of them into a folder
    Man(cmd::man::Args),
}

/// The command line as a whole, for what is generated from it.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the process's command line and runs what it names.
pub fn run() -> Result<Exit> {
    match Cli::parse().command {
        Command::Init(args) => cmd::init::run(args),
        Command::Check(args) => cmd::check::run(args),
        Command::Run(args) => cmd::run::run(*args),
        Command::Compare(args) => cmd::compare::run(*args),
        Command::Ladder(args) => cmd::ladder::run(*args),
        Command::Suite(args) => cmd::suite::run(*args),
        Command::Count(args) => cmd::count::run(args),
        Command::Profile(args) => cmd::profile::run(*args),
        Command::Report(args) => cmd::report::run(args),
        Command::Results(args) => cmd::results::run(args),
        Command::Server(args) => cmd::server::run(args),
        Command::Completions(args) => cmd::completions::run(args),
        Command::Man(args) => cmd::man::run(args),
    }
}
