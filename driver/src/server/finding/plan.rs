//! The lookup itself: its plan, just-in-time compilation, and its keys.

use super::Finding;
use crate::arm::Lookup;
use crate::error::Result;
use crate::record::Dataset;
use crate::server::{Session, dataset};

pub fn inspect(session: &Session, dataset: &Dataset, lookup: &Lookup) -> Result<Vec<Finding>> {
    let rows = session.query(&format!("explain {}", lookup.select(&lookup.min.to_string())), &[])?;
    let lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let first = lines.first().cloned().unwrap_or_default();
    let node = first.split("  (cost=").next().unwrap_or_default().to_owned();
    let index = dataset.index.rsplit('.').next().unwrap_or_default();
    let by_key = lines.iter().any(|line| line.trim().starts_with(&format!("Index Cond: ({} = ", lookup.key)));
    let partitioned = by_key && node.starts_with("Index Scan");
    let mut findings = vec![Finding::new(
        "plan",
        node.clone(),
        partitioned || (node.starts_with(&format!("Index Scan using {index} on ")) && by_key),
        "a lookup is not an index scan on the key: ANALYZE the table, and look at enable_indexscan and the index",
    )];
    findings.push(jit(session, &first)?);
    if let Some(warning) = dataset::disagreement(dataset) {
        findings.push(Finding::new(
            "rows",
            warning,
            false,
            "keys in gaps are looked up and not found: fill the tables again",
        ));
    }
    Ok(findings)
}

/// A lookup costs about 8; compiling it takes longer than thousands of them.
fn jit(session: &Session, plan: &str) -> Result<Finding> {
    let row = session.query_one(
        "select current_setting('jit')::bool, current_setting('jit_above_cost')::float8, pg_jit_available()",
        &[],
    )?;
    let (on, above, available): (bool, f64, bool) = (row.get(0), row.get(1), row.get(2));
    let cost = plan.split_once("..").and_then(|(_, rest)| rest.split(' ').next()?.parse::<f64>().ok()).unwrap_or(0.0);
    let value = match (on, available) {
        (false, _) => "off".to_owned(),
        (true, false) => "on, but not available".to_owned(),
        (true, true) => format!("on above cost {above}, a lookup costs {cost}"),
    };
    let compiles = on && available && 0.0 <= above && above < cost;
    Ok(Finding::new("jit", value, !compiles, "every lookup is compiled: SET jit = off"))
}
