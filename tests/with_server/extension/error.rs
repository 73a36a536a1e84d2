//! Wrong arguments, and tables that are not there (cases.md 1): PostgreSQL's codes, its manner, and what to do.

use super::connection::Connection;
use super::layer::{Subject, layers};
use super::{empty, filled};

#[test]
fn an_unknown_layer_lists_them_all() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let failure = connection.failure("select * from select_loop('nope')");
    failure.is("22023").says("unknown layer \"nope\"").says("Valid layers are ");
    for layer in layers(&connection) {
        failure.says(&layer.name);
    }
    connection.failure("select * from select_loop('')").is("22023");
    connection.failure("select * from select_loop('Plpgsql')").is("22023");
}

#[test]
fn nulls_and_senseless_numbers_are_refused_by_every_layer() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.failure("select * from select_loop(NULL)").is("22004").says("layer");
    for layer in layers(&connection) {
        let name = &layer.name;
        for (arguments, code, text) in [
            ("NULL", "22004", "selects"),
            ("10, seed => NULL", "22004", "seed"),
            ("10, distribution => NULL", "22004", "distribution"),
            ("-1", "22023", "-1"),
            ("-9223372036854775808", "22023", "negative"),
            (
                "10, distribution => 'normal'",
                "22023",
                "Valid distributions are uniform, zipfian, gaussian, exponential.",
            ),
            ("10, distribution => 'uniform', skew => 1", "22023", "skew"),
            ("10, distribution => 'zipfian', skew => 1", "22023", "from 1.001 to 1000"),
            ("10, distribution => 'zipfian', skew => 'NaN'", "22023", "skew"),
            ("10, distribution => 'gaussian', skew => 1.9", "22023", "2 or more"),
            ("10, distribution => 'gaussian', skew => 'infinity'", "22023", "2 or more"),
            ("10, distribution => 'exponential', skew => 0", "22023", "above 0"),
        ] {
            connection.failure(&format!("select * from select_loop('{name}', {arguments})")).is(code).says(text);
        }
    }
}

#[test]
fn missing_tables_name_the_ways_to_make_them_and_the_database() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    let mut calls: Vec<_> =
        layers(&connection).iter().map(|layer| format!("select * from select_loop('{}')", layer.name)).collect();
    calls.push("select select_loop_warm()".into());
    for call in calls {
        let failure = connection.failure(&call);
        failure.is("42P01").says("relation \"pgbench_accounts\" does not exist");
        for way in ["select_loop_setup()", "sps init", "pgbench -i", &database.name] {
            assert!(failure.hint.contains(way), "{way} in {failure:?}");
        }
    }
}

#[test]
fn tables_on_the_search_path_are_found_and_those_off_it_are_not() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("create schema elsewhere; alter table pgbench_accounts set schema elsewhere");
    connection.failure("select * from select_loop('rescan', 10)").is("42P01");
    connection.run("set search_path = elsewhere, public");
    for layer in layers(&connection) {
        connection.run(&format!("select * from select_loop('{}', 10)", layer.name));
    }
}

#[test]
fn a_dropped_table_is_named_by_its_oid() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("create table gone (k int primary key)");
    let oid = connection.value("select 'gone'::regclass::oid::text");
    connection.run("drop table gone");
    let subject = Subject { relation: oid.clone(), ..Subject::accounts() };
    subject.refused(&connection, "42P01", &oid);
    connection.failure(&format!("select select_loop_warm({oid})")).is("42P01").says(&oid);
}

#[test]
fn what_is_no_table_is_refused_as_such() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create sequence s; create type composite as (aid int, abalance int);
         create materialized view m as select aid, abalance from pgbench_accounts limit 100;
         create unique index on m (aid)",
    );
    for relation in ["s", "composite", "m", "pgbench_accounts_pkey"] {
        let subject = Subject { relation: relation.into(), ..Subject::accounts() };
        subject.refused(&connection, "42809", relation);
        connection.failure(&format!("select select_loop_warm('{relation}')")).is("42809");
    }
    connection.failure("select select_loop_warm('select_loop')").is("42P01");
}

#[test]
fn tables_without_rows_or_a_usable_key_say_what_is_missing() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table empty (aid int primary key, abalance int);
         create table keyless (aid int unique, abalance int);
         create table pair (a int, b int, primary key (a, b));
         create table textual (aid text primary key);
         create table wide (aid bigint primary key);
         insert into keyless values (1, 1); insert into pair values (1, 1); insert into textual values ('1');
         insert into wide values (-9223372036854775808), (9223372036854775807);
         create view keyless_view as select aid as id from keyless; create view text_view as select aid from textual",
    );
    for (relation, code, text) in [
        ("empty", "55000", "is empty"),
        ("keyless", "55000", "It has no primary key."),
        ("pair", "55000", "Its primary key has 2 columns."),
        ("textual", "55000", "not of type smallint, integer or bigint"),
        ("wide", "22003", "bigint out of range"),
        ("keyless_view", "55000", "no integer column aid"),
        ("text_view", "55000", "no integer column aid"),
    ] {
        let subject = Subject { relation: relation.into(), ..Subject::accounts() };
        subject.refused(&connection, code, text);
    }
}
