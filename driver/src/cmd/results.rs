//! `sps results`: what is in the results database; sets out of it and into it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use comfy_table::{CellAlignment, Table, presets};

use crate::error::{Error, Exit, Result, tell};
use crate::report::{plural, print_text};
use crate::results::{ResultsArgs, Store, Which, export, import};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    results: ResultsArgs,
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show the sets
    List,
    /// Write a set, JSON Lines: for another results database
    Export {
        /// latest, a number or a name
        set: Which,
        /// File to write, a new one [default: standard output]
        #[arg(long, short = 'o', value_name = "FILE")]
        output: Option<PathBuf>,
        /// Write its runs' records into this folder instead, a file each
        #[arg(long, value_name = "DIR", conflicts_with = "output")]
        records: Option<PathBuf>,
    },
    /// Add sets and records from files; what is there already stays
    Import {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Remove a set with its runs
    Delete {
        /// A number or a name
        set: Which,
    },
}

pub fn run(args: Args) -> Result<Exit> {
    match &args.what {
        What::List => list(&args.results.read()?)?,
        What::Export { set, output: None, records: None } => {
            let mut text = Vec::new();
            export(&args.results.read()?, set, &mut text)?;
            print_text(&String::from_utf8_lossy(&text))?;
        }
        What::Export { set, output: Some(path), .. } => {
            let store = args.results.read()?;
            store.set(set)?;
            export(&store, set, &mut std::io::BufWriter::new(create(path)?))?;
        }
        What::Export { set, records: Some(folder), .. } => records(&args.results.read()?, set, folder)?,
        What::Import { files } => {
            let store = args.results.open()?;
            for file in files {
                let found = import(&store, file)?;
                let known = if found.known > 0 { format!(", {} were there", found.known) } else { String::new() };
                tell(format_args!(
                    "{}: set {}, {} added{known}",
                    file.display(),
                    found.set,
                    plural(found.added, "run")
                ));
            }
        }
        What::Delete { set } => {
            let store = args.results.read()?;
            let set = store.set(set)?;
            store.delete_set(set.id)?;
            tell(format_args!("set {} (\"{}\") is removed", set.id, set.name));
        }
    }
    Ok(Exit::Done)
}

fn list(store: &Store) -> Result<()> {
    let tallies = store.tallies()?;
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["set", "name", "started", "status", "runs", "broken", "host"]);
    for set in store.sets()? {
        let Some(tally) = tallies.get(&set.id) else { continue };
        table.add_row([
            set.id.to_string(),
            crate::error::printable(&set.name, &[]),
            set.started.get(..19).unwrap_or(&set.started).replace('T', " "),
            set.status.name().into(),
            format!("{}/{}", tally.done, tally.planned),
            tally.broken.to_string(),
            crate::error::printable(&set.host.hostname, &[]),
        ]);
    }
    for column in [0, 4, 5] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    print_text(&format!("{}\n", table.trim_fmt()))
}

fn records(store: &Store, which: &Which, folder: &Path) -> Result<()> {
    let set = store.set(which)?;
    let mut written = 0;
    for run in store.runs(set.id)? {
        if let Some(record) = &run.result.record {
            let path = folder.join(format!("set{}-run{}.jsonl", set.id, run.id));
            create(&path)?.write_all(record.as_bytes())?;
            written += 1;
        }
    }
    match written {
        0 => Err(Error::failed(format!("no run of set {} has a record", set.id))
            .hint("runs of arms have one, runs of pgbench none")),
        _ => {
            tell(format_args!("{} in {}", plural(written, "record"), folder.display()));
            Ok(())
        }
    }
}

fn create(path: &Path) -> Result<std::fs::File> {
    OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
        Error::failed(format!("cannot create \"{}\": {error}", path.display()))
            .hint("name a new file in a folder that is there")
    })
}
