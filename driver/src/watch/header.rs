//! The header of a record, from what a command knows before its first block.

use std::time::SystemTime;

use crate::error::Result;
use crate::measure::Measurement;
use crate::record::{Dataset, Expectation, Header, Host, SCHEMA_VERSION, Tool, mask, utc};
use crate::server::Target;

/// What a command compares, beside the arms that it measures.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Name of the arm that the others are compared with.
    pub reference: String,
    /// Extra pairs, (test, base).
    pub pairs: Vec<(String, String)>,
    pub expectations: Vec<Expectation>,
}

/// Gathers the header of a run of `command`; measures the socket round trips.
pub fn header(
    command: &str,
    target: &Target,
    dataset: &Dataset,
    measurement: &Measurement<'_>,
    compared: Compared,
    warnings: Vec<String>,
) -> Result<Header> {
    Ok(Header {
        schema_version: SCHEMA_VERSION,
        command: command.into(),
        command_line: std::env::args_os().map(|arg| mask(&arg.to_string_lossy())).collect(),
        started: utc(SystemTime::now()),
        tool: Tool::this(),
        host: Host::this(),
        server: target.info.clone(),
        dataset: dataset.clone(),
        plan: measurement.plan().clone(),
        arms: measurement.arms(),
        reference: compared.reference,
        pairs: compared.pairs,
        expectations: compared.expectations,
        warnings,
        round_trip_us: measurement.round_trip_us()?,
    })
}
