//! A block that a lost connection hit.

use serde::{Deserialize, Serialize};

/// Nothing of it was kept; that there was one is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    pub epoch: u64,
    pub round: u64,
    pub position: u32,
    pub arm: String,
    /// How the connection was lost.
    pub error: String,
}
