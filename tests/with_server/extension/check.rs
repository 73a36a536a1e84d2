//! `select_loop_check` and `select_loop_ladder`: what distorts, and what each layer costs.

use super::connection::{Connection, Row};
use super::layer::{Kind, layers};
use super::{empty, filled};

fn item<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    rows.iter().find(|row| row[0].as_deref() == Some(name)).unwrap_or_else(|| panic!("no {name} in {rows:?}"))
}

#[test]
fn what_distorts_has_a_hint_and_what_does_not_has_none() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("set log_statement = 'all'; set track_counts = off; set statement_timeout = '1min'");
    let rows = connection.rows("select * from select_loop_check()");
    for bad in ["log_statement", "track_counts", "statement_timeout"] {
        assert_eq!(item(&rows, bad)[2].as_deref(), Some("f"), "{bad}");
    }
    for row in &rows {
        assert_eq!(row[2].as_deref() == Some("f"), row[3].as_ref().is_some_and(|hint| hint.len() > 20), "{row:?}");
        assert!(row[1].is_some(), "{row:?}");
    }
    connection.run("reset all; set enable_indexscan = off; set enable_bitmapscan = off");
    let rows = connection.rows("select * from select_loop_check('pgbench_accounts')");
    let refused: Vec<&Row> = rows.iter().filter(|row| row[1].as_deref() == Some("Seq Scan")).collect();
    assert!(refused.len() == 1 && refused[0][2].as_deref() == Some("f"), "{rows:?}");
}

#[test]
fn what_cannot_be_checked_is_an_error() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.failure("select * from select_loop_check()").is("42P01").says(&database.name);
    connection.run(&format!("create table t (k int primary key); create role role_{}", database.name));
    connection.run(&format!("insert into t values (1); set role role_{}", database.name));
    connection.failure("select * from select_loop_check('t')").is("42501");
    connection.run(&format!("reset role; drop role role_{}", database.name));
}

#[test]
fn the_ladder_has_every_layer_once_and_the_steps_between_them() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let rows = connection.rows("select * from select_loop_ladder(2000, 2)");
    let mut expected = layers(&connection);
    expected.sort_by_key(|layer| layer.kind == Kind::Control);
    let names: Vec<_> = rows.iter().map(|row| row[0].clone().unwrap()).collect();
    assert_eq!(names, expected.iter().map(|layer| layer.name.clone()).collect::<Vec<_>>());
    let costs: Vec<f64> = rows.iter().map(|row| row[1].as_ref().unwrap().parse().unwrap()).collect();
    for (at, layer) in expected.iter().enumerate() {
        assert!(costs[at] > 0.0, "{rows:?}");
        match &rows[at][2] {
            Some(delta) => {
                let delta: f64 = delta.parse().unwrap();
                assert!(at > 0 && (costs[at - 1] - costs[at] - delta).abs() < 1e-6 * costs[at - 1], "{rows:?}");
            }
            None => assert!(at == 0 || layer.kind == Kind::Control, "{rows:?}"),
        }
    }
    for (arguments, code) in [
        ("null", "22004"),
        ("100, null", "22004"),
        ("0", "22023"),
        ("-1", "22023"),
        ("100, 0", "22023"),
        ("100, -1", "22023"),
    ] {
        connection.failure(&format!("select * from select_loop_ladder({arguments})")).is(code);
    }
}
