//! Synthetic runs: what an engine would have handed over, without one.

use std::collections::BTreeMap;

use sps::arm::Placement;
use sps::record::{ArmInfo, Block, Dataset, Header, Host, Plan, SCHEMA_VERSION, ServerInfo, Side, Summary, Tool};
use sps::report::{self, Report};

/// An arm by its name; layers and wire arms are told apart by the placement in it.
pub fn arm(name: &str) -> ArmInfo {
    let plain = name.split(['@', '#']).next().unwrap();
    let placement = match name {
        _ if name.contains("@split") => Placement::Split,
        _ if name.contains("@free") => Placement::Free,
        _ => Placement::Same,
    };
    let side = match plain {
        name if name.starts_with("pgbench") => Side::Pgbench,
        _ if name.contains('@') => Side::Wire,
        _ => Side::Server,
    };
    ArmInfo {
        name: name.into(),
        arm: plain.into(),
        placement,
        side,
        control: ["keys", "empty", "sync"].contains(&plain),
    }
}

pub fn header(arms: &[&str]) -> Header {
    Header {
        schema_version: SCHEMA_VERSION,
        command: "compare".into(),
        command_line: vec!["sps".into(), "compare".into()],
        started: "2026-11-30T12:15:00Z".into(),
        tool: Tool::this(),
        host: Host::this(),
        server: ServerInfo {
            version_num: 150_018,
            version: "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, 64-bit".into(),
            transport: "unix".into(),
            tls: None,
            private: true,
            local: true,
            extension: Some("0.1.0".into()),
            database: "postgres".into(),
            user: "postgres".into(),
            settings: BTreeMap::from([("jit".into(), "off".into())]),
            in_recovery: false,
            assertions: false,
            build: None,
        },
        dataset: Dataset {
            relation: "public.pgbench_accounts".into(),
            scale: Some(10),
            rows: 1_000_000,
            min: 1,
            key: "aid".into(),
            value: "abalance".into(),
            index: "pgbench_accounts_pkey".into(),
            table_bytes: 134_000_000,
            index_bytes: 22_000_000,
        },
        plan: Plan {
            seed: 42,
            clients: 1,
            threads: 1,
            selects_per_call: 10_000,
            block_ms: 250,
            lead_in_ms: 0,
            rounds_per_epoch: 5,
            min_epochs: 6,
            max_rounds: None,
            time_limit_s: 60.0,
            half_width: 0.01,
            distribution: "uniform".into(),
            skew: None,
            per_client: None,
            rate: None,
            latency_limit_ms: None,
        },
        arms: arms.iter().map(|name| arm(name)).collect(),
        reference: arms[0].into(),
        pairs: Vec::new(),
        expectations: Vec::new(),
        warnings: Vec::new(),
        round_trip_us: BTreeMap::from([("same".into(), 3.4), ("split".into(), 58.0)]),
    }
}

/// A block of a quarter of a second at `sps`.
pub fn block(info: &ArmInfo, round: u64, position: u32, sps: f64) -> Block {
    // layers finish whole calls
    let step = if info.side == Side::Server { 10_000 } else { 1 };
    let selects = ((sps / 4.0).round() as i64 / step).max(1) * step;
    let elapsed_ns = (selects as f64 / sps * 1e9) as i64;
    Block {
        epoch: round / 5,
        round,
        position,
        arm: info.name.clone(),
        placement: info.placement,
        block_ms: Some(250),
        selects,
        found: Some(selects),
        checksum: Some(selects * 50_000),
        calls: (info.side == Side::Server).then_some(selects / 10_000),
        elapsed_ns,
        driver_ns: elapsed_ns + 40_000,
        client_cpu_ns: Some(90_000_000),
        backend_cpu_ns: Some(elapsed_ns - 90_000_000),
        involuntary_switches: Some(2),
        steal_ns: Some(0),
        latency: None,
        client_cpus: None,
        backend_cpus: None,
        connect_ns: None,
        gates: None,
        notes: Vec::new(),
    }
}

/// Noise of one percent at most that depends on the round and the arm.
pub fn wobble(round: u64, arm: usize) -> f64 {
    let phase = select_loop_keys::mix(1, 0, round, arm as u64, 0) as u64 as f64 / u64::MAX as f64;
    1.0 + (phase - 0.5) * 0.02
}

/// Blocks of `rounds` rounds, each arm at its rate with the wobble.
pub fn blocks(header: &Header, rates: &[f64], rounds: u64) -> Vec<Block> {
    let mut out = Vec::new();
    for round in 0..rounds {
        for (at, info) in header.arms.iter().enumerate() {
            out.push(block(info, round, at as u32, rates[at] * wobble(round, at)));
        }
    }
    out
}

/// What `format` prints of `summaries`, whose blocks it is not shown.
pub fn printed(format: &str, summaries: &[Summary]) -> String {
    let header = header(&["prepared@same"]);
    let reports: Vec<Report> = summaries.iter().map(|summary| Report::new(&header, &[], summary.clone())).collect();
    let mut out = Vec::new();
    report::format(format).unwrap().write(&reports, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}
