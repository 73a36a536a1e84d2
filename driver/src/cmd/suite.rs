//! `sps suite`: scales × clients × workloads × repeats from a definition, into the results database; resumable.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Exit, Result, tell};
use crate::interrupt;
use crate::record::ServerInfo;
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
    let runs: Vec<Planned> = match &resumed {
        None => all.clone(),
        Some((_, _, pending)) => all.iter().filter(|run| pending.contains(&run.position)).copied().collect(),
    };
    if let (Some((store, set, _)), true, false) = (&resumed, runs.is_empty(), args.dry_run) {
        store.resume_set(&Which::Id(set.id))?;
        return finish(&args, store, set, 0, Ok(0));
    }
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
    if let Some((store, set, _)) = &resumed {
        same_server(store, set, &target.info)?;
    }
    let ground = Ground::new(&target, &definition, leave)?;
    if args.dry_run {
        return Ok(Exit::Done);
    }
    let (store, set, runs) = match resumed {
        Some((store, set, _)) => {
            let set = store.resume_set(&Which::Id(set.id))?;
            // another sps may have gone on with it since
            let pending = pending(&store, set.id)?;
            let runs = runs.into_iter().filter(|run| pending.contains(&run.position)).collect();
            (store, set, runs)
        }
        None => {
            let (store, set) = begin(&args, &definition, &all)?;
            (store, set, all)
        }
    };
    execute(&args, &definition, &store, &set, ground, &runs)
}

/// The definition of a set that is to be gone on with, and which of its runs are left.
type Resumed = (Store, SetInfo, BTreeSet<i32>);

fn resumed(args: &Args) -> Result<(Definition, Option<Resumed>)> {
    let which: Which = args.resume.as_deref().unwrap_or("latest").parse().unwrap_or(Which::Latest);
    let store = args.results.read()?;
    let set = store.set(&which)?;
    let pending = pending(&store, set.id)?;
    let name = format!("the definition of set {}", set.id);
    let definition = Definition::parse(&set.definition, &name, Path::new(""))?;
    Ok((definition, Some((store, set, pending))))
}

fn pending(store: &Store, set: i32) -> Result<BTreeSet<i32>> {
    Ok(store.pending(set)?.iter().map(|key| key.position).collect())
}

/// # Errors
/// The set was begun on a server of another major version, or sps's own and a named one are mixed: its runs could not be
/// averaged.
fn same_server(store: &Store, set: &SetInfo, info: &ServerInfo) -> Result<()> {
    let Some(before) = store.server_of(set.id)? else { return Ok(()) };
    let described = |info: &ServerInfo| {
        let whose = if info.private { "a private server" } else { "a named server" };
        format!("{whose} of version {}", info.version_num / 10_000)
    };
    let (before, now) = (described(&before), described(info));
    if before == now {
        return Ok(());
    }
    Err(Error::usage(format!("set {} was begun on {before}, and this is {now}", set.id)).hint(
        "name the same server again (PG_CONFIG chooses a private one), or begin a new set with the definition's file",
    ))
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
    finish(args, store, set, runs.len(), outcome)
}

/// Ends the set of which `of` runs were to be done.
fn finish(args: &Args, store: &Store, set: &SetInfo, of: usize, outcome: Result<usize>) -> Result<Exit> {
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
                show(store, set)?;
                tell(format_args!("set {} ({}) is done: sps report --set {} shows it again", set.id, set.name, set.id));
            }
            Ok(Exit::Done)
        }
        Ok(failed) => Err(Error::failed(format!("{failed} of {of} runs of set {} failed", set.id))
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

/// Prints what `sps report --set` would.
fn show(store: &Store, set: &SetInfo) -> Result<()> {
    // as it is now that it has ended
    let set = store.set(&Which::Id(set.id))?;
    let (planned, runs) = (store.planned(set.id)?, store.runs(set.id)?);
    let report = report::set::gather(set, &planned, runs);
    match report::set::format("table") {
        Some(format) => report::print_by(|out| format.write(&[report], out)),
        None => Ok(()),
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
