//! `prepared_transaction`: `prepared` inside one BEGIN … COMMIT a block: what is left without starting and committing a
//! transaction for each select. BEGIN and COMMIT are sent outside the timed stretch.

use bytes::BytesMut;

use super::prepared::Prepared;
use super::{Text, WireArm};
use crate::error::Result;

pub struct PreparedTransaction;

impl WireArm for PreparedTransaction {
    fn name(&self) -> &'static str {
        "prepared_transaction"
    }

    fn about(&self) -> &'static str {
        "prepared selects inside one transaction a block"
    }

    fn statement(&self) -> Option<&'static str> {
        Prepared.statement()
    }

    fn in_transaction(&self) -> bool {
        true
    }

    fn setup(&self, text: &Text, out: &mut BytesMut) -> Result<()> {
        Prepared.setup(text, out)
    }

    fn request(&self, text: &Text, key: i64, out: &mut BytesMut) -> Result<()> {
        Prepared.request(text, key, out)
    }
}
