//! `simple`: the lookup as text, one Query message (`pgbench -S -M simple`; libpq's `PQsendQuery`).

use bytes::{BufMut, BytesMut};

use super::decimal::Decimal;
use super::{Text, WireArm};
use crate::error::Result;

pub struct Simple;

impl WireArm for Simple {
    fn name(&self) -> &'static str {
        "simple"
    }

    fn about(&self) -> &'static str {
        "each select as text in one Query message, parsed and planned each time"
    }

    fn request(&self, text: &Text, key: i64, out: &mut BytesMut) -> Result<()> {
        // put together in place: no allocation a select
        let start = out.len();
        out.put_slice(b"Q\0\0\0\0");
        out.put_slice(text.before_key.as_bytes());
        out.put_slice(Decimal::new(key).bytes());
        out.put_slice(b";\0");
        // the length counts itself, not the tag
        let length = (out.len() - start - 1) as u32;
        out[start + 1..start + 5].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }
}
