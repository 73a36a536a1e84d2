//! The machine: cores, clock, and how long the wire takes. Of this machine only where the server runs on it, too.

use std::time::{Duration, Instant};

use super::Finding;
use crate::error::Result;
use crate::record::ServerInfo;
use crate::server::Session;

/// Reading a clock through the vDSO takes 20 to 50 ns; a system call takes ten times that.
const SLOW_CLOCK_NS: u128 = 200;
/// Delayed acknowledgements hold a message back for 40 ms; nothing else on a loopback takes so long.
const DELAYED_ACK: Duration = Duration::from_millis(30);

pub fn inspect(session: &Session, info: &ServerInfo) -> Result<Vec<Finding>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut findings = vec![
        Finding::new(
            "cores",
            cores.to_string(),
            !info.local || 2 <= cores,
            "client and backend share one core: split placement is not possible",
        ),
        clock(),
    ];
    if let Ok(governor) = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") {
        let governor = governor.trim();
        findings.push(Finding::new(
            "frequency governor",
            governor,
            governor == "performance",
            "the clock rate follows the load: cpupower frequency-set -g performance",
        ));
    }
    findings.push(latency(session, info)?);
    Ok(findings)
}

fn clock() -> Finding {
    const READS: u32 = 10_000;
    let begun = Instant::now();
    let mut last = begun;
    for _ in 0..READS {
        last = std::hint::black_box(Instant::now());
    }
    let each = (last - begun).as_nanos() / u128::from(READS);
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let source = source.map_or_else(|_| "unknown source".to_owned(), |text| text.trim().to_owned());
    Finding::new(
        "clock",
        format!("{each} ns a reading ({source})"),
        each < SLOW_CLOCK_NS,
        "reading the time is slow, which every arm pays for: look at the kernel's clocksource",
    )
}

/// Median of eleven round trips that do nothing.
fn latency(session: &Session, info: &ServerInfo) -> Result<Finding> {
    let mut times = Vec::new();
    for _ in 0..11 {
        let begun = Instant::now();
        session.batch("")?;
        times.push(begun.elapsed());
    }
    times.sort();
    let median = times[times.len() / 2];
    Ok(Finding::new(
        "round trip",
        format!("{:.0} µs", median.as_secs_f64() * 1e6),
        !(info.local && DELAYED_ACK <= median),
        "a delayed acknowledgement on this machine's own network: look for a proxy between, or use the unix socket",
    ))
}
