//! Where reports go: standard output, or a file that is known to be writable before the measuring starts.

use std::fs::OpenOptions;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use super::terminal::Look;
use super::{Format, Report};
use crate::error::{Error, Result};

/// Prints `reports` to standard output. A reader that has closed it (`| head`) has seen enough: no error.
pub fn print(format: &dyn Format, reports: &[Report]) -> Result<()> {
    if format.for_people() {
        let mut text = Vec::new();
        written(format.write(reports, &mut text))?;
        return print_text(&Look::of_stdout().apply(&String::from_utf8_lossy(&text)));
    }
    print_by(|out| format.write(reports, out))
}

/// Prints what `write` writes; the same of a reader that has closed standard output.
pub fn print_by(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    written(write(&mut out).and_then(|()| out.flush()))
}

/// Prints what is no report; the same of a reader that has closed standard output.
pub fn print_text(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn written(outcome: std::io::Result<()>) -> Result<()> {
    match outcome {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::failed(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// A file for a report.
#[derive(Debug)]
pub struct File {
    file: std::fs::File,
    name: String,
}

impl File {
    /// Opens or creates `path`; what it holds stays until [`File::write`].
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        match file {
            Ok(file) => Ok(Self { file, name }),
            Err(error) => Err(Error::failed(format!("cannot write \"{name}\": {error}"))),
        }
    }

    /// Replaces what the file holds.
    pub fn write(self, format: &dyn Format, reports: &[Report]) -> Result<()> {
        self.write_by(|out| format.write(reports, out))
    }

    /// Replaces what the file holds by what is no report.
    pub fn write_text(self, text: &str) -> Result<()> {
        self.write_by(|out| out.write_all(text.as_bytes()))
    }

    /// Replaces what the file holds by what `content` writes.
    pub fn write_by(self, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        let write = || -> std::io::Result<()> {
            if self.file.metadata()?.is_file() {
                self.file.set_len(0)?;
            }
            let mut out = BufWriter::new(&self.file);
            content(&mut out)?;
            out.flush()
        };
        write().map_err(|error| Error::failed(format!("cannot write \"{}\": {error}", self.name)))
    }
}
