//! A run as it goes: every block into the record, a progress bar on a terminal, and the decision when to stop.

mod header;
mod progress;
mod stop;
mod ticker;

pub use header::{Compared, header};
pub use stop::Stop;

use std::collections::HashSet;

use crate::error::{Exit, Result, tell};
use crate::measure::{Next, Sink};
use crate::record::{Block, Header, Line, Lost, Status, Writer};
use crate::report::{self, Outcome, Report};
use progress::Progress;
use ticker::Ticker;

/// How the user sees a run going on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown {
    Nothing,
    /// A bar, where both standard output and standard error are terminals.
    Bar,
    /// pgbench's lines on standard error, every so many seconds.
    Lines(f64),
}

impl From<bool> for Shown {
    fn from(bar: bool) -> Self {
        if bar { Self::Bar } else { Self::Nothing }
    }
}

/// The sink of measuring commands.
pub struct Watch {
    header: Header,
    blocks: Vec<Block>,
    lost: Vec<Lost>,
    /// Notes that were shown as they came.
    told: HashSet<String>,
    writer: Writer,
    stop: Stop,
    progress: Progress,
    ticker: Option<Ticker>,
}

impl Watch {
    /// Writes the header.
    pub fn start(header: Header, mut writer: Writer, stop: Stop, shown: Shown) -> Result<Self> {
        writer.write(&Line::Header(Box::new(header.clone())))?;
        let progress = Progress::new(shown == Shown::Bar, &header.plan);
        let ticker = match shown {
            Shown::Lines(every) => Some(Ticker::new(every, &header.plan)),
            _ => None,
        };
        let (blocks, lost, told) = (Vec::new(), Vec::new(), HashSet::new());
        Ok(Self { header, blocks, lost, told, writer, stop, progress, ticker })
    }

    /// Ends the record with its summary. `measured` is how measuring ended: an interrupted or failed run keeps and sums
    /// up what was finished, and a failed one is never taken for a whole one.
    ///
    /// # Errors
    /// Measuring failed (interrupted is no failure here: see the summary's status), or the record cannot be written.
    pub fn finish(mut self, measured: Result<()>) -> Result<Report> {
        self.progress.finish();
        let mut warnings = Vec::new();
        let status = match &measured {
            Ok(()) => Status::Done,
            Err(error) if error.exit == Exit::Interrupted => Status::Interrupted,
            Err(error) => {
                warnings.push(format!("failed: {}", error.message));
                Status::Failed
            }
        };
        let record = Some(self.writer.path().display().to_string());
        let outcome = Outcome { status, warnings, lost: self.lost, record };
        let summary = report::build(&self.header, &self.blocks, &outcome);
        let written = self.writer.write(&Line::Summary(Box::new(summary.clone())));
        match measured {
            Err(error) if error.exit != Exit::Interrupted => Err(match &summary.record {
                Some(record) if error.hint.is_none() && summary.rounds > 0 => {
                    error.hint(format!("what was measured until then is in {record}"))
                }
                _ => error,
            }),
            _ => written.map(|()| Report::new(&self.header, &self.blocks, summary)),
        }
    }
}

impl Sink for Watch {
    fn block(&mut self, block: Block) -> Result<()> {
        self.writer.write(&Line::Block(Box::new(block.clone())))?;
        self.progress.block(&block);
        for note in &block.notes {
            let told = format!("warning: {}: {note}", block.arm);
            if self.told.insert(told.clone()) {
                self.progress.say(&told);
            }
        }
        if let Some(line) = self.ticker.as_mut().and_then(|ticker| ticker.block(&block)) {
            tell(&line);
        }
        self.blocks.push(block);
        Ok(())
    }

    fn lost(&mut self, lost: Lost) -> Result<()> {
        self.writer.write(&Line::Lost(Box::new(lost.clone())))?;
        self.progress.say(&format!("warning: {}: a block is lost: {}", lost.arm, lost.error));
        self.lost.push(lost);
        Ok(())
    }

    fn round(&mut self, round: u64, _epoch: u64, _epoch_done: bool) -> Result<Next> {
        let rounds = round + 1;
        self.progress.round(rounds);
        Ok(self.stop.after(rounds, &self.header, &self.blocks))
    }
}
