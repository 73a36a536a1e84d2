//! `sps suite`: scales × clients × workloads × repeats from a definition, into the results database; resumable.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Exit, Result, tell};
use crate::interrupt;
use crate::report::{self, print_text};
use crate::results::{NewSet, ResultsArgs, RunResult, SetInfo, Status, Store, Which};
use crate::server::connect::Place;
use crate::server::{ConnectArgs, Target, capacity, private};
use crate::suite::plan::{self, Planned};
use crate::suite::{Definition, Disk, Ground, Leave, Suite, Tell, Workload, announce, key};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The definition, TOML: examples/quick.toml is a short one
    #[arg(value_name = "FILE", required_unless_present = "resume", conflicts_with = "resume")]
    file: Option<PathBuf>,
    /// Go on with a set whose suite was killed or interrupted: its number or name
    #[arg(long, value_name = "SET", num_args = 0..=1, require_equals = true, default_missing_value = "latest")]
    resume: Option<String>,
    /// Print the plan and the order of runs, touch nothing
    #[arg(long)]
    dry_run: bool,
    /// On a server that is named: make pgbench's tables, which must not be there
    #[arg(long)]
    create: bool,
    /// On a server that is named: drop pgbench's tables and make them anew
    #[arg(long, conflicts_with = "create")]
    replace: bool,
    /// Write the record of each run of an arm into this folder, too
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Say nothing but what is wrong
    #[arg(long, short = 'q')]
    quiet: bool,
    #[command(flatten)]
    results: ResultsArgs,
    #[command(flatten)]
    connect: ConnectArgs,
}

pub fn run(args: Args) -> Result<Exit> {
    let leave = match (args.create, args.replace) {
        (true, _) => Leave::Create,
        (_, true) => Leave::Replace,
        _ => Leave::Use,
    };
    if let Some(folder) = args.record.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Error::usage(format!("\"{}\" is no folder", folder.display()))
            .hint("--record of a suite names a folder that is there: each run gets a file"));
    }
    let given = args.file.as_deref().map(Definition::read).transpose()?;
    interrupt::install()?;
    let (definition, resumed) = match given {
        Some(definition) => (definition, None),
        None => resumed(&args)?,
    };
    let all = plan::runs(&definition);
    let runs = match &resumed {
        None => all.clone(),
        Some((_, _, pending)) => all.iter().filter(|run| pending.contains(&run.position)).copied().collect(),
    };
    let place = place(&args.connect, &definition)?;
    let (target, disk) = match place {
        Place::Private(options) => {
            let base = private::base()?;
            let largest = definition.scales.iter().copied().max().unwrap_or(1);
            let need = Some(private::disk_need(largest, options.durable));
            let disk = Disk { need, free: capacity::free_bytes(&base).ok(), place: base.display().to_string() };
            say(&args, &definition, &runs, all.len(), &disk)?;
            if args.dry_run {
                return Ok(Exit::Done);
            }
            (Target::at(Place::Private(options), largest, false)?, None)
        }
        named => (Target::at(named, 0, false)?, Some(leave)),
    };
    if let Some(leave) = disk {
        let disk = announce::Disk::of(&target, &definition, leave)?;
        say(&args, &definition, &runs, all.len(), &disk)?;
    }
    let ground = Ground::new(&target, &definition, leave)?;
    if args.dry_run {
        return Ok(Exit::Done);
    }
    let (store, set) = match resumed {
        Some((store, set, _)) => (store, set),
        None => begin(&args, &definition, &all)?,
    };
    execute(&args, &definition, &store, &set, ground, &runs)
}

/// The definition of a set that is to be gone on with, and which of its runs are left.
type Resumed = (Store, SetInfo, BTreeSet<i32>);

