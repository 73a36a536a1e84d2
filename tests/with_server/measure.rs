//! Every arm finds what plain SQL finds, and what is no lookup by the key's index is not measured.

use sps::arm::{LOOPS, WIRE_ARMS, pgbench, tokio};
use sps::record::{self, Block};

use crate::support::{Database, Said, has_extension, run, skip};

const SELECTS: i64 = 500;
const SEED: i64 = 7;

/// Runs one call's worth of selects of `arm`; the block that the record has.
fn measured(db: &Database, arm: &str, more: &[&str]) -> Result<Block, Said> {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("run.jsonl");
    let wire = wire_arms().any(|name| name == arm);
    let (selects, seed) = (SELECTS.to_string(), SEED.to_string());
    let units = if wire { selects.as_str() } else { "1" };
    let mut args = vec!["run", "--arm", arm, "--pin", "free", "-t", units, "--selects", &selects, "--seed", &seed];
    args.extend(["--record", record.to_str().unwrap()]);
    args.extend(more);
    let said = run(&mut db.sps(&args));
    if said.code != Some(0) {
        return Err(said);
    }
    let record = record::read(&record).unwrap();
    assert_eq!(record.blocks.len(), 1);
    Ok(record.blocks.into_iter().next().unwrap())
}

/// The arms that send each select.
pub fn wire_arms() -> impl Iterator<Item = &'static str> {
    WIRE_ARMS.iter().map(|arm| arm.name()).chain([tokio::NAME])
}

/// Found and checksum of the same keys by plain SQL.
fn expected(db: &Database, relation: &str, key: &str, value: &str) -> (i64, i64) {
    let seed = select_loop_keys::mix(SEED, 0, 0, 0, 0);
    let row = db
        .session()
        .query_one(
            &format!(
                "with bounds as (select min({key})::bigint as low, max({key})::bigint as high from {relation}),
                 keys as (select low + (hashint8extended(i, $1) & 9223372036854775807) % (high - low + 1) as k
                          from bounds, generate_series(0, $2::bigint - 1) i)
                 select count({key}), coalesce(sum({value}), 0)::bigint from keys left join {relation} on {key} = k"
            ),
            &[&seed, &SELECTS],
        )
        .unwrap();
    (row.get(0), row.get(1))
}

fn arms(db: &Database) -> Vec<String> {
    let mut arms: Vec<String> = wire_arms().chain(LOOPS.iter().map(|which| which.name)).map(String::from).collect();
    if has_extension() {
        let layers = db.session().query("select name from select_loop_layers() where kind <> 'control'", &[]).unwrap();
        let layers = layers.iter().map(|row| row.get::<_, String>(0));
        arms.extend(layers.filter(|name| !LOOPS.iter().any(|which| which.name == name)));
    }
    arms
}

#[track_caller]
fn all_agree(db: &Database, relation: &str, key: &str, value: &str) {
    let expected = expected(db, relation, key, value);
    for arm in arms(db) {
        let block = measured(db, &arm, &["--relation", relation]).unwrap_or_else(|said| panic!("{arm}: {said:#?}"));
        assert_eq!(block.selects, SELECTS, "{arm}");
        // controls look nothing up, index_tid sees dead versions, and what reads no rows has no checksum
        match block.checksum {
            Some(checksum) => assert_eq!((block.found.unwrap(), checksum), expected, "{arm}"),
            None => assert!(["sync", "select_one", "index_tid", "buffer"].contains(&arm.as_str()), "{arm}"),
        }
    }
}

#[test]
fn every_arm_finds_what_plain_sql_finds() {
    let db = Database::filled();
    let (found, checksum) = expected(&db, "pgbench_accounts", "aid", "abalance");
    assert!(found == SELECTS && checksum > 0);
    all_agree(&db, "pgbench_accounts", "aid", "abalance");
}

