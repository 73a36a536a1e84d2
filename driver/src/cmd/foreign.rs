//! pgbench's flags that a run of selects has no use for: refused with what to do instead, rather than as unknown.

use crate::error::{Error, Result};

#[derive(Clone, Debug, Default, clap::Args)]
pub struct Foreign {
    #[arg(short = 'C', long, hide = true)]
    connect: bool,
    #[arg(short = 'l', long, hide = true)]
    log: bool,
    #[arg(long, hide = true)]
    log_prefix: Option<String>,
    #[arg(long, hide = true)]
    aggregate_interval: Option<String>,
    #[arg(long, hide = true)]
    sampling_rate: Option<String>,
    #[arg(short = 'f', long, hide = true)]
    file: Option<String>,
    #[arg(short = 'b', long, hide = true)]
    builtin: Option<String>,
    #[arg(short = 'N', long, hide = true)]
    skip_some_updates: bool,
    #[arg(short = 'D', long, hide = true)]
    define: Option<String>,
    #[arg(long, hide = true)]
    show_script: Option<String>,
    #[arg(short = 'i', long, hide = true)]
    initialize: bool,
    #[arg(short = 'v', long, hide = true)]
    vacuum_all: bool,
    #[arg(long, hide = true)]
    max_tries: Option<String>,
    #[arg(long, hide = true)]
    failures_detailed: bool,
    #[arg(long, hide = true)]
    verbose_errors: bool,
    #[arg(long, hide = true)]
    exit_on_abort: bool,
    #[arg(long, hide = true)]
    progress_timestamp: bool,
}

const LOG: &str = "leave it out: the record (--record) holds a histogram of latencies for each block";
const SCRIPT: &str = "sps run does one lookup, by -S, -P or --arm; pgbench runs scripts";
const TRIES: &str = "leave it out: a lookup has nothing to retry, and any error ends the run";

impl Foreign {
    /// # Errors
    /// A usage error for the first that is given.
    pub fn refuse(&self) -> Result<()> {
        let flags = [
            (self.connect, "-C", "leave it out: sps measures on connections that stay; pgbench -C measures connecting"),
            (self.log, "-l", LOG),
            (self.log_prefix.is_some(), "--log-prefix", LOG),
            (self.aggregate_interval.is_some(), "--aggregate-interval", LOG),
            (self.sampling_rate.is_some(), "--sampling-rate", LOG),
            (self.file.is_some(), "-f", SCRIPT),
            (self.builtin.is_some(), "-b", SCRIPT),
            (self.skip_some_updates, "-N", SCRIPT),
            (self.define.is_some(), "-D", SCRIPT),
            (self.show_script.is_some(), "--show-script", SCRIPT),
            (self.initialize, "-i", "use sps init"),
            (self.vacuum_all, "-v", "leave it out, and VACUUM ANALYZE beforehand: sps run changes nothing"),
            (self.max_tries.is_some(), "--max-tries", TRIES),
            (self.failures_detailed, "--failures-detailed", TRIES),
            (self.verbose_errors, "--verbose-errors", TRIES),
            (self.exit_on_abort, "--exit-on-abort", TRIES),
            (self.progress_timestamp, "--progress-timestamp", "leave it out: --progress counts from the start"),
        ];
        match flags.into_iter().find(|(given, ..)| *given) {
            Some((_, flag, hint)) => Err(Error::usage(format!("sps run has no {flag}")).hint(hint)),
            None => Ok(()),
        }
    }
}
