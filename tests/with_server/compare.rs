//! `sps compare` on a real server.

use std::fs;
use std::path::PathBuf;

use sps::record::{Record, Status, Summary, read};

use crate::schema::{check_line, check_record};
use crate::support::{Database, Said, has_extension, run, skip};

/// Rounds of 20 ms blocks: enough for an interval, not for precision.
const SHORT: [&str; 4] = ["--rounds", "6", "--block", "20"];

/// Runs `sps compare` in a folder of its own.
struct Compared {
    said: Said,
    folder: tempfile::TempDir,
}

fn compare(database: &Database, args: &[&str]) -> Compared {
    let folder = tempfile::tempdir().unwrap();
    let mut command = database.sps(&[&["compare"], args].concat());
    let said = run(command.current_dir(folder.path()));
    Compared { said, folder }
}

impl Compared {
    fn records(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("results")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// The one record that there must be.
    #[track_caller]
    fn record(&self) -> Record {
        let paths = self.records();
        assert_eq!(paths.len(), 1, "{paths:?} {:#?}", self.said);
        check_record(&fs::read_to_string(&paths[0]).unwrap());
        read(&paths[0]).unwrap()
    }

    #[track_caller]
    fn summary(&self) -> Summary {
        let value = serde_json::from_str(&self.said.stdout).unwrap_or_else(|error| panic!("{error}: {:#?}", self.said));
        check_line(&value);
        serde_json::from_value(value).unwrap()
    }
}

#[test]
fn the_patchs_three_numbers_by_default_with_a_record_that_follows_the_schema() {
    let database = Database::filled();
    let compared = compare(&database, &[&SHORT[..], &["--json", "-", "--seed", "7"]].concat());
    compared.said.code(0);
    let summary = compared.summary();
    let arms: Vec<&str> = summary.arms.iter().map(|arm| arm.arm.as_str()).collect();
    assert!(arms.starts_with(&["simple"]) && arms.contains(&"prepared") && arms.ends_with(&["plpgsql"]), "{arms:?}");
    assert!(summary.arms.iter().all(|arm| arm.found == Some(arm.selects)), "{summary:#?}");
    assert_eq!(summary.comparisons.len(), summary.arms.len() - 1);
    assert!(summary.comparisons.iter().all(|found| found.base == summary.reference && found.low.is_some()));
    let record = compared.record();
    assert_eq!(record.summary.unwrap().status, Status::Done);
    assert_eq!((record.header.plan.seed, record.blocks.len()), (7, 6 * summary.arms.len()));
}

#[test]
fn every_round_of_a_record_holds_each_arm_once_in_the_seeds_order() {
    let database = Database::filled();
    let compared =
        compare(&database, &[&SHORT[..], &["simple", "prepared", "extended", "--seed", "-3", "-q"]].concat());
    compared.said.code(0);
    assert_eq!(compared.said.stdout, "");
    let record = compared.record();
    let arms = record.header.arms.len();
    for round in 0..6 {
        let ran: Vec<&str> =
            record.blocks.iter().filter(|block| block.round == round).map(|block| block.arm.as_str()).collect();
        let expected: Vec<&str> =
            sps::schedule::order(-3, round, arms).into_iter().map(|at| record.header.arms[at].name.as_str()).collect();
        assert_eq!(ran, expected);
    }
}

#[test]
fn the_table_and_the_report_of_its_record_are_the_same() {
    let database = Database::filled();
    let files = ["--json", "out.json", "--csv", "out.csv"];
    let compared = compare(&database, &[&SHORT[..], &["simple", "prepared"], &files].concat());
    compared.said.code(0);
    let written = |name: &str| fs::read_to_string(compared.folder.path().join(name)).unwrap();
    let summary: Summary = serde_json::from_str(&written("out.json")).unwrap();
    assert_eq!(written("out.csv").lines().count(), 1 + summary.arms.len());
    let path = compared.records().remove(0).strip_prefix(compared.folder.path()).unwrap().to_owned();
    let mut report = database.sps(&["report", path.to_str().unwrap()]);
    let reported = run(report.current_dir(compared.folder.path()));
    assert_eq!(reported.code(0).stdout, compared.said.stdout);
}

#[test]
fn pairs_and_placements_are_named_as_asked() {
    let database = Database::filled();
    let args = ["simple@free", "prepared@free", "plpgsql", "--pair", "plpgsql/prepared@free", "--json", "-"];
    let compared = compare(&database, &[&SHORT[..], &args].concat());
    compared.said.code(0);
    let pairs: Vec<(String, String)> =
        compared.summary().comparisons.into_iter().map(|found| (found.test, found.base)).collect();
    let pair = |test: &str, base: &str| (test.to_owned(), base.to_owned());
    assert_eq!(
        pairs,
        [pair("prepared@free", "simple@free"), pair("plpgsql", "simple@free"), pair("plpgsql", "prepared@free")]
    );
}

#[test]
fn an_arm_against_itself_has_two_sides() {
    let database = Database::filled();
    let compared = compare(&database, &[&SHORT[..], &["--aa", "prepared@free", "--json", "-"]].concat());
    compared.said.code(0);
    let summary = compared.summary();
    let names: Vec<&str> = summary.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(names, ["prepared@free#1", "prepared@free#2"]);
    assert_eq!(summary.comparisons.len(), 1);
    assert_eq!((summary.comparisons[0].base.as_str(), summary.comparisons[0].test.as_str()), (names[0], names[1]));
}

#[test]
fn unknown_arms_are_refused_with_the_valid_ones_and_nothing_is_stored() {
    let database = Database::filled();
    let compared = compare(&database, &["prepared", "warp"]);
    compared.said.code(2).complains("unknown arm \"warp\"").complains("simple, ").complains("plpgsql");
    assert!(compared.records().is_empty());
    let compared = compare(&database, &["simple", "prepared", "--pair", "plpgsql/simple"]);
    compared.said.code(2).complains("\"plpgsql\", which is not measured").complains("prepared@");
    assert!(compared.records().is_empty());
}

#[test]
fn more_connections_than_the_server_has_are_refused_and_nothing_is_stored() {
    let database = Database::filled();
    let compared = compare(&database, &["simple@free", "prepared@free", "-c", "9000"]);
    compared
        .said
        .code(1)
        .complains("18002 connections are needed at once")
        .complains("lower -c")
        .complains("max_connections");
    assert!(compared.records().is_empty());
}

#[test]
fn missing_tables_are_one_error_and_nothing_is_stored() {
    let database = Database::empty();
    let compared = compare(&database, &["simple"]);
    compared.said.code(1).complains("sps init").complains("pgbench -i").complains(&database.name);
    assert_eq!(compared.said.stderr.lines().count(), 2, "{:#?}", compared.said);
    assert!(compared.records().is_empty());
}

#[test]
fn missing_rows_are_counted_and_shown() {
    let database = Database::filled();
    database.session().batch("delete from pgbench_accounts where aid between 1000 and 50000").unwrap();
    let compared = compare(&database, &[&SHORT[..], &["simple", "prepared", "--json", "-"]].concat());
    compared.said.code(0);
    let summary = compared.summary();
    for arm in &summary.arms {
        let share = arm.found.unwrap() as f64 / arm.selects as f64;
        assert!((0.3..0.7).contains(&share), "{arm:?}");
        assert!(summary.warnings.iter().any(|warning| warning.starts_with(&arm.name) && warning.contains("no row")));
    }
}

#[test]
fn layers_and_wire_arms_find_the_same_rows() {
    if !has_extension() {
        return skip("the server has no extension");
    }
    let database = Database::filled();
    let args = ["prepared@free", "plpgsql", "spi", "executor", "rescan", "index", "keys", "--json", "-"];
    let compared = compare(&database, &[&SHORT[..], &args].concat());
    compared.said.code(0);
    let summary = compared.summary();
    for arm in summary.arms.iter().filter(|arm| !arm.control) {
        assert_eq!(arm.found, Some(arm.selects), "{}", arm.name);
    }
    let keys = summary.arms.iter().find(|arm| arm.name == "keys").unwrap();
    assert!(keys.control && keys.found.is_none());
}

#[test]
fn a_record_that_cannot_be_written_ends_the_run() {
    let database = Database::filled();
    let compared = compare(&database, &[&SHORT[..], &["simple@free", "--record", "/dev/full"]].concat());
    compared.said.code(1).complains("cannot write record \"/dev/full\"").complains("hint:");
}

#[test]
fn a_password_in_the_command_line_reaches_no_record() {
    let database = Database::filled();
    let conninfo = format!("dbname={} password=s3cret", database.name);
    let compared = compare(&database, &[&SHORT[..], &["simple@free", "-d", &conninfo]].concat());
    compared.said.code(0);
    let text = fs::read_to_string(&compared.records()[0]).unwrap();
    assert!(text.contains("password=***") && !text.contains("s3cret"));
    assert!(!compared.said.stdout.contains("s3cret") && !compared.said.stderr.contains("s3cret"));
}

#[test]
fn what_the_gates_saw_is_in_the_first_block_of_each_epoch() {
    let database = Database::filled();
    let args = ["simple@free", "prepared@free", "plpgsql", "sync@free"];
    let compared = compare(&database, &[&SHORT[..], &args].concat());
    compared.said.code(0);
    let record = compared.record();
    for arm in args {
        let blocks: Vec<_> = record.blocks.iter().filter(|block| block.arm == arm).collect();
        let with: Vec<u64> = blocks.iter().filter(|block| block.gates.is_some()).map(|block| block.round).collect();
        // six rounds are an epoch and the beginning of another; controls look nothing up
        assert_eq!(with, if arm == "sync@free" { vec![] } else { vec![0, 5] }, "{arm}");
        let Some(gates) = &blocks[0].gates else { continue };
        assert_eq!((gates.selects, gates.found), (1000, Some(1000)), "{arm}");
        assert!(gates.checksum > Some(0));
        if arm != "plpgsql" || !has_extension() {
            assert!(gates.plan.as_ref().unwrap().starts_with("Index Scan on \"pgbench_accounts_pkey\" with (aid = "));
            assert_eq!(gates.scans, Some(1000), "{arm}");
        }
        assert_eq!(gates.generic_plans.is_some_and(|count| count >= 1000), arm == "prepared@free", "{gates:?}");
    }
    let sums: Vec<_> =
        record.blocks.iter().filter_map(|block| Some((block.epoch, block.gates.as_ref()?.checksum))).collect();
    assert!(sums.iter().all(|(epoch, sum)| sums.iter().all(|(other, with)| epoch != other || sum == with)), "{sums:?}");
}

#[test]
fn what_was_expected_decides_the_exit_code() {
    let database = Database::filled();
    let plain = ["plpgsql", "prepared", "--pin", "free", "--quiet"];
    let pair = "plpgsql/prepared@free";
    for (bound, rounds, code, verdict) in
        [(">=0.001", "6", 0, "confirmed"), ("<0.001", "6", 3, "refuted"), (">=0.001", "5", 4, "inconclusive")]
    {
        let expected = format!("{pair}{bound}");
        let args = ["--expect", &expected, "--rounds", rounds, "--block", "20", "--json", "-"];
        let compared = compare(&database, &[&plain[..], &args].concat());
        compared.said.code(code);
        let summary = serde_json::to_value(compared.summary()).unwrap();
        assert_eq!(summary["expectations"][0]["verdict"], verdict);
        // the record says the same
        assert_eq!(
            compared.record().header.expectations[0].to_string(),
            format!("{pair} {} 0.001", &bound[..bound.len() - 5])
        );
    }
    let unknown = compare(&database, &["plpgsql", "prepared", "--expect", "plpgsql/simple>=2"]);
    unknown.said.code(2);
    assert!(
        unknown.said.stderr.contains("--expect names arm \"simple\", which is not measured"),
        "{:#?}",
        unknown.said
    );
    assert!(unknown.records().is_empty());
}

#[test]
fn blocks_are_short_led_in_untimed_and_say_how_long_they_were_to_be() {
    let database = Database::filled();
    let args = ["plpgsql", "prepared@free", "prepared_transaction@free", "call_commit", "--rounds", "6", "--quiet"];
    let compared = compare(&database, &args);
    compared.said.code(0);
    let record = compared.record();
    let plan = &record.header.plan;
    assert_eq!((plan.block_ms, plan.lead_in_ms), (25, 5));
    for block in &record.blocks {
        assert_eq!(block.block_ms, Some(25));
        assert!(block.driver_ns >= 25_000_000, "{block:?}");
        // the lead-in's are not among them
        assert!(block.calls.is_none_or(|calls| block.selects == calls * plan.selects_per_call), "{block:?}");
    }
    assert_eq!(record.blocks.last().unwrap().epoch, 1);
}
