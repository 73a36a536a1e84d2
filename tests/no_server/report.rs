//! Reports: from blocks to summary, and what the formats print.

use std::io::Write as _;

use sps::record::{Block, Header, Status, Summary};
use sps::report::{self, Outcome, build};
use sps::stats::steady::Class;

use crate::fixture::{self, blocks, header, printed};
use crate::schema::check_line;

const ARMS: [&str; 4] = ["simple@same", "prepared@same", "prepared@split", "plpgsql"];
const RATES: [f64; 4] = [50e3, 70e3, 11e3, 160e3];

fn outcome(status: Status) -> Outcome {
    Outcome { status, warnings: Vec::new(), lost: Vec::new(), record: Some("results/x.jsonl".into()) }
}

fn summary_of(header: &Header, blocks: &[Block]) -> Summary {
    let summary = build(header, blocks, &outcome(Status::Done));
    check_line(&serde_json::to_value(&summary).unwrap());
    summary
}

fn warned(summary: &Summary, text: &str) -> bool {
    summary.warnings.iter().any(|warning| warning.contains(text))
}

#[test]
fn every_arm_is_compared_with_the_reference_and_pairs_come_after() {
    let mut header = header(&ARMS);
    header.pairs = vec![("plpgsql".into(), "prepared@same".into())];
    let summary = summary_of(&header, &blocks(&header, &RATES, 30));
    let pairs: Vec<(&str, &str)> =
        summary.comparisons.iter().map(|found| (found.test.as_str(), found.base.as_str())).collect();
    assert_eq!(
        pairs,
        [
            ("prepared@same", "simple@same"),
            ("prepared@split", "simple@same"),
            ("plpgsql", "simple@same"),
            ("plpgsql", "prepared@same")
        ]
    );
    for (found, expected) in summary.comparisons.iter().zip([1.4, 0.22, 3.2, 160.0 / 70.0]) {
        assert!((found.ratio / expected - 1.0).abs() < 0.01, "{found:?}");
        assert!(found.low.unwrap() < found.ratio && found.ratio < found.high.unwrap());
        assert_eq!(found.rounds, 30);
    }
    assert_eq!((summary.rounds, summary.epochs), (30, 6));
}

#[test]
fn rates_and_times_are_each_others_inverse() {
    let header = header(&ARMS);
    for arm in summary_of(&header, &blocks(&header, &RATES, 30)).arms {
        assert!((arm.sps * arm.ns_per_select / 1e9 - 1.0).abs() < 1e-12);
        assert!(arm.ns_low.unwrap() < arm.ns_per_select && arm.ns_per_select < arm.ns_high.unwrap());
        assert!(arm.sps_low.unwrap() < arm.sps && arm.sps < arm.sps_high.unwrap());
        assert_eq!(arm.found, Some(arm.selects));
        assert_eq!(arm.course, Class::Steady, "{}", arm.name);
    }
}

#[test]
fn calls_per_second_are_those_of_layers() {
    let header = header(&ARMS);
    let arms = summary_of(&header, &blocks(&header, &RATES, 30)).arms;
    assert!(arms[..3].iter().all(|arm| arm.calls_per_second.is_none()));
    assert!((arms[3].calls_per_second.unwrap() - 16.0).abs() < 0.2);
}

#[test]
fn precision_is_asked_of_calm_arms_only() {
    let header = header(&ARMS);
    let mut noisy = blocks(&header, &RATES, 30);
    for block in noisy.iter_mut().filter(|block| block.arm == "prepared@split") {
        block.selects += (block.round as i64 % 7) * 400;
        block.found = Some(block.selects);
    }
    let summary = summary_of(&header, &noisy);
    let split = &summary.comparisons[1];
    assert!((split.high.unwrap() - split.low.unwrap()) / 2.0 / split.ratio > 0.02);
    assert_eq!(summary.precision_reached, Some(true));
    assert!(!warned(&summary, "precision"));
}

#[test]
fn precision_that_was_not_reached_is_said_with_its_size() {
    let mut header = header(&ARMS);
    header.plan.half_width = 0.0001;
    let summary = summary_of(&header, &blocks(&header, &RATES, 30));
    assert_eq!(summary.precision_reached, Some(false));
    assert!(warned(&summary, "precision not reached: ±0."), "{:?}", summary.warnings);
    assert!(warned(&summary, "more time helps (--time-limit, now 60 s)"), "{:?}", summary.warnings);
    header.plan.max_rounds = Some(30);
    let summary = summary_of(&header, &blocks(&header, &RATES, 30));
    assert!(warned(&summary, "more rounds help (--rounds, now 30)"), "{:?}", summary.warnings);
}

#[test]
fn more_clients_than_cores_are_said() {
    let mut header = header(&ARMS);
    let said = |header: &Header| warned(&summary_of(header, &blocks(header, &RATES, 6)), "of a full machine");
    assert!(!said(&header));
    (header.host.cpus, header.plan.clients, header.plan.threads) = (6, 4, 2);
    assert!(!said(&header));
    header.host.cpus = 5;
    assert!(said(&header));
    // a server elsewhere has cores of its own
    header.server.local = false;
    assert!(!said(&header));
}

