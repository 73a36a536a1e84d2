//! Two records against each other: arms of the same name, by ratios of what was measured apart. What changed between the two
//! runs (machine, server, data, time of day) is in the ratio, too; the records' own comparisons are paired and say more.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use serde::Serialize;

use super::arm::amount;
use super::number::{count, range, ratio};
use super::table::{align, grid, line, lines};
use super::{Report, document, section};
use crate::record::{Block, Header, Record};
use crate::stats::{CONFIDENCE, mean, welch};

/// What `sps report --unpaired` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Unpaired {
    /// `unpaired`, always: for whoever reads the numbers without the report.
    pub pairing: &'static str,
    /// The records' names.
    pub base: String,
    pub test: String,
    pub arms: Vec<Contrast>,
    pub warnings: Vec<String>,
}

/// One arm in both records; rates are geometric means of the epochs'.
#[derive(Clone, Debug, Serialize)]
pub struct Contrast {
    pub arm: String,
    pub base_sps: f64,
    pub test_sps: f64,
    pub ratio: f64,
    /// Welch's 95 % interval over epochs; None where either record has one epoch of the arm.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub base_epochs: usize,
    pub test_epochs: usize,
}

/// A record and what it is called.
pub type Named<'a> = (&'a str, &'a Record);

/// `test` against `base`, arm by arm.
pub fn unpaired(base: Named<'_>, test: Named<'_>) -> Unpaired {
    let arms = test.1.header.arms.iter().filter_map(|info| contrast(&info.name, base.1, test.1)).collect();
    let warnings = warnings(base, test);
    Unpaired { pairing: "unpaired", base: base.0.into(), test: test.0.into(), arms, warnings }
}

fn contrast(arm: &str, base: &Record, test: &Record) -> Option<Contrast> {
    let (base, test) = (epochs(arm, &base.blocks), epochs(arm, &test.blocks));
    let found = welch::ratio(&test, &base, CONFIDENCE)?;
    let center = |rates: &[f64]| mean(&rates.iter().map(|rate| rate.ln()).collect::<Vec<_>>()).exp();
    Some(Contrast {
        arm: arm.into(),
        base_sps: center(&base),
        test_sps: center(&test),
        ratio: found.value,
        low: found.interval.map(|ends| ends.low),
        high: found.interval.map(|ends| ends.high),
        base_epochs: base.len(),
        test_epochs: test.len(),
    })
}

/// The geometric mean of the arm's rates in each epoch: epochs are what is independent. One that was cut short after less
/// than half its rounds is left out.
fn epochs(arm: &str, blocks: &[Block]) -> Vec<f64> {
    let mut logs: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for block in blocks.iter().filter(|block| block.arm == arm) {
        if let Some(amount) = amount(block) {
            logs.entry(block.epoch).or_default().push(amount.rate().ln());
        }
    }
    let longest = logs.values().map(Vec::len).max().unwrap_or(0);
    logs.values().filter(|logs| logs.len() * 2 >= longest).map(|logs| mean(logs).exp()).collect()
}

