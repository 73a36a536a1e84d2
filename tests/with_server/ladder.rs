//! `sps ladder` on a real server.

use std::collections::HashSet;
use std::fs;

use sps::arm::{LOOPS, Placement, WIRE_ARMS, tokio};
use sps::record::{Summary, read};

use crate::schema::{check_line, check_record};
use crate::support::{Database, Said, has_extension, run, skip};

/// Short blocks; six rounds of them give an interval, no precision.
const SHORT: [&str; 6] = ["--block", "10", "--selects", "500", "--json", "-"];

struct Ladder {
    said: Said,
    folder: tempfile::TempDir,
}

fn ladder(database: &Database, args: &[&str]) -> Ladder {
    let folder = tempfile::tempdir().unwrap();
    let mut command = database.sps(&[&["ladder"], &SHORT[..], args].concat());
    let said = run(command.current_dir(folder.path()));
    Ladder { said, folder }
}

impl Ladder {
    #[track_caller]
    fn summary(&self) -> Summary {
        self.said.code(0);
        let value = serde_json::from_str(&self.said.stdout).unwrap_or_else(|error| panic!("{error}: {:#?}", self.said));
        check_line(&value);
        serde_json::from_value(value).unwrap()
    }
}

fn layers(database: &Database) -> Vec<String> {
    if !has_extension() {
        return LOOPS.iter().map(|which| which.name.to_owned()).collect();
    }
    let rows = database.session().query("select name from select_loop_layers()", &[]).unwrap();
    rows.iter().map(|row| row.get(0)).chain(["call_commit".to_owned()]).collect()
}

#[test]
fn every_arm_is_a_rung_or_a_control_and_its_steps_lead_to_the_last_rung() {
    let database = Database::filled();
    let ladder = ladder(&database, &["--rounds", "6"]);
    let summary = ladder.summary();
    let mut expected: HashSet<String> = layers(&database).into_iter().collect();
    expected.extend(WIRE_ARMS.iter().map(|arm| arm.name()).chain([tokio::NAME]).map(String::from));
    let arms: HashSet<String> = summary.arms.iter().map(|arm| arm.arm.clone()).collect();
    assert_eq!(arms, expected);
    let of = |name: &str| summary.arms.iter().find(|arm| arm.name == name).unwrap();
    // wire arms in each placement, as many of each
    let placements: HashSet<Placement> = summary.arms.iter().map(|arm| of(&arm.name).placement).collect();
    let wire = summary.arms.iter().filter(|arm| arm.name.contains('@')).count();
    assert!(wire.is_multiple_of(WIRE_ARMS.len() + 1) && wire > 0, "{placements:?}");

    assert!(summary.steps.iter().all(|step| !step.about.starts_with("from ")), "{:#?}", summary.steps);
    assert!(summary.steps.iter().all(|step| step.difference.low.is_some() && step.difference.clear.is_some()));
    assert!(summary.nets.iter().any(|net| net.control.starts_with("sync@")));
    assert!(
        summary.arms.iter().filter(|arm| !arm.control).all(|arm| arm.found.is_none_or(|found| found == arm.selects))
    );

    let path = fs::read_dir(ladder.folder.path().join("results")).unwrap().next().unwrap().unwrap().path();
    check_record(&fs::read_to_string(&path).unwrap());
    let record = read(&path).unwrap();
    assert_eq!((record.header.command.as_str(), record.header.plan.block_ms), ("ladder", 10));
    assert_eq!(record.blocks.len(), 6 * summary.arms.len());
    assert!(path.file_name().unwrap().to_str().unwrap().contains("-ladder-"));
    let report = run(&mut database.sps(&["report", path.to_str().unwrap()]));
    assert!(report.code(0).stdout.contains("what the step leaves out"));
}

/// Of a single round, since each estimate stands for itself: centres of several rounds add up only about.
#[test]
fn the_steps_of_a_round_add_up_from_every_rung_to_the_last() {
    let database = Database::filled();
    let summary = ladder(&database, &["--rounds", "1"]).summary();
    let of = |name: &str| summary.arms.iter().find(|arm| arm.name == name).unwrap().ns_per_select;
    let rungs: Vec<&str> = summary.arms.iter().filter(|arm| !arm.control).map(|arm| arm.name.as_str()).collect();
    let last = *rungs.last().unwrap();
    assert_eq!(summary.steps.len(), rungs.len() - 1);
    for rung in &rungs {
        let (mut at, mut sum) = (*rung, 0.0);
        while let Some(step) = summary.steps.iter().find(|step| step.from == at) {
            (at, sum) = (&step.to, sum + step.difference.ns);
        }
        assert_eq!(at, last);
        assert!((sum - (of(rung) - of(last))).abs() < 1e-6 * of(rung), "{rung}: {sum}");
    }
}

#[test]
fn layers_that_refuse_a_table_are_left_out_with_the_reason_and_the_rest_goes_on() {
    if !has_extension() {
        return skip("the server has no layers to refuse anything");
    }
    let database = Database::empty();
    let sql = "create table parted (id int primary key, abalance int) partition by range (id);
               create table parted_1 partition of parted for values from (minvalue) to (maxvalue);
               insert into parted select g, g % 97 from generate_series(1, 4000) g;";
    database.session().batch(sql).unwrap();
    database.session().batch("vacuum analyze").unwrap();
    let summary = ladder(&database, &["--rounds", "6", "--pin", "free", "--relation", "parted"]).summary();
    let has = |arm: &str| summary.arms.iter().any(|found| found.arm == arm);
    assert!(has("prepared") && has("plpgsql") && has("spi") && !has("rescan") && !has("buffer"));
    let warned = |arm: &str| summary.warnings.iter().any(|text| text.starts_with(&format!("{arm}: left out: ")));
    assert!(warned("rescan") && warned("buffer") && !warned("spi"), "{:?}", summary.warnings);
    assert!(summary.warnings.iter().any(|text| text.contains("0A000")), "{:?}", summary.warnings);
}

#[test]
fn without_the_extension_the_ladder_ends_at_plpgsql_and_says_so() {
    let database = Database::filled();
    database.session().batch("drop extension if exists select_loop").unwrap();
    let summary = ladder(&database, &["--rounds", "6", "--pin", "free"]).summary();
    assert!(summary.warnings.iter().any(|text| text.contains("CREATE EXTENSION select_loop")));
    assert_eq!(summary.steps.last().unwrap().to, "plpgsql");
    let skewed = ladder(&database, &["--rounds", "6", "--pin", "free", "--distribution", "zipfian"]).summary();
    assert!(skewed.warnings.iter().any(|text| text.starts_with("plpgsql: left out: ")), "{:?}", skewed.warnings);
    assert!(skewed.steps.last().unwrap().to.starts_with("pipeline"));
}

#[test]
fn a_lookup_that_is_no_index_scan_stops_the_ladder() {
    let database = Database::filled();
    database.session().batch(&format!("alter database {} set enable_indexscan = off", database.name)).unwrap();
    let ladder = ladder(&database, &["--rounds", "6", "--pin", "free"]);
    ladder.said.code(1).complains("pgbench_accounts");
    assert_eq!(ladder.said.stdout, "");
}
