//! Layers write nothing: they run on a hot standby and in read-only transactions, and take no transaction id (cases.md
//! 14).

use super::connection::Connection;
use super::filled;
use super::layer::{Subject, layers};
use crate::standby::Standby;

#[test]
fn every_layer_runs_on_a_hot_standby() {
    let Some(database) = filled() else { return };
    let expected = Subject::accounts().expected(&Connection::new(&database));
    let standby = Standby::start();
    let connection = Connection::open(&standby.config(&database.name));
    assert_eq!(connection.value("select pg_is_in_recovery()::text"), "true");
    assert_eq!(Subject::accounts().agrees(&connection), expected);
    for layer in layers(&connection) {
        let call = format!("select * from select_loop('{}', 100, distribution => 'zipfian')", layer.name);
        connection.run(&call);
        connection.run(&format!("begin isolation level repeatable read; {call}; commit"));
    }
    assert!(connection.number("select select_loop_warm()") > 1000);
    connection.run("select * from select_loop_check()");
    connection.failure("select * from select_loop_setup(replace => true)").is("25006");
    assert_eq!(connection.warnings(), [""; 0]);
}

#[test]
fn every_layer_runs_read_only_and_takes_no_transaction_id() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("set default_transaction_read_only = on");
    let assigned = "select coalesce(pg_current_xact_id_if_assigned()::text, 'none')";
    for layer in layers(&connection) {
        for begin in ["begin", "begin read write", "begin isolation level repeatable read, read only"] {
            connection.run(begin);
            connection.run(&format!("select * from select_loop('{}', 1000)", layer.name));
            connection.run("savepoint a");
            connection.run(&format!("select * from select_loop('{}', 10, distribution => 'zipfian')", layer.name));
            assert_eq!(connection.value(assigned), "none", "{} after {begin}", layer.name);
            connection.run("commit");
        }
    }
    connection.run("begin; select select_loop_warm()");
    connection.run("select * from select_loop_check()");
    assert_eq!(connection.value(assigned), "none");
    connection.run("commit");
    connection.failure("select * from select_loop_setup(replace => true)").is("25006");
}
