//! Reports as pages and as Markdown.

use sps::record::{Gates, Header, Status};
use sps::report::{self, Outcome, Report, build};

use crate::fixture::{blocks, header};

const ARMS: [&str; 4] = ["simple@same", "prepared@same", "prepared@split", "plpgsql"];
const RATES: [f64; 4] = [50e3, 70e3, 11e3, 160e3];

fn report_of(header: &Header, rates: &[f64], rounds: u64, warnings: &[&str]) -> Report {
    let mut blocks = blocks(header, rates, rounds);
    if let Some(first) = blocks.first_mut() {
        let plan = Some("Index Scan on \"pgbench_accounts_pkey\" with (aid = $1)".into());
        first.gates = Some(Gates { selects: 1000, found: Some(1000), checksum: Some(7), plan, ..Gates::default() });
    }
    let warnings = warnings.iter().map(|text| (*text).into()).collect();
    let outcome = Outcome { status: Status::Done, warnings, lost: Vec::new(), record: Some("results/x.jsonl".into()) };
    Report::new(header, &blocks, build(header, &blocks, &outcome))
}

fn printed(format: &str, reports: &[Report]) -> String {
    let mut out = Vec::new();
    report::format(format).unwrap().write(reports, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_page_is_whole_and_fetches_nothing() {
    let page = printed("html", &[report_of(&header(&ARMS), &RATES, 30, &[])]);
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for held in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(held), "the page holds {held}");
    }
    assert!(page.matches("<svg").count() >= 4);
}

#[test]
fn every_chart_has_its_numbers_in_a_table_beside_it() {
    let mut ladder = header(&ARMS);
    ladder.command = "ladder".into();
    for header in [header(&ARMS), ladder] {
        let page = printed("html", &[report_of(&header, &RATES, 30, &[])]);
        for figure in page.split("<figure>").skip(1).map(|rest| rest.split("</figure>").next().unwrap()) {
            assert_eq!((figure.matches("<svg").count(), figure.matches("<table").count()), (1, 1), "{figure}");
        }
        for arm in ARMS {
            assert!(page.contains(&format!("<th scope=\"row\">{arm}</th>")), "{arm}");
        }
    }
}

#[test]
fn both_say_what_was_measured_how_and_what_to_beware_of() {
    let mut header = header(&ARMS);
    header.command_line = ["sps", "compare", "--relation", "odd name"].map(String::from).into();
    header.host.governor = Some("performance".into());
    let reports = [report_of(&header, &RATES, 30, &["the kettle was on"])];
    for format in ["html", "markdown"] {
        let text = printed(format, &reports).replace("\\_", "_").replace("&#39;", "'").replace("&#x27;", "'");
        for said in [
            "PostgreSQL 15.18",
            "the kettle was on",
            "compare --relation 'odd name'",
            "performance",
            "setting jit",
            "Index Scan on",
            "30 rounds in 6 epochs",
            "Hodges and Lehmann",
            "1.40",
            "3.20",
        ] {
            assert!(text.contains(said), "no \"{said}\" in the {format}:\n{text}");
        }
    }
}

#[test]
fn what_a_record_holds_is_text_in_both() {
    let mut header = header(&["<img src=x>|`a`*@same", "plpgsql"]);
    header.dataset.relation = "<script>alert(1)</script>".into();
    header.command_line = vec!["</code><script>".into(), "```".into()];
    let reports = [report_of(&header, &[50e3, 60e3], 12, &["</ul><script>\u{1b}[31m"])];
    let page = printed("html", &reports);
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    let text = printed("markdown", &reports);
    let prose: String = text.split("````").step_by(2).collect();
    assert!(!prose.contains('<') && !prose.contains("|`a`*"), "{prose}");
    assert!(!text.contains('\u{1b}') && !page.contains('\u{1b}'));
    for row in prose.lines().filter(|line| line.starts_with('|')) {
        assert!(row.ends_with(" |"), "{row}");
    }
}

#[test]
fn several_records_stand_side_by_side_and_are_not_mixed() {
    let mut second = header(&ARMS);
    second.plan.seed = 43;
    second.server.version = "PostgreSQL 18.0 on x".into();
    let slower = RATES.map(|rate| rate / 2.0);
    let reports = [report_of(&header(&ARMS), &RATES, 30, &[]), report_of(&second, &slower, 12, &[])];
    let text = printed("markdown", &reports);
    let rows = |name: &str| text.lines().filter(|line| line.starts_with(&format!("| {name} |"))).count();
    assert!(text.contains("| what | A | B |") && text.contains("| seed | 42 | 43 |"), "{text}");
    // rates: one row a record
    assert!(rows("prepared@split") >= 2);
    let page = printed("html", &reports);
    assert!(page.contains("prepared@split A<") || page.contains("prepared@split A\n"), "bars of both records");
    assert!(page.contains("PostgreSQL 18.0") && page.contains("PostgreSQL 15.18"));
}

#[test]
fn a_run_without_a_block_has_a_page() {
    let reports = [report_of(&header(&ARMS), &RATES, 0, &[])];
    for format in ["html", "markdown"] {
        assert!(printed(format, &reports).contains("No block was finished"));
    }
}
