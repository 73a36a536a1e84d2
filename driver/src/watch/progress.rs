//! The progress bar: measured time against the time limit, since precision cannot be foreseen.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::record::{Block, Plan};
use crate::report::Charset;

/// The time left is that to the limit: a run that is precise earlier ends earlier.
const TEMPLATE: &str = "{prefix:>10} {wide_bar} {eta} left at most  {msg}";

pub struct Progress {
    bar: ProgressBar,
    measured_ns: u64,
}

impl Progress {
    pub fn new(wanted: bool, plan: &Plan) -> Self {
        let visible = wanted && std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let limit_ms = (plan.time_limit_s * 1e3) as u64;
        let bar = if visible { ProgressBar::new(limit_ms) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            let cells = match Charset::of_locale() {
                Charset::Utf8 => "█▉▊▋▌▍▎▏ ",
                Charset::Ascii => "#. ",
            };
            bar.set_style(style.progress_chars(cells));
        }
        Self { bar, measured_ns: 0 }
    }

    pub fn block(&mut self, block: &Block) {
        self.measured_ns += block.driver_ns.max(0) as u64;
        self.bar.set_position(self.measured_ns / 1_000_000);
        self.bar.set_message(format!("{} {:.0}/s", block.arm, block.sps()));
    }

    pub fn round(&self, rounds: u64) {
        self.bar.set_prefix(format!("round {rounds}"));
    }

    /// A line above the bar; nothing where there is no bar.
    pub fn say(&self, text: &str) {
        self.bar.println(text);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
