//! `select_one`: `SELECT 1`, prepared, by the messages of `prepared`: protocol, transaction, snapshot and an executor
//! with nothing to look up.

use bytes::BytesMut;
use postgres_protocol::message::frontend;

use super::prepared::{STATEMENT, bind_and_execute};
use super::{Text, WireArm};
use crate::error::Result;

pub struct SelectOne;

impl WireArm for SelectOne {
    fn name(&self) -> &'static str {
        "select_one"
    }

    fn about(&self) -> &'static str {
        "control: SELECT 1, prepared"
    }

    fn control(&self) -> bool {
        true
    }

    fn statement(&self) -> Option<&'static str> {
        Some(STATEMENT)
    }

    fn setup(&self, _: &Text, out: &mut BytesMut) -> Result<()> {
        frontend::parse(STATEMENT, "SELECT 1;", [], out)?;
        frontend::sync(out);
        Ok(())
    }

    fn request(&self, _: &Text, _key: i64, out: &mut BytesMut) -> Result<()> {
        bind_and_execute(STATEMENT, &[], out)
    }
}
