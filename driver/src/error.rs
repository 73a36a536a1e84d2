//! One error type, with the exit code that it ends the program with.

use std::fmt;
use std::io::Write;

/// Exit codes; they are part of the command-line contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    Regression = 3,
    Inconclusive = 4,
    Interrupted = 130,
}

/// What went wrong in one line, and in `hint` what to do about it.
#[derive(Debug)]
pub struct Error {
    pub exit: Exit,
    pub message: String,
    pub hint: Option<String>,
    /// The server's code, where it is the server's error.
    pub sqlstate: Option<String>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into(), hint: None, sqlstate: None }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), hint: None, sqlstate: None }
    }

    /// A connection that was there is no more.
    pub fn lost(message: impl Into<String>) -> Self {
        Self::failed(message).sqlstate("08006")
    }

    /// Was a connection lost: broken, or ended by an administrator, a shutdown or a crash?
    pub fn is_lost(&self) -> bool {
        matches!(self.sqlstate.as_deref(), Some("08000" | "08003" | "08006" | "57P01" | "57P02"))
    }

    /// Is there no server at the moment: not reached, starting or stopping?
    pub fn is_away(&self) -> bool {
        matches!(self.sqlstate.as_deref(), Some("08001" | "57P03"))
    }

    pub fn interrupted() -> Self {
        Self { exit: Exit::Interrupted, message: "interrupted".into(), hint: None, sqlstate: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn sqlstate(mut self, code: impl Into<String>) -> Self {
        self.sqlstate = Some(code.into());
        self
    }

    /// Puts what was being done in front: `context: message`.
    #[must_use]
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{
            BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, TimedOut, UnexpectedEof,
        };
        match error.kind() {
            BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | TimedOut | UnexpectedEof => {
                Self::lost(format!("connection lost: {error}"))
            }
            _ => Self::failed(error.to_string()),
        }
    }
}

/// A line on standard error. One that is closed or full is no reason to fail.
pub fn tell(line: impl fmt::Display) {
    let _ = writeln!(std::io::stderr(), "{}", printable(&line.to_string(), &['\n', '\t']));
}

/// `text` for a terminal: control characters but those `kept` are spelled out, since names in a database, or in somebody's record,
/// may hold escape sequences.
pub fn printable(text: &str, kept: &[char]) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() && !kept.contains(&letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}
