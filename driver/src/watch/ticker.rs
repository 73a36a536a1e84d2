//! pgbench's progress lines, by measured time: what lies between blocks does not count.

use crate::record::{Block, Latency, Plan};

pub struct Ticker {
    every_ns: i64,
    paced: bool,
    limited: bool,
    /// Measured until now, and until the last line.
    measured_ns: i64,
    told_ns: i64,
    units: i64,
    latencies: Vec<Latency>,
}

impl Ticker {
    /// A line `every` so many seconds.
    pub fn new(every: f64, plan: &Plan) -> Self {
        Self {
            every_ns: (every * 1e9) as i64,
            paced: plan.rate.is_some(),
            limited: plan.latency_limit_ms.is_some(),
            measured_ns: 0,
            told_ns: 0,
            units: 0,
            latencies: Vec::new(),
        }
    }

    /// Takes a block in; the line that it completes.
    pub fn block(&mut self, block: &Block) -> Option<String> {
        self.measured_ns += block.driver_ns;
        self.units += block.calls.unwrap_or(block.selects);
        self.latencies.extend(block.latency.clone());
        let since = self.measured_ns - self.told_ns;
        // a block ends some microseconds after its time, so that the last of a period may not fall short of it
        if since < self.every_ns {
            return None;
        }
        let mut line = format!(
            "progress: {:.1} s, {:.1} tps",
            self.measured_ns as f64 / 1e9,
            self.units as f64 * 1e9 / since as f64
        );
        if let Ok(Some(latency)) = Latency::merge(&self.latencies) {
            let ms = |ns: f64| ns / 1e6;
            line += &format!(", lat {:.3} ms stddev {:.3}, 0 failed", ms(latency.mean_ns), ms(latency.stddev_ns));
            if self.paced {
                line += &format!(", lag {:.3} ms", ms(latency.lag_mean_ns.unwrap_or(0.0)));
            }
            if self.paced && self.limited {
                line += &format!(", {} skipped", latency.skipped.unwrap_or(0));
            }
        }
        (self.told_ns, self.units) = (self.measured_ns, 0);
        self.latencies.clear();
        Some(line)
    }
}
