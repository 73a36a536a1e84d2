//! Names of arms on the command line and in records: `prepared`, `prepared@same`, `prepared@same#2`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::mask;

/// Where client and backend run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Placement {
    /// Client and backend on one core.
    Same,
    /// Client and backend on two cores.
    Split,
    /// Wherever the scheduler puts them.
    Free,
}

impl Placement {
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Split => "split",
            Self::Free => "free",
        }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An arm as asked for; `placement` None leaves it to `--pin`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArmSpec {
    pub arm: String,
    pub placement: Option<Placement>,
    /// Which side of an A/A comparison: 1 or 2.
    pub side: Option<u8>,
}

impl FromStr for ArmSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // a connection string in an arm's place may hold a password, which the error must not show
        if text.contains("://") || text.contains('=') {
            return Err(Error::usage(format!("\"{}\" is not the name of an arm", mask(text)))
                .hint("name a server with -d: -d postgresql://host/database"));
        }
        let (arm, placement) = match text.split_once('@') {
            None => (text, None),
            Some((arm, "same")) => (arm, Some(Placement::Same)),
            Some((arm, "split")) => (arm, Some(Placement::Split)),
            Some((arm, "free")) => (arm, Some(Placement::Free)),
            Some((_, other)) => {
                return Err(Error::usage(format!("unknown placement \"{other}\" in arm \"{text}\""))
                    .hint("an arm may end in @same, @split or @free"));
            }
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if arm.is_empty() || !arm.chars().all(plain) {
            return Err(Error::usage(format!("\"{text}\" is not the name of an arm"))
                .hint("an arm is named like prepared, plpgsql or prepared@same"));
        }
        Ok(Self { arm: arm.to_owned(), placement, side: None })
    }
}

impl fmt::Display for ArmSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.arm)?;
        if let Some(placement) = self.placement {
            write!(f, "@{placement}")?;
        }
        if let Some(side) = self.side {
            write!(f, "#{side}")?;
        }
        Ok(())
    }
}
