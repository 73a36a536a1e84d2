//! What pgbench prints: the totals on standard output, a line a second (-P 1) on standard error.
//!
//! Counterpart: printResults and printProgressReport in src/bin/pgbench/pgbench.c; the same lines from 15 to 18.

use crate::results::Second;

/// The totals, and the course.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub transactions: i64,
    pub failed: i64,
    /// Never begun, since they would have been late.
    pub skipped: i64,
    /// Without the time of connecting.
    pub tps: f64,
    pub series: Vec<Second>,
}

/// Reads both; None unless pgbench says how many transactions it did, and at which rate.
pub fn read(stdout: &str, stderr: &str) -> Option<Output> {
    let after = |prefix: &'static str| stdout.lines().find_map(move |line| line.trim().strip_prefix(prefix));
    let count = |prefix| after(prefix).and_then(first_integer);
    // "1000/1000" with -t
    let transactions = count("number of transactions actually processed:")?;
    let rates = stdout.lines().filter_map(|line| line.trim().strip_prefix("tps ="));
    let rate = rates.into_iter().find(|rest| rest.contains("without initial"))?;
    let tps: f64 = rate.split_whitespace().next()?.parse().ok()?;
    (transactions > 0 && tps.is_finite() && tps > 0.0).then(|| Output {
        transactions,
        failed: count("number of failed transactions:").unwrap_or(0),
        skipped: count("number of transactions skipped:").unwrap_or(0),
        tps,
        series: series(stderr),
    })
}

/// Digits at the start.
fn first_integer(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// `progress: 2.0 s, 812.3 tps, lat 1.230 ms stddev 0.411, 0 failed`, each for the time since the line before.
fn series(stderr: &str) -> Vec<Second> {
    let mut series: Vec<Second> = Vec::new();
    let mut before = 0.0;
    for line in stderr.lines() {
        let Some((at, tps, latency_ms, failed)) = progress(line) else { continue };
        series.push(Second {
            second: at.floor() as i32 - 1,
            count: (tps * (at - before)).round() as i64,
            failed,
            latency_ns: latency_ms.map(|ms| ms * 1e6),
            latency_max_ns: None,
        });
        before = at;
    }
    // a report that came late shares its second with the next
    series.dedup_by(|later, earlier| later.second == earlier.second);
    series
}

fn progress(line: &str) -> Option<(f64, f64, Option<f64>, i64)> {
    let mut parts = line.strip_prefix("progress: ")?.split(", ");
    let at: f64 = parts.next()?.strip_suffix(" s")?.parse().ok()?;
    let tps: f64 = parts.next()?.strip_suffix(" tps")?.parse().ok()?;
    let (mut latency, mut failed) = (None, 0);
    for part in parts {
        if let Some(rest) = part.strip_prefix("lat ") {
            // NaN in a second without a transaction
            latency = rest.split(' ').next()?.parse::<f64>().ok().filter(|ms| ms.is_finite());
        } else if let Some(number) = part.strip_suffix(" failed") {
            failed = number.parse().ok()?;
        }
    }
    (at >= 1.0).then_some((at, tps, latency, failed))
}

#[cfg(test)]
mod tests {
    use super::{Second, read};

    // printed by pgbench 15 at a rate, with a limit
    const STDOUT: &str = "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 1\n\
        number of transactions actually processed: 598/600\nnumber of transactions skipped: 2 (0.333%)\n\
        number of failed transactions: 3 (0.500%)\nlatency average = 1.2 ms\ninitial connection time = 3.2 ms\n\
        tps = 299.500000 (without initial connection time)\n";

    #[test]
    fn totals_and_the_course_are_read() {
        let stderr = "pgbench (15.20)\nstarting vacuum...end.\n\
            progress: 1.0 s, 300.1 tps, lat 1.250 ms stddev 0.500, 1 failed, lag 0.100 ms, 2 skipped\n\
            progress: 3.0 s, 149.0 tps, lat NaN ms stddev NaN, 0 failed\n";
        let output = read(STDOUT, stderr).unwrap();
        assert_eq!((output.transactions, output.failed, output.skipped, output.tps), (598, 3, 2, 299.5));
        let second =
            |second, count, failed, latency_ns| Second { second, count, failed, latency_ns, latency_max_ns: None };
        assert_eq!(output.series, [second(0, 300, 1, Some(1.25e6)), second(2, 298, 0, None)]);
    }

    #[test]
    fn output_without_a_count_or_a_rate_is_none() {
        assert_eq!(read("tps = 10.0 (without initial connection time)", ""), None);
        assert_eq!(read("number of transactions actually processed: 10\n", ""), None);
        assert_eq!(
            read("number of transactions actually processed: 0\ntps = 0.0 (without initial connection time)", ""),
            None
        );
    }
}
