//! `plpgsql` where the extension is absent: static SQL in the loop, as the 2012 patch has it.

use super::Loop;

pub const PLPGSQL: Loop =
    Loop { name: "plpgsql", lookup: include_str!("../../../sql/loop_static.sql"), commits: false };
