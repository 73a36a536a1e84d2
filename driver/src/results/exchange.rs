//! Sets and records as files: JSON Lines, out of one results database and into another.
//!
//! A set is a line of its own with its plan, then a line for each run. It keeps its uuid, so that what two machines measured
//! comes together in one database, and what is there already is not there twice.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Run, RunKey, SetInfo, Status, Store, Which, from_record};
use crate::error::{Error, Result};
use crate::record;

/// Version of a set's file.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Set(Box<Head>),
    Run(Box<Run>),
}

#[derive(Serialize, Deserialize)]
struct Head {
    set_version: u32,
    #[serde(flatten)]
    set: SetInfo,
    planned: Vec<RunKey>,
}

/// What an import came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The set's id here.
    pub set: i32,
    pub added: usize,
    /// Runs that were here already.
    pub known: usize,
}

/// Writes the set that `which` names.
///
/// # Errors
/// There is none, or `out` cannot be written.
pub fn export(store: &Store, which: &Which, out: &mut dyn Write) -> Result<()> {
    let set = store.set(which)?;
    let planned = store.planned(set.id)?;
    let runs = store.runs(set.id)?;
    let lines = std::iter::once(Line::Set(Box::new(Head { set_version: VERSION, set, planned })));
    for line in lines.chain(runs.into_iter().map(|run| Line::Run(Box::new(run)))) {
        let text = super::store::json(&line)?;
        writeln!(out, "{text}").map_err(|error| Error::failed(format!("cannot write the set: {error}")))?;
    }
    out.flush().map_err(|error| Error::failed(format!("cannot write the set: {error}")))
}

/// Reads a set's file, or a record of sps, into the store: all of it or nothing.
///
/// # Errors
/// It is neither, or damaged; or its runs contradict those that are here.
pub fn import(store: &Store, path: &Path) -> Result<Imported> {
    let context = |error: Error| error.context(path.display());
    let file = File::open(path).map_err(|error| context(error.into()))?;
    let mut lines = BufReader::new(file).split(b'\n');
    let mut first = Vec::new();
    if let Some(line) = lines.next() {
        first = line.map_err(|error| context(error.into()))?;
    }
    match serde_json::from_slice::<Line>(&first) {
        Ok(Line::Set(head)) => {
            let runs = lines.enumerate().map(|(at, line)| run(at + 2, &line?));
            store.transaction(|| of_set(store, *head, runs)).map_err(context)
        }
        _ => {
            let known = record::read(path).map_err(|error| {
                error.hint("sps results export writes sets, sps compare, ladder and run write records")
            })?;
            let mut text = String::new();
            File::open(path)
                .and_then(|mut file| file.read_to_string(&mut text))
                .map_err(|error| context(error.into()))?;
            let (set, planned, runs) = from_record::set(store, &known, text).map_err(context)?;
            let head = Head { set_version: VERSION, set, planned };
            store.transaction(|| of_set(store, head, runs.into_iter().map(Ok))).map_err(context)
        }
    }
}

fn run(number: usize, line: &[u8]) -> Result<Run> {
    match serde_json::from_slice(line) {
        Ok(Line::Run(run)) => Ok(*run),
        Ok(Line::Set(_)) => Err(Error::failed(format!("line {number} is a second set")).hint("a file holds one set")),
        Err(error) => Err(Error::failed(format!("line {number} of the set is damaged: {error}"))),
    }
}

fn of_set(store: &Store, head: Head, runs: impl Iterator<Item = Result<Run>>) -> Result<Imported> {
    if head.set_version != VERSION {
        return Err(Error::failed(format!("the set has file version {}, this sps reads {VERSION}", head.set_version))
            .hint("import it with the version of sps that wrote it"));
    }
    let set = store.adopt_set(&head.set)?;
    let mut imported = Imported { set, added: 0, known: 0 };
    store.adopt_plan(set, &head.planned)?;
    for run in runs {
        let mut run = run?;
        if run.result.status == Status::Running {
            run.result.status = Status::Killed;
            run.result.error = Some("it was still running when the set was exported".into());
        }
        match store.adopt_run(set, &run)? {
            true => imported.added += 1,
            false => imported.known += 1,
        }
    }
    Ok(imported)
}
