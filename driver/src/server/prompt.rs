//! Asks for a password where the server wants one that nobody gave, as psql does: on a terminal, and only there.

use std::io::{ErrorKind, IsTerminal};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};

/// When to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// -w
    Never,
    /// The server wants one.
    Needed,
    /// -W: before connecting.
    First,
}

/// What was typed serves all connections of a run: it is asked for once.
#[derive(Clone)]
pub struct Prompt {
    when: When,
    user: String,
    answer: Arc<OnceLock<String>>,
}

impl Prompt {
    pub fn new(when: When, user: &str) -> Self {
        Self { when, user: user.to_owned(), answer: Arc::default() }
    }

    pub fn never() -> Self {
        Self::new(When::Never, "")
    }

    pub fn answer(&self) -> Option<&str> {
        self.answer.get().map(String::as_str)
    }

    /// Before the first connection: asks where that was wished.
    ///
    /// # Errors
    /// Where there is nobody to ask.
    pub fn before(&self) -> Result<()> {
        if self.when != When::First || self.answer.get().is_some() {
            return Ok(());
        }
        if !std::io::stdin().is_terminal() {
            return Err(Error::failed("-W asks for a password, but standard input is no terminal")
                .hint(format!("set PGPASSWORD or a line in ~/.pgpass for user \"{}\"", self.user)));
        }
        self.read()
    }

    /// The server wants a password: was one typed?
    pub fn ask(&self) -> Result<bool> {
        if self.when == When::Never || !std::io::stdin().is_terminal() {
            return Ok(false);
        }
        self.read().map(|()| true)
    }

    fn read(&self) -> Result<()> {
        let typed = rpassword::prompt_password(format!("Password for user {}: ", self.user));
        let typed = typed.map_err(|error| match error.kind() {
            // Ctrl-C, which is no signal there
            ErrorKind::Interrupted => Error::interrupted(),
            _ => Error::failed(format!("no password was typed: {error}")),
        })?;
        // somebody who was quicker typed the same
        let _ = self.answer.set(typed);
        Ok(())
    }
}
