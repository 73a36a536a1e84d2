//! Writes a record line by line. Each line reaches the system before the next block starts, so a killed run loses at most
//! the block that it was in; files never share a name, so concurrent runs cannot mix.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nix::errno::Errno;

use super::{Line, utc};
use crate::error::{Error, Result};

/// Where records go unless the user says otherwise.
const FOLDER: &str = "results";

/// A record that is being written.
#[derive(Debug)]
pub struct Writer {
    file: File,
    path: PathBuf,
}

impl Writer {
    /// Refuses a `place` that [`Writer::create`] would refuse for what is there already, before anything is started for its
    /// sake.
    pub fn check(place: Option<&Path>) -> Result<()> {
        let taken = place.filter(|place| place.is_file());
        taken.map_or(Ok(()), |place| Err(cannot_create(place, &Errno::EEXIST.into())))
    }

    /// Creates the record of a run of `command`: the file `place`, or a new file in the folder `place`, else one in
    /// `results` of the current directory, which is made where it is missing.
    ///
    /// # Errors
    /// The file exists (it is never overwritten) or cannot be created.
    pub fn create(place: Option<&Path>, command: &str) -> Result<Self> {
        let path = match place {
            Some(place) if place.is_dir() => place.join(file_name(command)),
            Some(place) => place.to_owned(),
            None => {
                fs::create_dir_all(FOLDER).map_err(|error| cannot_create(Path::new(FOLDER), &error))?;
                Path::new(FOLDER).join(file_name(command))
            }
        };
        // a pipe or a device is there already and holds nothing that could be lost
        let device = fs::metadata(&path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        let file = OpenOptions::new().write(true).create_new(!device).open(&path);
        Ok(Self { file: file.map_err(|error| cannot_create(&path, &error))?, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one line.
    ///
    /// # Errors
    /// Disk full, pipe closed. The file then ends in a torn line, which readers drop.
    pub fn write(&mut self, line: &Line) -> Result<()> {
        let mut text =
            serde_json::to_vec(line).map_err(|error| Error::failed(format!("cannot write record: {error}")))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(|error| {
            let failed = Error::failed(format!("cannot write record \"{}\": {error}", self.path.display()));
            match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    failed.hint("free some space, or name another place with --record")
                }
                ErrorKind::BrokenPipe => failed.hint("what read the record has ended; name a file with --record"),
                _ => failed.hint("name another place with --record"),
            }
        })
    }
}

fn cannot_create(path: &Path, error: &std::io::Error) -> Error {
    let failed = Error::failed(format!("cannot create \"{}\": {error}", path.display()));
    match error.kind() {
        ErrorKind::AlreadyExists => failed.hint("records are never overwritten: name another file, or a folder"),
        _ => failed.hint("name a file or a folder that can be written with --record"),
    }
}

/// `20261130T121500Z-compare-1a2b3c4d.jsonl`: sorts by time.
fn file_name(command: &str) -> String {
    let time: String = utc(SystemTime::now()).chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{time}-{command}-{:08x}.jsonl", rand::random::<u32>())
}
