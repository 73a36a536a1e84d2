//! What is wrong with a definition, and where: `bench.toml:3:8: …`, with what is allowed as the hint.

use std::ops::Range;

use crate::error::Error;

/// A definition's text and the name it goes by, to place errors in.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

impl Source<'_> {
    /// A usage error at `span` of the text.
    pub fn mistake(&self, span: &Range<usize>, message: impl AsRef<str>, hint: impl Into<String>) -> Error {
        Error::usage(format!("{}: {}", self.place(span), message.as_ref())).hint(hint)
    }

    /// `bench.toml:3:8`.
    pub fn place(&self, span: &Range<usize>) -> String {
        let (line, column) = self.position(span.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// The parser's own error: TOML that is none, a key that is unknown or missing, a value of the wrong type.
    pub fn refused(&self, error: &toml::de::Error) -> Error {
        let span = error.span().unwrap_or(0..0);
        // serde's words for an unknown key: unknown field `x`, expected one of `a`, `b`
        let names: Vec<&str> = error.message().split('`').skip(1).step_by(2).collect();
        match names.split_first() {
            Some((unknown, allowed)) if error.message().starts_with("unknown field") => {
                self.mistake(&span, format!("unknown key \"{unknown}\""), one_of("allowed here", unknown, allowed))
            }
            Some((missing, _)) if error.message().starts_with("missing field") => self.mistake(
                &span,
                format!("key \"{missing}\" is missing"),
                "a suite needs name, scales, clients and a [[workload]]; examples/quick.toml is a short one",
            ),
            _ => self.mistake(&span, error.message().lines().next().unwrap_or("this is not TOML"), SYNTAX),
        }
    }

    /// Line and column from 1, in characters.
    fn position(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

const SYNTAX: &str = "lists are written [1, 2], text \"in quotes\"; METHODOLOGY.md has every key with its type";

/// `did you mean …? allowed here are a, b`.
pub fn one_of(what: &str, given: &str, allowed: &[&str]) -> String {
    let nearest = allowed
        .iter()
        .map(|name| (strsim::jaro_winkler(given, name), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let guess = nearest.map(|(_, name)| format!("did you mean {name}? ")).unwrap_or_default();
    format!("{guess}{what}: {}", allowed.join(", "))
}