#[test]
fn missing_keys_are_counted_in_every_arm() {
    let db = Database::filled();
    db.session().batch("delete from pgbench_accounts where aid % 3 = 1 and aid > 1").unwrap();
    db.session().batch("vacuum pgbench_accounts").unwrap();
    assert!(expected(&db, "pgbench_accounts", "aid", "abalance").0 < SELECTS);
    all_agree(&db, "pgbench_accounts", "aid", "abalance");
    let said = run(&mut db.sps(&["run", "--pin", "free", "-t", "100", "--record", "/dev/null"]));
    assert!(!said.code(0).stdout.contains("found no row: 0 ("), "{said:#?}");
}

#[test]
fn negative_keys_and_keys_beyond_two_to_the_31st_work() {
    let db = Database::empty();
    db.session()
        .batch(
            "create table wide (id bigint primary key, abalance bigint);
             insert into wide select 4000000000 + g, g from generate_series(1, 1000) g;
             create table below (id int primary key, abalance smallint);
             insert into below select -g, case when g % 7 > 0 then g end from generate_series(1, 1000) g;
             create table small (id smallint primary key, abalance int);
             insert into small select g, -g from generate_series(-3000, 3000) g;",
        )
        .unwrap();
    db.session().batch("vacuum analyze").unwrap();
    all_agree(&db, "wide", "id", "abalance");
    all_agree(&db, "below", "id", "abalance");
    all_agree(&db, "small", "id", "abalance");
}

#[test]
fn a_sum_past_bigint_is_the_same_error_in_every_arm() {
    let db = Database::empty();
    db.session()
        .batch(
            "create table rich (id int primary key, abalance bigint);
             insert into rich select g, 9223372036854775807 / 3 from generate_series(1, 2000) g;",
        )
        .unwrap();
    db.session().batch("vacuum analyze").unwrap();
    for arm in arms(&db) {
        match measured(&db, &arm, &["--relation", "rich"]) {
            Err(said) => drop(said.code(1).complains("bigint out of range (SQLSTATE 22003)")),
            Ok(block) => assert_eq!(block.checksum, None, "{arm}"),
        }
    }
}

