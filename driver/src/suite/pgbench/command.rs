//! One run of pgbench.

use std::io::Write;

use super::log;
use super::output::{self, Output};
use crate::arm::pgbench::{Length, Pgbench, conninfo, failed, finish};
use crate::error::{Error, Result};
use crate::measure::Used;
use crate::record::Waits;
use crate::server::Config;
use crate::suite::workload::{Script, Source};

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub script: &'a Script,
    pub scale: i64,
    pub clients: usize,
    pub threads: usize,
    pub length: Length,
    /// Transactions a second, all clients together.
    pub rate: Option<f64>,
    pub seed: i64,
    /// Share of transactions whose latency is kept.
    pub sampling: f64,
}

/// What it came to.
#[derive(Clone, Debug)]
pub struct Done {
    pub output: Output,
    /// Without the time of connecting, as the rate is.
    pub elapsed_ns: i64,
    /// By the program.
    pub used: Option<Used>,
}

/// Runs pgbench to its end, its latencies added to `waits`. To be called from a thread that lives as long.
///
/// # Errors
/// pgbench's own words; none of what it did then counts.
pub fn run(program: &Pgbench, config: &Config, request: &Request<'_>, waits: &mut Waits) -> Result<Done> {
    let folder = tempfile::Builder::new().prefix("sps-").tempdir()?;
    let logs = folder.path().join("log");
    std::fs::create_dir(&logs)?;
    let mut command = program.on(config);
    command.args(["-n", "-P", "1", "-l", "--log-prefix"]).arg(logs.join("log"));
    command.args(["-M", &request.script.protocol, "-c", &request.clients.to_string()]);
    command.args(["-j", &request.threads.to_string(), "--random-seed", &(request.seed as u32).to_string()]);
    if request.sampling < 1.0 {
        command.arg(format!("--sampling-rate={:.6}", request.sampling.max(1e-6)));
    }
    if let Some(rate) = request.rate {
        command.arg(format!("--rate={rate}"));
    }
    match request.length {
        Length::Seconds(seconds) => command.arg("-T").arg(seconds.to_string()),
        Length::Transactions(count) => command.arg("-t").arg(count.to_string()),
    };
    for (name, value) in &request.script.variables {
        command.arg("-D").arg(format!("{name}={value}"));
    }
    match &request.script.source {
        Source::Builtin(name) => {
            command.arg("-b").arg(name);
        }
        Source::Text(text) => {
            let path = folder.path().join("script.sql");
            std::fs::File::create(&path)?.write_all(text.as_bytes())?;
            command.arg("-s").arg(request.scale.to_string()).arg("-f").arg(path);
        }
    }
    command.arg(conninfo(config, ""));
    let before = Used::by_children();
    let (status, stdout, stderr) = finish(command)?;
    let used = Used::by_children().zip(before).map(|(after, before)| after.since(before));
    let output = output::read(&stdout, &stderr).filter(|_| status.success());
    let output = output.ok_or_else(|| explained(failed(status, &stdout, &stderr), &stderr))?;
    log::read(&logs, waits)?;
    let elapsed_ns = (output.transactions as f64 / output.tps * 1e9).round() as i64;
    Ok(Done { output, elapsed_ns, used })
}

/// pgbench ends with the news that it was aborted; why stands before.
fn explained(error: Error, stderr: &str) -> Error {
    match stderr.lines().find(|line| line.contains("error:") || line.contains("ERROR:")) {
        Some(why) if !error.message.contains(why) => Error { message: format!("pgbench failed: {why}"), ..error },
        _ => error,
    }
}
