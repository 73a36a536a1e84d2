//! What would distort a measurement: one finding a possible cause, whether it holds or not.
//!
//! `sps check` prints them all; a record keeps those that hold as warnings. Everything is asked by plain SQL, so it works
//! without the extension and without special privileges; what cannot be seen is said to be unknown.

mod machine;
mod plan;
mod setting;

use crate::arm::Lookup;
use crate::error::Result;
use crate::record::{Dataset, ServerInfo};
use crate::server::Session;

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub struct Finding {
    pub item: String,
    pub value: String,
    pub ok: bool,
    /// What to do about it; empty where all is well.
    pub hint: String,
}

impl Finding {
    fn new(item: &str, value: impl Into<String>, ok: bool, hint: &str) -> Self {
        let hint = if ok { String::new() } else { hint.to_owned() };
        Self { item: item.to_owned(), value: value.into(), ok, hint }
    }

    /// As a record's warning; None where all is well.
    pub fn warning(&self) -> Option<String> {
        (!self.ok).then(|| format!("{} is {}: {}", self.item, self.value, self.hint))
    }
}

/// Looks at everything: settings, activity, the machine (where it is the server's), and the lookup's plan and size where a
/// data set is given.
pub fn inspect(session: &Session, info: &ServerInfo, lookup: Option<(&Dataset, &Lookup)>) -> Result<Vec<Finding>> {
    let mut findings = setting::inspect(session, info, lookup.map(|(dataset, _)| dataset))?;
    if let Some((dataset, lookup)) = lookup {
        findings.extend(plan::inspect(session, dataset, lookup)?);
    }
    findings.extend(machine::inspect(session, info)?);
    Ok(findings)
}

/// The warnings of all findings that hold.
pub fn warnings(findings: &[Finding]) -> Vec<String> {
    findings.iter().filter_map(Finding::warning).collect()
}
