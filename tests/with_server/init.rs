//! `sps init` makes what `pgbench -i` makes.

use std::process::Command;

use crate::support::{Database, run};

/// Everything that the catalog says of pgbench's tables, one line a fact.
pub fn catalog(database: &Database) -> Vec<String> {
    let rows = database.session().query(
        "with t as (select oid, relname, relpersistence, reloptions from pg_class where relname ~ '^pgbench_' and relkind = 'r')
         select format('%s %s %s', relname, relpersistence, reloptions) from t
         union all
         select format('%s %s %s %s %s', relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull)
           from t join pg_attribute on attrelid = t.oid where attnum > 0
         union all
         select format('%s %s %s', relname, conname, pg_get_constraintdef(c.oid)) from t join pg_constraint c on conrelid = t.oid
         union all
         select format('%s %s', relname, pg_get_indexdef(indexrelid)) from t join pg_index on indrelid = t.oid
         order by 1",
        &[],
    );
    rows.unwrap().iter().map(|row| row.get(0)).collect()
}

/// Numbers that say whether the rows are the same, whatever their order.
pub fn content(database: &Database) -> Vec<String> {
    let rows = database.session().query(
        "select 'accounts ' || md5(string_agg(format('%s %s %s|', aid, bid, filler), ',' order by aid)) from pgbench_accounts
         union all select 'tellers ' || string_agg(t::text, ',' order by tid) from pgbench_tellers t
         union all select 'branches ' || string_agg(b::text, ',' order by bid) from pgbench_branches b
         union all select 'history ' || count(*) from pgbench_history",
        &[],
    );
    rows.unwrap().iter().map(|row| row.get(0)).collect()
}

fn pgbench(database: &Database, args: &[&str]) {
    let said = run(Command::new("pgbench").arg("-iq").args(args).arg(&database.name));
    said.code(0);
}

#[test]
fn tables_are_those_of_pgbench_for_every_option() {
    for (ours, theirs) in [
        (&["-s", "2"][..], &["-s", "2"][..]),
        (&["-s", "1", "-F", "80", "--unlogged"], &["-s", "1", "-F", "80", "--unlogged-tables"]),
    ] {
        let (mine, reference) = (Database::empty(), Database::empty());
        run(mine.sps(&["init"]).args(ours)).code(0);
        pgbench(&reference, theirs);
        assert_eq!(catalog(&mine), catalog(&reference), "{ours:?}");
        assert_eq!(content(&mine), content(&reference), "{ours:?}");
    }
}

#[test]
fn balances_follow_the_key_or_are_zero() {
    let database = Database::empty();
    for (fill, expected) in [("key", "1 + aid % 100003"), ("zero", "0")] {
        run(&mut database.sps(&["init", "--replace", "--fill", fill])).code(0);
        let wrong = format!("select count(*) from pgbench_accounts where abalance is distinct from {expected}");
        assert_eq!(database.session().query_one(&wrong, &[]).unwrap().get::<_, i64>(0), 0, "{fill}");
    }
    // vacuumed: lookups set no hint bits, and index-only plans know their pages
    let row = database
        .session()
        .query_one("select relallvisible = relpages, reltuples from pg_class where relname = 'pgbench_accounts'", &[])
        .unwrap();
    assert!(row.get::<_, bool>(0) && row.get::<_, f32>(1) == 100_000.0);
}

#[test]
fn nothing_that_exists_is_dropped_unasked() {
    let database = Database::empty();
    database
        .session()
        .batch("create table pgbench_history (precious int); insert into pgbench_history values (42)")
        .unwrap();
    run(&mut database.sps(&["init"])).code(1).complains("42P07").complains("--replace");
    let session = database.session();
    assert_eq!(session.query_one("select precious from pgbench_history", &[]).unwrap().get::<_, i32>(0), 42);
    assert!(session.query("select from pgbench_accounts", &[]).is_err(), "half of the tables were made");
    run(&mut database.sps(&["init", "--replace"])).code(0);
    assert_eq!(content(&database).len(), 4);
}

#[test]
fn more_than_the_disk_holds_is_refused_beforehand() {
    let database = Database::empty();
    let said = run(&mut database.sps(&["init", "-s", "1000000"]));
    said.code(1).complains("not enough disk space").complains("GB needed").complains("100000000000 accounts");
    assert!(database.session().query("select from pgbench_branches", &[]).is_err());
}

#[test]
fn a_server_has_to_be_named() {
    run(&mut crate::support::sps(&["init"])).code(2).complains("no server is named").complains("PGHOST");
    run(&mut crate::support::sps(&["init", "--private"])).code(2).complains("--private");
}

#[test]
fn a_full_standard_error_is_no_reason_to_fail() {
    let database = Database::empty();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    run(database.sps(&["init"]).stderr(full)).code(0);
    assert_eq!(content(&database).len(), 4);
}
