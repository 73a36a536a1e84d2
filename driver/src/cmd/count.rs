//! `sps count`: instructions per select and function, which no clock and no neighbour changes.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use crate::arm::ArmSpec;
use crate::cmd::layout::{number, unpaired};
use crate::count::{self, Counter, Order};
use crate::error::{Error, Exit, Result};
use crate::interrupt;
use crate::record::{COUNT, Count, CountVerdict, Line, Method, Writer};
use crate::report::{self, File, print_text};
use crate::server::{PrivateArgs, Target, dataset};

/// From SPI down to the index.
const DEFAULT_ARMS: [&str; 5] = ["spi", "executor", "rescan", "index", "index_tid"];

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Arms, layers and wire arms, the reference first [default: those of --base, else spi executor rescan index index_tid]
    #[arg(value_name = "ARM")]
    arms: Vec<String>,
    /// Count these two, and print which functions grew and shrank from BASE to TEST
    #[arg(long, num_args = 2, value_names = ["BASE", "TEST"], conflicts_with = "arms")]
    diff: Option<Vec<String>>,
    /// How to count
    #[arg(long = "by", value_enum, value_name = "METHOD", default_value = "callgrind")]
    method: Method,
    /// Selects of each arm that are counted
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = number(100_000_000))]
    selects: u64,
    /// Decides the keys
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: i64,
    /// Functions printed of each arm
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print how often a select calls these functions
    #[arg(long, value_name = "FUNCTION,…", value_delimiter = ',')]
    calls: Vec<String>,
    /// Compare with an earlier count, by its record or JSON; exit code 3 where an arm takes more instructions
    #[arg(long, value_name = "FILE")]
    base: Option<PathBuf>,
    /// How much more is a regression, as a share of the instructions [default: 1%]
    #[arg(long, value_name = "SHARE", value_parser = report::share_of, requires = "base")]
    threshold: Option<f64>,
    /// Write the count as JSON, too; - prints it, alone
    #[arg(long, value_name = "FILE|-")]
    json: Option<String>,
    /// No tables and no progress bar
    #[arg(long, short = 'q')]
    quiet: bool,
    /// Scale of the private server's tables
    #[arg(long, short = 's', default_value_t = 1, value_parser = clap::value_parser!(i64).range(1..=10_000))]
    scale: i64,
    /// The record: a new file, or a folder for one [default: results/]
    #[arg(long, value_name = "FILE|DIR")]
    record: Option<PathBuf>,
    #[command(flatten)]
    private: PrivateArgs,
}

pub fn run(args: Args) -> Result<Exit> {
    let base = args
        .base
        .as_deref()
        .map(|path| Ok::<_, Error>((path.display().to_string(), Count::read(path)?)))
        .transpose()?;
    let arms = args.arms(base.as_ref().map(|(_, base)| base));
    let specs = arms.iter().map(|arm| arm.parse()).collect::<Result<Vec<ArmSpec>>>()?;
    if let Some((path, base)) = &base {
        count::comparable(base, path, args.method, &arms)?;
    }
    let counter = Counter::find(args.method)?;
    Writer::check(args.record.as_deref())?;
    let json = match args.json.as_deref() {
        None | Some("-") => None,
        Some(path) => Some(File::open(Path::new(path))?),
    };
    interrupt::install()?;

    let mut target = Target::start(args.private.resolve()?, args.scale)?;
    let (dataset, lookup) = dataset::inspect(&target.session()?, None)?;
    let order = Order {
        specs,
        method: args.method,
        selects: args.selects as i64,
        plan: unpaired(args.seed, args.selects as i64),
    };
    let bar = args.bar(order.specs.len());
    let counted = count::count(&order, &counter, &mut target, &dataset, &lookup, &mut |arm| {
        bar.set_message(arm.to_owned());
        bar.inc(1);
    });
    bar.finish_and_clear();
    drop(target);
    let mut counted = counted?;
    if let Some((path, base)) = &base {
        counted.warnings.extend(count::differences(base, &counted));
        counted.check = Some(count::check(base, path, args.threshold.unwrap_or(0.01), &counted.arms));
    }
    let mut writer = Writer::create(args.record.as_deref(), COUNT)?;
    counted.record = Some(writer.path().display().to_string());
    writer.write(&Line::Count(Box::new(counted.clone())))?;
    args.print(&counted, json)?;
    let worse = counted.check.iter().flat_map(|check| &check.arms).any(|arm| arm.verdict == CountVerdict::Regression);
    Ok(if worse { Exit::Regression } else { Exit::Done })
}

impl Args {
    fn arms(&self, base: Option<&Count>) -> Vec<String> {
        match (&self.diff, base) {
            (Some(pair), _) => pair.clone(),
            (None, _) if !self.arms.is_empty() => self.arms.clone(),
            (None, Some(base)) => base.arms.iter().map(|arm| arm.name.clone()).collect(),
            (None, None) => DEFAULT_ARMS.map(String::from).into(),
        }
    }

    fn bar(&self, arms: usize) -> ProgressBar {
        let visible = !self.quiet && std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        let bar = if visible { ProgressBar::new(arms as u64) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {msg}") {
            bar.set_style(style);
        }
        bar
    }

    fn print(&self, counted: &Count, file: Option<File>) -> Result<()> {
        let failed = |error: serde_json::Error| Error::failed(format!("cannot write the count: {error}"));
        let json = serde_json::to_string_pretty(counted).map_err(failed)? + "\n";
        if let Some(file) = file {
            file.write_text(&json)?;
        }
        if self.json.as_deref() == Some("-") {
            return print_text(&json);
        }
        if self.quiet {
            return Ok(());
        }
        let mut text = report::count::text(counted, if self.diff.is_some() { 0 } else { self.top });
        if let Some([base, test]) = self.diff.as_deref() {
            text.push('\n');
            text.push_str(&report::count::difference(counted, base, test, self.top));
        }
        if !self.calls.is_empty() {
            text.push('\n');
            text.push_str(&report::count::calls(counted, &self.calls));
        }
        print_text(&text)
    }
}
