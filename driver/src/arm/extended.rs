//! `extended`: Parse, Bind, Describe, Execute, Sync in one flush (`pgbench -S -M extended`; libpq's `PQsendQueryParams`).

use bytes::BytesMut;
use postgres_protocol::message::frontend;

use super::prepared::bind_and_execute;
use super::{Text, WireArm};
use crate::error::Result;

pub struct Extended;

impl WireArm for Extended {
    fn name(&self) -> &'static str {
        "extended"
    }

    fn about(&self) -> &'static str {
        "each select parsed, bound and executed by the extended protocol, unnamed statement"
    }

    fn request(&self, text: &Text, key: i64, out: &mut BytesMut) -> Result<()> {
        frontend::parse("", &text.parameterized, [], out)?;
        bind_and_execute("", &[key], out)
    }
}