/// What is not alike in the two, beside what is meant to be compared.
fn warnings((base, one): Named<'_>, (test, other): Named<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let mut differs = |what: &str, part: &dyn Fn(&Header) -> String| {
        let (a, b) = (part(&one.header), part(&other.header));
        if a != b {
            out.push(format!("not the same {what}: {a} in {base}, {b} in {test}"));
        }
    };
    differs("command", &|header| header.command.clone());
    differs("host", &|header| header.host.hostname.clone());
    differs("CPU", &|header| header.host.cpu_model.clone().unwrap_or_else(|| "unknown".into()));
    differs("server version", &|header| header.server.version_num.to_string());
    differs("transport", &|header| header.server.transport.clone());
    differs("table", &|header| header.dataset.relation.clone());
    differs("number of keys", &|header| header.dataset.rows.to_string());
    differs("number of clients", &|header| header.plan.clients.to_string());
    differs("number of threads", &|header| header.plan.threads.to_string());
    differs("distribution", &|header| format!("{} {:?}", header.plan.distribution, header.plan.skew));
    differs("selects a call", &|header| header.plan.selects_per_call.to_string());
    differs("rate", &|header| format!("{:?}", header.plan.rate));
    let settings = |header: &Header| header.server.settings.clone();
    let (a, b) = (settings(&one.header), settings(&other.header));
    let changed: Vec<&str> =
        a.keys().chain(b.keys()).filter(|name| a.get(*name) != b.get(*name)).map(String::as_str).collect();
    let changed: std::collections::BTreeSet<&str> = changed.into_iter().collect();
    if !changed.is_empty() {
        out.push(format!("not the same settings: {}", changed.into_iter().collect::<Vec<_>>().join(", ")));
    }
    for (name, record) in [(base, one), (test, other)] {
        let missing = record.header.arms.iter().filter(|info| epochs(&info.name, &record.blocks).is_empty());
        let missing: Vec<&str> = missing.map(|info| info.name.as_str()).collect();
        if !missing.is_empty() {
            out.push(format!("{name} holds no block of {}", missing.join(", ")));
        }
    }
    out
}

/// Writes a comparison, and where the format has room for it the two records' own reports.
type Print = fn(&Unpaired, &[Report], &mut dyn Write) -> Result<()>;

/// The formats that have unpaired comparisons.
pub const FORMATS: [(&str, Print); 5] =
    [("table", table), ("markdown", markdown), ("html", html), ("json", json), ("csv", csv)];

fn markdown(found: &Unpaired, reports: &[Report], out: &mut dyn Write) -> Result<()> {
    out.write_all(document::markdown(&section::unpaired_document(found, reports)?).as_bytes())
}

fn html(found: &Unpaired, reports: &[Report], out: &mut dyn Write) -> Result<()> {
    out.write_all(document::page(&section::unpaired_document(found, reports)?)?.as_bytes())
}

fn json(found: &Unpaired, _: &[Report], out: &mut dyn Write) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, found)?;
    writeln!(out)
}

fn table(found: &Unpaired, _: &[Report], out: &mut dyn Write) -> Result<()> {
    line(out, "base", &found.base)?;
    line(out, "test", &found.test)?;
    line(out, "unpaired", "ratios of what was measured apart; what changed between the two runs is in them, too")?;
    let mut grid = grid(["arm", "base selects/s", "test selects/s", "unpaired ratio", "95 % interval", "epochs"]);
    for arm in &found.arms {
        grid.add_row([
            arm.arm.clone(),
            count(arm.base_sps),
            count(arm.test_sps),
            ratio(arm.ratio),
            range(arm.low, arm.high, ratio),
            format!("{}, {}", arm.base_epochs, arm.test_epochs),
        ]);
    }
    align(&mut grid, 1);
    writeln!(out, "\n{}\n", crate::error::printable(&lines(grid), &['\n']))?;
    found.warnings.iter().try_for_each(|warning| line(out, "warning", warning))
}

fn csv(found: &Unpaired, _: &[Report], out: &mut dyn Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    let float = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for arm in &found.arms {
        writer.write_record([
            found.pairing.to_owned(),
            found.base.clone(),
            found.test.clone(),
            arm.arm.clone(),
            arm.base_sps.to_string(),
            arm.test_sps.to_string(),
            arm.ratio.to_string(),
            float(arm.low),
            float(arm.high),
            arm.base_epochs.to_string(),
            arm.test_epochs.to_string(),
        ])?;
    }
    writer.flush()
}

const COLUMNS: [&str; 11] = [
    "pairing",
    "base",
    "test",
    "arm",
    "base_sps",
    "test_sps",
    "ratio",
    "ratio_low",
    "ratio_high",
    "base_epochs",
    "test_epochs",
];