#[test]
fn what_a_select_costs_the_client_is_shown_beside_its_share() {
    let header = header(&ARMS[..1]);
    let table = printed("table", &[summary_of(&header, &blocks(&header, &RATES, 6))]);
    let line = table.lines().find(|line| line.starts_with("client CPU")).unwrap();
    // 90 ms of a block of 250 ms, 12,500 selects in it
    assert!(line.contains("simple@same 7,") && line.contains(" ns (36 %) a select"), "{line}");
}

#[test]
fn below_six_rounds_there_are_estimates_without_intervals() {
    let header = header(&ARMS);
    let summary = summary_of(&header, &blocks(&header, &RATES, 5));
    assert!(summary.comparisons.iter().all(|found| found.low.is_none() && found.interval.is_none()));
    assert_eq!(summary.precision_reached, None);
    assert!(warned(&summary, "intervals need 6"));
    assert!(printed("table", &[summary]).contains("none"));
}

#[test]
fn no_block_at_all_is_a_summary_too() {
    let header = header(&ARMS);
    let summary = summary_of(&header, &[]);
    assert!(summary.arms.is_empty() && summary.comparisons.is_empty());
    for format in report::FORMATS {
        assert!(!printed(format.name(), std::slice::from_ref(&summary)).is_empty());
    }
    assert!(printed("table", &[summary]).contains("no block was finished"));
}

#[test]
fn a_round_that_was_cut_short_is_paired_only_where_both_arms_ran() {
    let header = header(&ARMS);
    let mut cut = blocks(&header, &RATES, 10);
    cut.truncate(38);
    let summary = summary_of(&header, &cut);
    let rounds: Vec<usize> = summary.comparisons.iter().map(|found| found.rounds).collect();
    assert_eq!(rounds, [10, 9, 9]);
}

#[test]
fn missing_rows_are_counted_and_shown() {
    let header = header(&ARMS);
    let mut some = blocks(&header, &RATES, 6);
    some[1].found = some[1].found.map(|found| found - 1234);
    let summary = summary_of(&header, &some);
    assert!(warned(&summary, "prepared@same: 1,234 of"));
    let table = printed("table", &[summary]);
    assert!(
        table.lines().any(|line| line.starts_with("not found") && line.ends_with("prepared@same 1,234")),
        "{table}"
    );
}

#[test]
fn a_block_without_selects_or_time_is_left_out_and_said() {
    let header = header(&ARMS);
    let mut some = blocks(&header, &RATES, 8);
    some[0].selects = 0;
    some[5].elapsed_ns = 0;
    let summary = summary_of(&header, &some);
    for at in [0, 5] {
        let arm = &some[at].arm;
        let named =
            |warning: &String| warning.contains("left out: ") && warning.contains(&format!("{arm} (in 1 block)"));
        assert!(summary.warnings.iter().any(named), "{arm}: {:?}", summary.warnings);
    }
    assert_eq!(summary.comparisons[0].rounds, 6);
}

#[test]
fn a_driver_slower_than_pgbench_is_warned_of() {
    let header = header(&["prepared@same", "pgbench@same", "prepared@split", "pgbench@split"]);
    let slow = summary_of(&header, &blocks(&header, &[50e3, 60e3, 12e3, 11e3], 10));
    assert!(warned(&slow, "prepared@same reaches 0.83"), "{:?}", slow.warnings);
    assert!(!warned(&slow, "prepared@split reaches"));
    assert!(slow.comparisons.iter().any(|found| found.test == "prepared@split" && found.base == "pgbench@split"));
    assert!(slow.comparisons.iter().any(|found| found.test == "prepared@same" && found.base == "pgbench@same"));
}

#[test]
fn each_arm_is_held_against_pgbench_in_its_own_protocol() {
    let header =
        header(&["pgbench_simple@same", "pgbench_extended@same", "extended@same", "simple@same", "simple@split"]);
    let slow = summary_of(&header, &blocks(&header, &[60e3, 50e3, 42e3, 66e3, 9e3], 10));
    assert!(warned(&slow, "extended@same reaches 0.847 of pgbench_extended@same's rate"), "{:?}", slow.warnings);
    assert!(!warned(&slow, "simple@same reaches") && !warned(&slow, "simple@split reaches"), "{:?}", slow.warnings);
}

#[test]
fn the_sides_of_an_a_a_comparison_are_compared_in_each_placement() {
    let header = header(&["prepared@same#1", "prepared@split#1", "prepared@same#2", "prepared@split#2"]);
    let summary = summary_of(&header, &blocks(&header, &[70e3, 11e3, 70e3, 11e3], 10));
    for placement in ["same", "split"] {
        let found = summary.comparisons.iter().find(|found| {
            found.test == format!("prepared@{placement}#2") && found.base == format!("prepared@{placement}#1")
        });
        let found = found.unwrap();
        assert!(found.low.unwrap() < 1.0 && 1.0 < found.high.unwrap());
    }
}

