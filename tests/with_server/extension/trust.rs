//! What others may have left about: functions by our names, settings that a view's function changes, letters beyond ASCII.

use super::connection::Connection;
use super::layer::{Kind, Subject, layers, looking};
use super::{empty, filled};
use crate::support::Database;

#[test]
fn a_function_of_another_s_in_the_extension_s_schema_is_not_taken_for_ours() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let call =
        |layer: &str| format!("select found, checksum from select_loop('{layer}', 50, distribution => 'zipfian')");
    let before = connection.rows(&call("spi"));
    for arguments in [
        "bigint, integer, bigint, text, float8",
        "bigint, bigint, bigint, varchar, float8",
        "bigint, bigint, bigint, text, numeric",
    ] {
        connection.run(&format!(
            "create function select_loop_key({arguments}) returns bigint language plpgsql
             as $$ begin raise 'sprung'; end $$"
        ));
    }
    for layer in looking(&connection).iter().filter(|layer| layer.kind == Kind::Sql) {
        assert_eq!(connection.rows(&call(&layer.name)), before, "{}", layer.name);
    }
}

#[test]
fn settings_that_a_view_s_function_changes_are_as_after_plain_sql() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create function change(key int) returns int language plpgsql as
           $$ begin
                perform set_config(name, 'off', false)
                  from (values ('enable_indexonlyscan'), ('enable_hashjoin'), ('enable_material'), ('jit')) v (name);
                perform set_config('sps.selects', '7', false);
                return key;
              end $$;
         create view changing as select aid, public.change(abalance) as abalance from pgbench_accounts;
         create view early as select aid, abalance from pgbench_accounts where public.change(1) = 1",
    );
    for view in ["changing", "early"] {
        for layer in layers(&connection).iter().filter(|layer| layer.kind == Kind::Sql) {
            connection.run("reset all");
            // right or refused; the server lives
            let _ = Subject::new(view, "aid", "abalance").selects(20).try_layer(&connection, &layer.name);
            connection.run(&format!("select * from select_loop('{}', 20)", layer.name));
        }
    }
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn names_in_an_encoding_other_than_utf_8() {
    if empty().is_none() {
        return;
    }
    for (encoding, name) in [("latin1", "\u{e9}\u{df}"), ("euc_jp", "\u{8868}"), ("sql_ascii", "\u{e9}\u{df}")] {
        let database = Database::encoded(encoding);
        let connection = Connection::new(&database);
        connection.run(&format!(
            "set client_encoding = utf8; create schema \"s{name}\"; set search_path = \"s{name}\";
             create table \"t{name}\" (\"k{name}\" int primary key, abalance int);
             insert into \"t{name}\" select i * 2, i from generate_series(1, 3000) i; analyze;
             create extension select_loop schema \"s{name}\""
        ));
        for layer in looking(&connection) {
            let call = format!("select_loop('{}', 500, '\"t{name}\"', distribution => 'gaussian')", layer.name);
            assert!(
                connection.number(&format!("select coalesce(found, 1) from {call}")) > 0,
                "{encoding} {}",
                layer.name
            );
        }
        connection.run("select * from select_loop_setup(); select * from select_loop_check()");
        let failure = connection.failure("select * from select_loop('index', 1, 'pg_class')");
        failure.is("55000").says("pg_class");
    }
}