fn resumed(args: &Args) -> Result<(Definition, Option<Resumed>)> {
    let which: Which = args.resume.as_deref().unwrap_or("latest").parse().unwrap_or(Which::Latest);
    let store = args.results.read()?;
    let set = if args.dry_run { store.set(&which)? } else { store.resume_set(&which)? };
    let pending = store.pending(set.id)?.iter().map(|key| key.position).collect();
    let name = format!("the definition of set {}", set.id);
    let definition = Definition::parse(&set.definition, &name, Path::new(""))?;
    Ok((definition, Some((store, set, pending))))
}

/// Where the suite runs; on a private server with the definition's settings, flags over them.
fn place(connect: &ConnectArgs, definition: &Definition) -> Result<Place> {
    match connect.place()? {
        Place::Private(mut options) => {
            options.settings = [definition.settings.clone(), options.settings].concat();
            options.durable = definition.writes();
            Ok(Place::Private(options))
        }
        named if definition.settings.is_empty() => Ok(named),
        _ => Err(Error::usage("the definition has [settings], which are for a private server, but a server is named")
            .hint("leave [settings] out, or add --private")),
    }
}

fn say(args: &Args, definition: &Definition, runs: &[Planned], all: usize, disk: &Disk) -> Result<()> {
    if args.dry_run {
        print_text(&format!("{}{}", announce::plan(definition, runs, all, disk), announce::order(definition, runs)))?;
    } else if !args.quiet {
        tell(announce::plan(definition, runs, all, disk).trim_end());
    }
    Ok(())
}

fn begin(args: &Args, definition: &Definition, all: &[Planned]) -> Result<(Store, SetInfo)> {
    let store = args.results.open()?;
    let new = NewSet {
        name: definition.name.clone(),
        description: definition.description.clone(),
        definition: definition.text.clone(),
        seed: definition.seed,
    };
    let keys: Vec<_> = all.iter().map(|planned| key(definition, planned)).collect();
    let set = store.begin_set(&new, &keys)?;
    Ok((store, set))
}

fn execute(
    args: &Args,
    definition: &Definition,
    store: &Store,
    set: &SetInfo,
    ground: Ground<'_>,
    runs: &[Planned],
) -> Result<Exit> {
    let mut suite = Suite::new(definition, store, set, ground, args.record.clone());
    let mut lines = Lines { quiet: args.quiet, of: runs.len(), done: 0 };
    let outcome = suite.run(runs, &mut lines);
    let status = match &outcome {
        Ok(0) => Status::Done,
        Err(error) if error.exit == Exit::Interrupted => Status::Interrupted,
        _ => Status::Failed,
    };
    store.finish_set(set.id, status)?;
    let again = format!("`sps suite --resume={}` goes on with it", set.id);
    match outcome {
        Ok(0) => {
            if !args.quiet {
                tell(format_args!("set {} ({}) is done: sps report --set {}", set.id, set.name, set.id));
            }
            Ok(Exit::Done)
        }
        Ok(failed) => Err(Error::failed(format!("{failed} of {} runs of set {} failed", runs.len(), set.id))
            .hint(format!("why is in the set's report; {again}"))),
        Err(error) => Err(match &error.hint {
            Some(hint) => {
                let hint = format!("{hint}; {again}");
                error.hint(hint)
            }
            None => error.hint(again),
        }),
    }
}

/// A line for each run that ends.
struct Lines {
    quiet: bool,
    of: usize,
    done: usize,
}

impl Tell for Lines {
    fn ends(&mut self, planned: &Planned, workload: &Workload, result: &RunResult) {
        self.done += 1;
        let (done, of, what) = (self.done, self.of, announce::run(planned, workload));
        let error = result.error.as_deref();
        match (result.per_second, result.unit) {
            (Some(rate), Some(unit)) if !self.quiet => {
                tell(format_args!("{done}/{of}  {what}: {} {}/s", report::count(rate), unit.name()));
            }
            (Some(_), Some(_)) => {}
            _ => tell(format_args!("{done}/{of}  {what}: {}", error.unwrap_or(result.status.name()))),
        }
    }
}
