//! `select_loop_setup` makes pgbench's tables; `select_loop_warm` reads them in.

use std::process::Command;

use super::connection::Connection;
use super::layer::{Subject, layers};
use super::{empty, filled};
use crate::init::{catalog, content};
use crate::support::{Database, run};

#[test]
fn tables_are_those_of_pgbench() {
    for (arguments, options) in [("", &[][..]), ("2, 80, true", &["-s", "2", "-F", "80", "--unlogged-tables"])] {
        let Some(mine) = empty() else { return };
        let reference = Database::empty();
        let connection = Connection::new(&mine);
        let row = &connection.rows(&format!("select * from select_loop_setup({arguments})"))[0];
        let number = |column: usize| row[column].as_ref().unwrap().parse::<i64>().unwrap();
        run(Command::new("pgbench").arg("-iq").args(options).arg(&reference.name)).code(0);
        assert_eq!(catalog(&mine), catalog(&reference), "{arguments}");
        assert_eq!(content(&mine), content(&reference), "{arguments}");
        assert_eq!(number(1), connection.number("select count(*) from pgbench_accounts"));
        assert_eq!(number(0) * 100_000, number(1));
        let bytes = "select sum(pg_total_relation_size(oid))::bigint from pg_class where relname ~ '^pgbench_' and relkind = 'r'";
        assert_eq!(number(2), connection.number(bytes));
        assert!(number(3) > 0);
        assert_eq!(connection.number("select sum(abalance)::bigint from pgbench_accounts"), 0);
        // planned as they should be without anything further
        Subject::accounts().agrees(&connection);
    }
}

#[test]
fn pgbench_runs_on_them() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run("select select_loop_setup(fill => 'key')");
    for options in [&["-S", "-M", "prepared"][..], &["-N"], &[]] {
        let mut pgbench = Command::new("pgbench");
        let said = run(pgbench.args(["-n", "-c", "2", "-t", "50"]).args(options).arg(&database.name));
        assert!(said.code(0).stdout.contains("scaling factor: 1"), "{said:?}");
    }
    assert_eq!(connection.number("select count(*) from pgbench_history"), 200);
    Subject::accounts().agrees(&connection);
}

#[test]
fn balances_follow_the_key_where_that_is_asked_for() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run("select select_loop_setup(2, fill => 'key')");
    let wrong = "select count(*) from pgbench_accounts where abalance is distinct from 1 + aid % 100003";
    assert_eq!(connection.number(wrong), 0);
}

#[test]
fn nothing_that_exists_is_dropped_unasked() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let failure = connection.failure("select * from select_loop_setup(2)");
    failure.is("42P07").says("already exists").says("replace => true");
    assert_eq!(connection.number("select count(*) from pgbench_accounts"), 100_000);
    connection.run("drop table pgbench_accounts, pgbench_branches, pgbench_tellers");
    connection.failure("select * from select_loop_setup()").is("42P07").says("pgbench_history");
    connection.failure("select * from pgbench_accounts").is("42P01");
    // whatever has the name: a view is nothing to be dropped by DROP TABLE
    connection.run("drop table pgbench_history; create view pgbench_history as select 1 as one");
    connection.failure("select * from select_loop_setup()").is("42P07");
    connection.failure("select * from select_loop_setup(replace => true)").is("42809");
    assert_eq!(connection.number("select one from pgbench_history"), 1);
    connection.run("drop view pgbench_history; select select_loop_setup()");
    connection.run("select select_loop_setup(2, replace => true)");
    assert_eq!(connection.number("select count(*) from pgbench_accounts"), 200_000);
    // what depends on a table is not the extension's to drop
    connection.run("create view mine as select * from pgbench_accounts");
    connection.failure("select * from select_loop_setup(replace => true)").says("other objects depend on them");
    assert_eq!(connection.number("select count(*) from mine"), 200_000);
}

#[test]
fn senseless_arguments_are_refused_before_anything_is_dropped() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    for (arguments, code, text) in [
        ("0", "22023", "scale must be at least 1"),
        ("-1", "22023", "-1"),
        ("1, 9", "22023", "fillfactor"),
        ("1, 101", "22023", "from 10 to 100"),
        ("fill => 'random'", "22023", "Valid fills are zero, key."),
        ("null", "22004", "scale"),
        ("1, null", "22004", "fillfactor"),
        ("unlogged => null", "22004", "unlogged"),
        ("fill => null", "22004", "fill"),
        ("replace => null", "22004", "replace"),
    ] {
        let call = format!("select * from select_loop_setup({arguments})");
        connection.failure(&call).is(code).says(text);
        let replacing = format!("select * from select_loop_setup({arguments}, replace => true)");
        if arguments != "replace => null" {
            connection.failure(&replacing).is(code).says(text);
        }
    }
    assert_eq!(connection.number("select count(*) from pgbench_accounts"), 100_000);
}

#[test]
fn tables_go_where_new_tables_go() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(r#"create schema "Odd {scale} 'Name'"; set search_path = "Odd {scale} 'Name'", public"#);
    connection.run("select select_loop_setup()");
    assert_eq!(
        connection.number(
            r#"select count(*) from pg_class where relnamespace = '"Odd {scale} ''Name''"'::regnamespace and relkind = 'r'"#
        ),
        4
    );
    for layer in layers(&connection) {
        connection.run(&format!("select * from select_loop('{}', 10)", layer.name));
    }
    // no schema to create in
    connection.run("set search_path = nowhere");
    connection.failure("select * from public.select_loop_setup()").is("3F000");
    // an unprivileged user is told by the server
    let role = format!("role_{}", database.name);
    connection.run(&format!(
        "reset search_path; create role {role}; create schema closed; set role {role}; set search_path = closed"
    ));
    let failure = connection.failure("select * from public.select_loop_setup()");
    assert!(["42501", "3F000"].contains(&&*failure.code), "{failure:?}");
    connection.run(&format!("reset role; drop role {role}"));
}

#[test]
fn warming_reads_every_page_of_table_and_index() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let pages = "select (pg_relation_size('pgbench_accounts') + pg_relation_size('pgbench_accounts_pkey')) / 8192";
    let expected = connection.number(pages);
    assert_eq!(connection.number("select select_loop_warm()"), expected);
    assert_eq!(connection.number("select select_loop_warm('pgbench_accounts')"), expected);
    // nothing is left to read, once the planner has read its catalogs
    for layer in layers(&connection) {
        connection.run(&format!("select * from select_loop('{}', 10)", layer.name));
        let read = connection.number(&format!("select shared_read from select_loop('{}', 1000)", layer.name));
        assert_eq!(read, 0, "{}", layer.name);
    }
}