#[test]
fn odd_names_and_tables_without_a_balance_work() {
    let db = Database::empty();
    let (relation, key) = (r#""Odd ""Schema"".here"."Ta'ble {key}""#, r#""K ey""#);
    db.session()
        .batch(&format!(
            "create schema \"Odd \"\"Schema\"\".here\"; create table {relation} ({key} int primary key, t text);
             insert into {relation} select g, 't' from generate_series(1, 2000) g;"
        ))
        .unwrap();
    db.session().batch("vacuum analyze").unwrap();
    all_agree(&db, relation, key, &format!("{key} & 2147483647"));
}

#[test]
fn a_partitioned_table_is_looked_up_through_its_partitions_index() {
    let db = Database::empty();
    db.session()
        .batch(
            "create table parted (id int primary key, abalance int) partition by range (id);
             create table parted_1 partition of parted for values from (minvalue) to (2000);
             create table parted_2 partition of parted for values from (2000) to (maxvalue);
             insert into parted select g, g % 97 from generate_series(1, 4000) g;",
        )
        .unwrap();
    db.session().batch("vacuum analyze").unwrap();
    let expected = expected(&db, "parted", "id", "abalance");
    let controls = ["select_one", "sync"];
    for arm in wire_arms().filter(|arm| !controls.contains(arm)).chain(LOOPS.iter().map(|which| which.name)) {
        let block = measured(&db, arm, &["--relation", "parted"]).unwrap_or_else(|said| panic!("{arm}: {said:#?}"));
        assert_eq!((block.found.unwrap(), block.checksum.unwrap()), expected, "{arm}");
    }
}

/// `run` refuses with exit 1, naming the arm and what it saw, and leaves no record that could be taken for a result.
#[track_caller]
fn refused(db: &Database, arm: &str, text: &str) {
    let said = measured(db, arm, &[]).expect_err("it was measured");
    said.code(1).complains(text);
}

#[test]
fn a_lookup_that_is_no_index_scan_is_not_measured() {
    let db = Database::filled();
    let admin = db.session();
    let name = &db.name;
    admin.batch(&format!("alter database {name} set enable_indexscan = off")).unwrap();
    for arm in ["simple", "extended", "prepared", "prepared_transaction", "pipeline", "tokio"] {
        refused(&db, arm, "expected Index Scan on \"pgbench_accounts_pkey\"");
        refused(&db, arm, arm);
    }
    admin.batch(&format!("alter database {name} reset enable_indexscan")).unwrap();
    measured(&db, "prepared", &[]).unwrap();
}

#[test]
fn a_key_that_is_gone_or_invalid_is_said_before_anything_is_timed() {
    let db = Database::filled();
    db.session().batch("alter table pgbench_accounts drop constraint pgbench_accounts_pkey").unwrap();
    refused(&db, "simple", "no valid primary key");
}

#[test]
fn uncounted_scans_and_custom_plans_are_warned_of() {
    let db = Database::filled();
    let name = &db.name;
    db.session()
        .batch(&format!(
            "alter database {name} set track_counts = off; alter database {name} set plan_cache_mode = force_custom_plan"
        ))
        .unwrap();
    let said = run(&mut db.sps(&["run", "-M", "prepared", "--pin", "free", "-t", "100", "--record", "/dev/null"]));
    let said = said.code(0);
    assert!(said.stdout.contains("track_counts is off"), "{said:#?}");
    assert!(said.stdout.contains("planned anew for every select"), "{said:#?}");
}

#[test]
fn a_statement_timeout_shorter_than_a_call_names_the_setting() {
    let db = Database::filled();
    db.session().batch(&format!("alter database {} set statement_timeout = '400ms'", db.name)).unwrap();
    let said =
        run(&mut db.sps(&["run", "-P", "--pin", "free", "-t", "1", "--selects", "3000000", "--record", "/dev/null"]));
    said.code(1).complains("statement_timeout");
}

#[test]
fn any_number_of_clients_runs_on_any_number_of_threads() {
    let db = Database::filled();
    for (clients, threads) in [("5", "2"), ("2", "5"), ("3", "1")] {
        let args = ["run", "-M", "prepared", "--pin", "free", "-t", "50", "-c", clients, "-j", threads];
        let said = run(db.sps(&args).args(["--record", "/dev/null"]));
        let selects = clients.parse::<u32>().unwrap() * 50;
        assert!(said.code(0).stdout.contains(&format!("actually processed: {selects}/{selects}\n")), "{said:#?}");
    }
}

#[test]
fn the_pgbench_arm_counts_what_pgbench_counts() {
    let db = Database::filled();
    for (name, _) in pgbench::ARMS {
        let block = measured(&db, name, &["-c", "2"]).unwrap_or_else(|said| panic!("{said:#?}"));
        assert_eq!((block.selects, block.found, block.checksum), (2, None, None), "{name}");
    }
}

#[test]
fn the_loop_without_the_extension_draws_uniform_keys_only() {
    let db = Database::filled();
    db.session().batch("drop extension if exists select_loop").unwrap();
    let expected = expected(&db, "pgbench_accounts", "aid", "abalance");
    for which in LOOPS {
        let block = measured(&db, which.name, &[]).unwrap_or_else(|said| panic!("{said:#?}"));
        assert_eq!((block.found.unwrap(), block.checksum.unwrap()), expected, "{}", which.name);
        let said = measured(&db, which.name, &["--distribution", "zipfian"]).unwrap_err();
        said.code(2).complains("uniform keys only");
    }
    let said = measured(&db, "rescan", &[]).unwrap_err();
    said.code(2).complains("CREATE EXTENSION select_loop");
}

#[test]
fn an_unknown_arm_lists_the_valid_ones() {
    let db = Database::filled();
    let said = measured(&db, "nope", &[]).unwrap_err();
    let said = said.code(2);
    for name in wire_arms().chain([
        "pgbench",
        "pgbench_simple",
        "pgbench_extended",
        "call_commit",
        "plpgsql",
        "plpgsql_execute",
    ]) {
        said.complains(name);
    }
    if !has_extension() {
        return skip("the server has no select_loop to list layers of");
    }
    said.complains("rescan");
}