#[test]
fn notes_of_blocks_drift_steal_and_a_busy_client_become_warnings() {
    let header = header(&ARMS);
    let mut odd = blocks(&header, &RATES, 40);
    for block in &mut odd {
        match block.arm.as_str() {
            "plpgsql" => block.selects += block.round as i64 * 1000,
            "simple@same" => {
                block.steal_ns = Some(10_000_000);
                block.elapsed_ns *= if block.round == 9 { 5 } else { 1 };
            }
            "prepared@split" => block.client_cpu_ns = Some(249_000_000),
            _ if block.round < 2 => block.notes.push("scans not checked".into()),
            _ => {}
        }
    }
    let summary = build(&header, &odd, &outcome(Status::Done));
    assert!(warned(&summary, "plpgsql: drifting"));
    assert!(warned(&summary, "far out, counted like the others: simple@same 1 of 40"));
    assert!(warned(&summary, "simple@same: the hypervisor took 4"));
    assert!(warned(&summary, "prepared@split: the client used"));
    assert!(warned(&summary, "prepared@same: scans not checked (in 2 blocks)"));
}

#[test]
fn work_beside_a_same_core_arm_is_warned_of() {
    let header = header(&ARMS);
    let mut some = blocks(&header, &RATES, 8);
    assert!(!warned(&summary_of(&header, &some), "other work"));
    for block in &mut some {
        block.client_cpu_ns = Some(block.driver_ns / 10);
        block.backend_cpu_ns = Some(block.driver_ns / if block.arm == "plpgsql" { 1 } else { 2 });
    }
    let warning = "the CPU that they got: simple@same 60 %, prepared@same 60 %";
    assert!(summary_of(&header, &some).warnings.iter().any(|found| found.ends_with(warning)));
}

#[test]
fn the_table_shows_what_the_result_means_nothing_without() {
    let header = header(&ARMS);
    let table = printed("table", &[summary_of(&header, &blocks(&header, &RATES, 30))]);
    for text in [
        "15.18",
        "private",
        "unix",
        "scale 10",
        "1,000,000 rows",
        "1 client",
        "seed 42",
        "30 rounds in 6 epochs",
        "simple@same",
        "ratio to simple@same",
        "calls/s",
        "plpgsql 16.0",
        "same 3.4 µs",
        "split 58.0 µs",
        "results/x.jsonl",
        "95 % interval",
        "not found    0",
    ] {
        assert!(table.contains(text), "no \"{text}\" in\n{table}");
    }
}

#[test]
fn json_of_one_record_is_an_object_and_of_several_an_array() {
    let header = header(&ARMS);
    let summary = summary_of(&header, &blocks(&header, &RATES, 6));
    let one: serde_json::Value = serde_json::from_str(&printed("json", std::slice::from_ref(&summary))).unwrap();
    assert_eq!(one["arms"][0]["name"], "simple@same");
    let two: serde_json::Value = serde_json::from_str(&printed("json", &[summary.clone(), summary])).unwrap();
    assert_eq!(two.as_array().unwrap().len(), 2);
}

#[test]
fn csv_has_a_row_for_each_comparison_and_quotes_odd_names() {
    let mut header = header(&ARMS);
    header.dataset.relation = "perf.\"Odd, \"\"Name\"\"\"".into();
    header.pairs = vec![("plpgsql".into(), "prepared@same".into())];
    let text = printed("csv", &[summary_of(&header, &blocks(&header, &RATES, 6))]);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |row: usize, name: &str| &rows[row][columns.iter().position(|column| column == name).unwrap()];
    assert_eq!(rows.len(), 5);
    assert_eq!(cell(0, "relation"), "perf.\"Odd, \"\"Name\"\"\"");
    assert_eq!((cell(0, "arm"), cell(0, "base")), ("simple@same", ""));
    assert_eq!((cell(4, "arm"), cell(4, "base")), ("plpgsql", "prepared@same"));
}

#[test]
fn a_file_is_replaced_only_when_the_report_is_there() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&[b'x'; 100_000]).unwrap();
    let out = report::File::open(file.path()).unwrap();
    assert_eq!(std::fs::metadata(file.path()).unwrap().len(), 100_000);
    let header = fixture::header(&ARMS);
    let blocks = blocks(&header, &RATES, 6);
    let report = report::Report::new(&header, &blocks, summary_of(&header, &blocks));
    out.write(report::format("json").unwrap(), &[report]).unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(serde_json::from_str::<Summary>(&text).is_ok());
}

#[test]
fn a_name_cannot_write_to_the_terminal_s_title() {
    let mut header = header(&ARMS);
    header.dataset.relation = "a\x1b]0;title\x07\nb\u{e9}".into();
    let text = printed("table", &[summary_of(&header, &blocks(&header, &RATES, 6))]);
    assert!(!text.contains(|letter: char| letter.is_control() && letter != '\n'));
    assert!(text.contains(r"a\u{1b}]0;title\u{7}\nb") && text.contains('\u{e9}'), "{text}");
}
