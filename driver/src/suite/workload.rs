//! What a run does: an arm, or a script that the real pgbench runs.

use crate::arm::ArmSpec;

/// One workload of a suite.
#[derive(Clone, Debug)]
pub struct Workload {
    /// As results call it.
    pub name: String,
    pub kind: Kind,
    /// Where it stands in the definition: `bench.toml:12:1`.
    pub at: String,
    /// Does it change tables? Then the private server keeps its promises on disk, and tables are tidied after it.
    pub writes: bool,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Arm(ArmSpec),
    Script(Script),
}

/// A script for pgbench.
#[derive(Clone, Debug)]
pub struct Script {
    pub source: Source,
    /// pgbench's -M.
    pub protocol: String,
    /// pgbench's -D.
    pub variables: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// One that pgbench has in itself.
    Builtin(String),
    Text(String),
}

/// pgbench's own scripts, and whether each writes.
pub const BUILTIN: [(&str, bool); 3] = [("tpcb-like", true), ("simple-update", true), ("select-only", false)];

/// A script that comes with sps.
#[derive(Debug)]
pub struct Shipped {
    pub name: &'static str,
    pub text: &'static str,
    pub writes: bool,
    /// Its variables, with the value of each where the definition gives none.
    pub variables: &'static [(&'static str, &'static str)],
}

/// Under sql/workload/, one line each.
pub const SHIPPED: &[Shipped] = &[
    shipped("select", include_str!("../../../sql/workload/select.sql"), false, &[]),
    shipped("select-pages", include_str!("../../../sql/workload/select-pages.sql"), false, &[("pages", "10")]),
    shipped("update", include_str!("../../../sql/workload/update.sql"), true, &[]),
    shipped("insert", include_str!("../../../sql/workload/insert.sql"), true, &[]),
    shipped("insert-size", include_str!("../../../sql/workload/insert-size.sql"), true, &[("rows", "100")]),
    shipped("nobranch", include_str!("../../../sql/workload/nobranch.sql"), true, &[]),
    shipped("tpc-b", include_str!("../../../sql/workload/tpc-b.sql"), true, &[]),
];

const fn shipped(
    name: &'static str,
    text: &'static str,
    writes: bool,
    variables: &'static [(&'static str, &'static str)],
) -> Shipped {
    Shipped { name, text, writes, variables }
}

pub const PROTOCOLS: [&str; 3] = ["simple", "extended", "prepared"];
