//! `sync`: a Sync alone, answered by ReadyForQuery: socket and wake-ups, no query (libpq's `PQpipelineSync`).

use bytes::BytesMut;
use postgres_protocol::message::frontend;

use super::{Text, WireArm};
use crate::error::Result;

pub struct Sync;

impl WireArm for Sync {
    fn name(&self) -> &'static str {
        "sync"
    }

    fn about(&self) -> &'static str {
        "control: a Sync alone"
    }

    fn control(&self) -> bool {
        true
    }

    fn request(&self, _: &Text, _key: i64, out: &mut BytesMut) -> Result<()> {
        frontend::sync(out);
        Ok(())
    }
}
