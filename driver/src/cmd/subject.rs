//! What measuring commands share: flags for what is measured, where, and where the record goes; and the way from those
//! flags to a summary.

use std::path::PathBuf;

use crate::arm::Lookup;
use crate::error::Result;
use crate::interrupt;
use crate::measure::{Measurement, Pin};
use crate::record::{Dataset, Writer};
use crate::report::Report;
use crate::server::{ConnectArgs, Target, dataset, finding};
use crate::watch::{Compared, Shown, Stop, Watch, header};

// flattened last: the headings of its connection flags would reach over flags that follow
#[derive(Clone, Debug, clap::Args)]
pub struct Subject {
    /// Where client and backend run [default: both where sps may pin, else free; run: free]
    #[arg(long, value_enum)]
    pub pin: Option<Pin>,
    /// Scale of a private server's tables [default: 10]
    #[arg(long, short = 's', value_name = "N", value_parser = clap::value_parser!(i64).range(1..=100_000))]
    scale: Option<i64>,
    /// Table to look up in; pgbench_accounts where there is one
    #[arg(long, value_name = "NAME")]
    relation: Option<String>,
    /// The record: a new file, or a folder for one [default: results/]
    #[arg(long, value_name = "FILE|DIR")]
    record: Option<PathBuf>,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// The server, found or started, and the table in it, looked at.
pub struct Opened {
    pub target: Target,
    pub dataset: Dataset,
    pub lookup: Lookup,
    /// What would distort the measurement.
    pub warnings: Vec<String>,
    record: Option<PathBuf>,
}

const SCALE: i64 = 10;

impl Subject {
    /// The database, where it is named without a flag.
    ///
    /// # Errors
    /// A usage error where a flag names one, too.
    pub fn database(&mut self, name: String) -> Result<()> {
        self.connect.database(name)
    }

    /// Finds or starts the server. From here on Ctrl-C is an orderly end.
    ///
    /// # Errors
    /// A record that is there already, no server, no table: before anything is written.
    pub fn open(&self) -> Result<Opened> {
        Writer::check(self.record.as_deref())?;
        interrupt::install()?;
        let target = Target::open(&self.connect, self.scale.unwrap_or(SCALE))?;
        let session = target.session()?;
        let (dataset, lookup) = dataset::inspect(&session, self.relation.as_deref())?;
        let mut warnings = finding::warnings(&finding::inspect(&session, &target.info, Some((&dataset, &lookup)))?);
        if let Some(scale) = self.scale.filter(|_| target.private().is_none()) {
            warnings.push(format!("--scale {scale} is for a private server's tables, and was not used"));
        }
        Ok(Opened { target, dataset, lookup, warnings, record: self.record.clone() })
    }
}

impl Opened {
    /// Measures for `command` until `stop`, into a record of its own.
    ///
    /// # Errors
    /// Measuring failed; an interrupted one is summed up.
    pub fn measure(
        &self,
        command: &str,
        measurement: &Measurement<'_>,
        compared: Compared,
        stop: Stop,
        shown: impl Into<Shown>,
    ) -> Result<Report> {
        let header = header(command, &self.target, &self.dataset, measurement, compared, self.warnings.clone())?;
        let writer = Writer::create(self.record.as_deref(), command)?;
        let mut watch = Watch::start(header, writer, stop, shown.into())?;
        let measured = measurement.run(&mut watch);
        watch.finish(measured)
    }
}
