//! `pipeline`: the prepared select with 16 in flight, as libpq's pipeline mode sends it with a `PQsendPipelineSync` after
//! each select: Bind, Describe, Execute, Sync, and the answers in the order of the questions.
//!
//! Each Sync ends a transaction, so a select still has one of its own; what 16 of them share are wake-ups and system
//! calls. As many selects are sent in one write as answers were taken from one read.

use bytes::BytesMut;

use super::prepared::{Prepared, bind_and_execute};
use super::{Text, WireArm};
use crate::error::Result;

/// Enough to keep the backend busy while the client works; their answers fit the client's buffer many times over.
const IN_FLIGHT: usize = 16;

pub struct Pipeline;

impl WireArm for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn about(&self) -> &'static str {
        "prepared selects, 16 in flight, a Sync after each"
    }

    fn statement(&self) -> Option<&'static str> {
        Prepared.statement()
    }

    fn in_flight(&self) -> usize {
        IN_FLIGHT
    }

    fn setup(&self, text: &Text, out: &mut BytesMut) -> Result<()> {
        Prepared.setup(text, out)
    }

    fn request(&self, _: &Text, key: i64, out: &mut BytesMut) -> Result<()> {
        bind_and_execute(super::prepared::STATEMENT, &[key], out)
    }
}
