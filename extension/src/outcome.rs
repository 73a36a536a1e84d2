//! What a call of a layer found, and what it took.

use crate::pg::stopwatch::Reading;

/// `found` and `checksum` are None where the layer does not look or does not read.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub found: Option<i64>,
    pub checksum: Option<i64>,
    pub reading: Reading,
}
