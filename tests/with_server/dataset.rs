//! Any table with an integer primary key can be looked up in.

use sps::server::dataset::{disagreement, inspect};

use crate::support::Database;

#[test]
fn pgbench_s_tables_are_taken_as_they_are() {
    let database = Database::filled();
    let (data, lookup) = inspect(&database.session(), None).unwrap();
    assert_eq!(
        (data.relation.as_str(), data.scale, data.rows, data.min),
        ("public.pgbench_accounts", Some(1), 100_000, 1)
    );
    assert_eq!(data.index, "public.pgbench_accounts_pkey");
    assert_eq!(lookup.select("7"), "SELECT abalance FROM pgbench_accounts WHERE aid = 7;");
    assert_eq!(lookup.key_type, "integer");
    assert!(13_000_000 < data.table_bytes && 2_000_000 < data.index_bytes, "{data:?}");
    assert_eq!(disagreement(&data), None);
}

#[test]
fn names_that_need_quotes_keys_beyond_int4_and_negative_keys_work() {
    let database = Database::empty();
    let session = database.session();
    session
        .batch(
            "create schema \"Odd Name\";
             create table \"Odd Name\".\"it's \"\"odd\"\"\" (\"Key Col\" bigint primary key, abalance text);
             insert into \"Odd Name\".\"it's \"\"odd\"\"\" select 5000000000 + i, '' from generate_series(0, 9) i",
        )
        .unwrap();
    let (data, lookup) = inspect(&session, Some("\"Odd Name\".\"it's \"\"odd\"\"\"")).unwrap();
    assert_eq!((data.min, data.rows, data.scale), (5_000_000_000, 10, None));
    // abalance is no number there
    assert_eq!(lookup.value, "(\"Key Col\" & 2147483647)");
    let row = session.query_one(lookup.select("5000000001").trim_end_matches(';'), &[]).unwrap();
    assert_eq!(row.get::<_, i64>(0), 5_000_000_001 & 2_147_483_647);

    session
        .batch("create table small (k smallint primary key, abalance bigint); insert into small values (-5), (5)")
        .unwrap();
    let (data, lookup) = inspect(&session, Some("small")).unwrap();
    assert_eq!((data.min, data.rows), (-5, 11));
    assert_eq!((lookup.value.as_str(), lookup.key_type.as_str()), ("abalance", "smallint"));
}

#[test]
fn tables_are_found_through_the_search_path() {
    let database = Database::filled();
    let session = database.session();
    session
        .batch("create schema perf; alter table pgbench_accounts set schema perf; set search_path = perf, public")
        .unwrap();
    let (data, lookup) = inspect(&session, None).unwrap();
    assert_eq!((data.relation.as_str(), lookup.relation.as_str()), ("perf.pgbench_accounts", "pgbench_accounts"));
    // branches stayed behind in another schema
    assert_eq!(data.scale, None);
}

#[test]
fn a_missing_table_says_how_to_make_it_and_in_which_database() {
    let database = Database::empty();
    let error = inspect(&database.session(), None).unwrap_err();
    assert!(error.message.contains("42P01") && error.message.contains(&database.name), "{error}");
    let hint = error.hint.unwrap();
    for way in ["select_loop_setup()", "sps init", "pgbench -i", &database.name] {
        assert!(hint.contains(way), "{hint}");
    }
}

#[test]
fn tables_without_a_usable_key_rows_or_storage_are_refused() {
    let database = Database::filled();
    let session = database.session();
    session
        .batch(
            "create table keyless (k int); create table textual (k text primary key);
             create table pair (a int, b int, primary key (a, b)); create table empty (k int primary key);
             create table later (k int primary key deferrable); create view v as select 1 as k;
             create table elsewhere (k text primary key, i int unique); create table unkeyed (i int unique);
             create table wide (k bigint primary key);
             insert into wide values (-9223372036854775808), (9223372036854775807);
             alter table pgbench_accounts drop constraint pgbench_accounts_pkey",
        )
        .unwrap();
    for (table, expected) in [
        ("keyless", "no valid primary key"),
        ("textual", "no valid primary key"),
        ("pair", "no valid primary key"),
        ("later", "no valid primary key"),
        ("elsewhere", "no valid primary key"),
        ("unkeyed", "no valid primary key"),
        ("pgbench_accounts", "no valid primary key"),
        ("empty", "is empty"),
        ("wide", "span more than a bigint"),
        ("v", "is not a table"),
    ] {
        let error = inspect(&session, Some(table)).unwrap_err();
        assert!(error.message.contains(expected), "{table}: {error}");
    }
}

#[test]
fn where_the_primary_keys_index_cannot_be_used_another_on_its_column_is() {
    let database = Database::empty();
    let session = database.session();
    session
        .batch(
            "create table later (other int unique, k int primary key deferrable);
             create unique index whole on later (k); create unique index newer on later (k);
             insert into later values (1, 7)",
        )
        .unwrap();
    let (data, lookup) = inspect(&session, Some("later")).unwrap();
    assert_eq!((data.index.as_str(), lookup.key.as_str(), data.min), ("public.whole", "k", 7));
}
