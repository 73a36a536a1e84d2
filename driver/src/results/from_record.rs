//! A record of `sps compare`, `ladder` or `run` as a set: each of its arms is a run.

use super::{Kind, Run, RunKey, RunResult, SetInfo, Status, Store, Unit};
use crate::error::Result;
use crate::record::{ArmSummary, Record, Side};
use crate::report;

/// The set of `record`, whose file holds `text`. The same record gives the same uuid.
pub fn set(store: &Store, record: &Record, text: String) -> Result<(SetInfo, Vec<RunKey>, Vec<Run>)> {
    let header = &record.header;
    let summary = report::of_record(record, "").summary;
    let status = match summary.status {
        crate::record::Status::Done => Status::Done,
        crate::record::Status::Interrupted => Status::Interrupted,
        crate::record::Status::Failed => Status::Failed,
        crate::record::Status::Unfinished => Status::Killed,
    };
    let definition = header.command_line.join(" ");
    let identity = format!("{} {} {} {definition}", header.started, header.host.hostname, header.plan.seed);
    let set = SetInfo {
        id: 0,
        uuid: store.uuid_of(&identity)?,
        name: header.command.clone(),
        description: String::new(),
        status,
        started: header.started.clone(),
        ended: Some(header.started.clone()),
        definition,
        seed: header.plan.seed,
        tool: header.tool.clone(),
        host: header.host.clone(),
    };
    // all arms of the record are in its one file: the first has it
    let mut text = Some(text);
    let runs: Vec<Run> = summary
        .arms
        .iter()
        .enumerate()
        .map(|(at, arm)| Run {
            id: 0,
            key: key(record, arm, at as i32),
            started: header.started.clone(),
            ended: Some(header.started.clone()),
            transport: header.server.transport.clone(),
            server: header.server.clone(),
            result: result(record, arm, status, text.take()),
            changed: Vec::new(),
        })
        .collect();
    let planned = runs.iter().map(|run| run.key.clone()).collect();
    Ok((set, planned, runs))
}

fn key(record: &Record, arm: &ArmSummary, position: i32) -> RunKey {
    let plan = &record.header.plan;
    RunKey {
        position,
        workload: arm.name.clone(),
        kind: if arm.side == Side::Pgbench { Kind::Pgbench } else { Kind::Arm },
        arm: Some(arm.arm.clone()),
        protocol: None,
        placement: Some(arm.placement),
        scale: record.header.dataset.scale,
        clients: plan.clients as i32,
        threads: plan.threads as i32,
        rate: None,
        repeat: 1,
    }
}

fn result(record: &Record, arm: &ArmSummary, status: Status, text: Option<String>) -> RunResult {
    let blocks = record.blocks.iter().filter(|block| block.arm == arm.name);
    RunResult {
        unit: Some(Unit::Selects),
        count: Some(arm.selects),
        elapsed_ns: Some(blocks.map(|block| block.elapsed_ns).sum()),
        per_second: Some(arm.sps),
        low: arm.sps_low,
        high: arm.sps_high,
        found: arm.found,
        latency: arm.latency.clone(),
        settings: record.header.server.settings.clone(),
        record: text,
        ..RunResult::without_numbers(status, None)
    }
}
