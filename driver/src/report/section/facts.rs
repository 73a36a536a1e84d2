//! How, where and on what it was measured; of several records side by side, so that what differs is seen.

use super::{Part, Records, version};
use crate::record::Side;
use crate::report::document::Sheet;
use crate::report::number::{bytes, count};
use crate::report::{Report, percent, table};

const METHOD: &str = "Rounds hold one block of every arm in a seeded random order, so that no arm always follows the same one; each epoch has \
                      fresh connections. Ratios are Hodges and Lehmann's estimate over rounds; an interval is the wider of Wilcoxon's over rounds and \
                      Student's t over epochs and batches of them. Outliers are counted and kept. METHODOLOGY.md says the rest.";

type Fact = (String, String);

/// What `one` says of each record, a column a record.
fn side_by_side(records: &Records<'_>, one: impl Fn(&Report) -> Vec<Fact>) -> Sheet {
    let facts: Vec<Vec<Fact>> = records.iter().map(|(_, report)| one(report)).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in facts.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut columns = vec!["what"];
    columns.extend(records.iter().map(|(letter, _)| if records.several() { letter } else { "value" }));
    let mut sheet = Sheet::new(&columns);
    for name in names {
        let value = |facts: &Vec<Fact>| facts.iter().find(|(found, _)| found == name).map(|(_, value)| value.clone());
        let values = facts.iter().map(|facts| value(facts).unwrap_or_default());
        sheet.row(std::iter::once(name.to_owned()).chain(values));
    }
    sheet
}

pub fn measuring(records: &Records<'_>) -> Vec<Part> {
    let facts = side_by_side(records, |report| {
        let (summary, plan) = (&report.summary, &report.summary.plan);
        let skew = plan.skew.map(|skew| format!(" {skew}")).unwrap_or_default();
        let mut facts = vec![
            fact("clients", count(plan.clients as f64)),
            fact("threads", count(plan.threads as f64)),
            fact("keys", format!("{}{skew}", plan.distribution)),
            fact("seed", plan.seed),
            fact("blocks of", table::lengths(plan)),
            fact("selects a call", count(plan.selects_per_call as f64)),
            fact("rounds", count(summary.rounds as f64)),
            fact("epochs", count(summary.epochs as f64)),
        ];
        if let Some(rate) = plan.rate {
            facts.push(fact("rate", format!("{}/s", count(rate))));
        }
        if let Some(limit) = plan.latency_limit_ms {
            facts.push(fact("latency limit", format!("{limit} ms")));
        }
        if let Some(precision) = summary.precision {
            facts.push(fact("precision", format!("±{} (wanted ±{})", percent(precision), percent(plan.half_width))));
        }
        for (placement, us) in &summary.round_trip_us {
            facts.push(fact(&format!("socket round trip, {placement}"), format!("{us:.1} µs")));
        }
        for arm in summary.arms.iter().filter(|arm| arm.side == Side::Server) {
            if let Some(calls) = arm.calls_per_second {
                facts.push(fact(&format!("calls/s, {}", arm.name), format!("{calls:.1}")));
            }
        }
        facts
    });
    vec![Part::Text(METHOD.into()), Part::Facts(facts)]
}

pub fn server(records: &Records<'_>) -> Vec<Part> {
    let facts = side_by_side(records, |report| {
        let (server, data) = (&report.summary.server, &report.summary.dataset);
        let mut facts = vec![
            fact("server", version(report)),
            fact("version()", &server.version),
            fact("private", yes(server.private)),
            fact("on this machine", yes(server.local)),
            fact("transport", &server.transport),
            fact("extension", server.extension.as_deref().unwrap_or("none")),
            fact("in recovery", yes(server.in_recovery)),
            fact("assertions", yes(server.assertions)),
            fact("table", &data.relation),
            fact("scale", data.scale.map(|scale| scale.to_string()).unwrap_or_default()),
            fact("keys drawn from", count(data.rows as f64)),
            fact("table size", bytes(data.table_bytes)),
            fact("index", format!("{}, {}", data.index, bytes(data.index_bytes))),
        ];
        if let Some(build) = &server.build {
            facts.push(fact("configured with", &build.configure));
            facts.push(fact("compiled with", &build.cflags));
        }
        facts.extend(server.settings.iter().map(|(name, value)| fact(&format!("setting {name}"), value)));
        facts
    });
    vec![Part::Facts(facts)]
}

pub fn machine(records: &Records<'_>) -> Vec<Part> {
    let facts = side_by_side(records, |report| {
        let (host, tool) = (&report.host, &report.summary.tool);
        let known = |name: &str, value: Option<String>| Some(fact(name, value?));
        [
            Some(fact("host of the driver", &host.hostname)),
            known("CPU", host.cpu_model.clone()),
            Some(fact("CPUs", host.cpus)),
            known("memory", host.memory_bytes.map(|size| bytes(size as i64))),
            known("kernel", host.kernel.clone()),
            known("governor", host.governor.clone()),
            known("transparent huge pages", host.transparent_huge_pages.clone()),
            known("huge pages set aside", host.huge_pages.map(|pages| pages.to_string())),
            known("load before the run", host.load.map(|load| format!("{load:.2}"))),
            known("steal since start", host.steal.map(percent)),
            Some(fact("clock", &host.clock)),
            Some(fact("sps", &tool.version)),
            known("commit of sps", tool.git_commit.clone()),
        ]
        .into_iter()
        .flatten()
        .collect()
    });
    vec![Part::Facts(facts)]
}

pub fn command(records: &Records<'_>) -> Vec<Part> {
    records.iter().map(|(_, report)| Part::Command(crate::report::command_line(&report.summary.command_line))).collect()
}

fn fact(name: &str, value: impl ToString) -> Fact {
    (name.to_owned(), value.to_string())
}

fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}
