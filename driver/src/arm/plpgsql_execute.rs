//! `plpgsql_execute` where the extension is absent: `EXECUTE … USING` in the loop, parsed and planned each time.

use super::Loop;

pub const PLPGSQL_EXECUTE: Loop =
    Loop { name: "plpgsql_execute", lookup: include_str!("../../../sql/loop_execute.sql"), commits: false };
