//! `prepared`: Bind, Describe, Execute, Sync of a statement parsed beforehand (`pgbench -S -M prepared`; libpq's
//! `PQsendQueryPrepared`).

use bytes::{BufMut, BytesMut};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend::{self, BindError};

use super::decimal::Decimal;
use super::{Text, WireArm};
use crate::error::{Error, Result};

/// pgbench's name for the first statement that it prepares.
pub(super) const STATEMENT: &str = "P_0";

pub struct Prepared;

impl WireArm for Prepared {
    fn name(&self) -> &'static str {
        "prepared"
    }

    fn about(&self) -> &'static str {
        "each select bound to a statement prepared once"
    }

    fn statement(&self) -> Option<&'static str> {
        Some(STATEMENT)
    }

    fn setup(&self, text: &Text, out: &mut BytesMut) -> Result<()> {
        frontend::parse(STATEMENT, &text.parameterized, [], out)?;
        frontend::sync(out);
        Ok(())
    }

    fn request(&self, _: &Text, key: i64, out: &mut BytesMut) -> Result<()> {
        bind_and_execute(STATEMENT, &[key], out)
    }
}

/// What libpq's `PQsendQueryGuts` sends after Parse: no parameter formats, text parameters, one result format (text).
#[inline]
pub(super) fn bind_and_execute(statement: &str, keys: &[i64], out: &mut BytesMut) -> Result<()> {
    let text = |key: &i64, out: &mut BytesMut| {
        out.put_slice(Decimal::new(*key).bytes());
        Ok(IsNull::No)
    };
    frontend::bind("", statement, [], keys, text, [0], out).map_err(|error| match error {
        BindError::Conversion(error) => Error::failed(error.to_string()),
        BindError::Serialization(error) => error.into(),
    })?;
    frontend::describe(b'P', "", out)?;
    frontend::execute("", 0, out)?;
    frontend::sync(out);
    Ok(())
}
