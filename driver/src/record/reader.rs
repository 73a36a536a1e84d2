//! Reads a record, whole or cut off. What cannot be told for certain is refused, not guessed.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::{Block, Header, Line, Lost, SCHEMA_VERSION, Summary};
use crate::error::{Error, Result};

/// A record as read.
#[derive(Clone, Debug)]
pub struct Record {
    pub header: Header,
    pub blocks: Vec<Block>,
    pub lost: Vec<Lost>,
    /// None where the run was killed.
    pub summary: Option<Summary>,
    /// The last line was torn and has been dropped.
    pub torn: bool,
}

/// Reads the record in file `path`.
///
/// # Errors
/// The file cannot be read, is not a record, is of another version, or a line before its last is damaged.
pub fn read(path: &Path) -> Result<Record> {
    let failed = |error: std::io::Error| Error::failed(format!("cannot read \"{}\": {error}", path.display()));
    read_from(File::open(path).map_err(failed)?).map_err(|error| error.context(path.display()))
}

fn read_from(input: impl Read) -> Result<Record> {
    let mut input = BufReader::new(input);
    let mut text = Vec::new();
    next_line(&mut input, &mut text)?;
    let header = header(&text)?;
    let mut record = Record { header, blocks: Vec::new(), lost: Vec::new(), summary: None, torn: false };
    for number in 2_usize.. {
        if !next_line(&mut input, &mut text)? {
            break;
        }
        match serde_json::from_slice(&text) {
            Ok(line) => record.take(line, number)?,
            Err(_) if text.last() != Some(&b'\n') => record.torn = true,
            Err(error) => return Err(Error::failed(format!("line {number} of the record is damaged: {error}"))),
        }
    }
    Ok(record)
}

impl Record {
    fn take(&mut self, line: Line, number: usize) -> Result<()> {
        match line {
            _ if self.summary.is_some() => {
                Err(Error::failed(format!("line {number} of the record follows its summary"))
                    .hint("a record holds one run: do not join records into one file"))
            }
            Line::Header(_) => Err(Error::failed(format!("line {number} of the record is a second header"))
                .hint("a record holds one run: do not join records into one file")),
            Line::Count(_) => Err(Error::failed(format!("line {number} of the record is a count"))
                .hint("a record holds one run: do not join records into one file")),
            Line::Block(block) => {
                self.blocks.push(*block);
                Ok(())
            }
            Line::Lost(lost) => {
                self.lost.push(*lost);
                Ok(())
            }
            Line::Summary(summary) => {
                self.summary = Some(*summary);
                Ok(())
            }
        }
    }
}

/// The next line with its line end, if it has one; false at the end of the file.
fn next_line(input: &mut impl BufRead, text: &mut Vec<u8>) -> Result<bool> {
    text.clear();
    Ok(input.read_until(b'\n', text)? > 0)
}

/// The version comes before the rest: another version's header need not have our fields.
fn header(text: &[u8]) -> Result<Header> {
    let not_a_record =
        || Error::failed("not a record of sps").hint("sps compare, ladder and run write records, in results/");
    if text.is_empty() {
        return Err(Error::failed("the record is empty").hint("the run ended before it could write its header"));
    }
    if text.last() != Some(&b'\n') && text.starts_with(b"{\"type\":\"header\"") {
        let whole = serde_json::from_slice::<serde_json::Value>(text).is_ok();
        if !whole {
            return Err(Error::failed("the record ends within its header: it holds no block"));
        }
    }
    let value: serde_json::Value = serde_json::from_slice(text).map_err(|_| not_a_record())?;
    if value.get("type").and_then(|found| found.as_str()) != Some("header") {
        return Err(not_a_record());
    }
    match value.get("schema_version").and_then(serde_json::Value::as_u64) {
        Some(version) if (1..=u64::from(SCHEMA_VERSION)).contains(&version) => {}
        Some(version) => {
            return Err(Error::failed(format!(
                "the record has schema version {version}, this sps reads versions up to {SCHEMA_VERSION}"
            ))
            .hint("read it with the version of sps that wrote it"));
        }
        None => return Err(not_a_record()),
    }
    match serde_json::from_value(value) {
        Ok(Line::Header(header)) => Ok(*header),
        Ok(_) => Err(not_a_record()),
        Err(error) => Err(Error::failed(format!("the record's header is damaged: {error}"))),
    }
}
