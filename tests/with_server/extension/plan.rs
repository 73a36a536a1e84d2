//! A lookup that is not planned as an index scan on the key is refused, not measured (cases.md 2).

use std::time::{Duration, Instant};

use super::connection::Connection;
use super::layer::{Kind, Subject, layers, looking};
use super::{empty, filled};

/// Selects that would take minutes: a refusal comes before the first.
const MANY: i64 = 2_000_000_000;

#[track_caller]
fn refuses_at_once(connection: &Connection, subject: &Subject, kind: Kind, text: &str) {
    let begun = Instant::now();
    subject.clone().selects(MANY).kind_refuses(connection, kind, "55000", text);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn with_index_scans_switched_off() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let subject = Subject::accounts();
    let expected = subject.agrees(&connection);
    connection.run("set enable_indexscan = off");
    let mut refused = 0;
    for layer in looking(&connection) {
        match subject.try_layer(&connection, &layer.name) {
            // does not ask the planner, or switches off all that the planner could take instead
            Ok(answer) if layer.kind == Kind::Raw || layer.name == "nested_loop" => {
                layer.check(answer, expected, &subject)
            }
            Ok(answer) => panic!("{} answers {answer:?}", layer.name),
            Err(failure) => {
                failure.is("55000").says("is not planned as an index scan on its key").says("The plan is a ");
                failure.says("enable_indexscan");
                refused += 1;
            }
        }
    }
    assert!(refused >= 3);
    let failure = subject.clone().selects(MANY).try_layer(&connection, "spi").unwrap_err();
    failure.says("The plan is a Bitmap Heap Scan.");
    connection.run("set enable_bitmapscan = off");
    subject.try_layer(&connection, "spi").unwrap_err().says("The plan is a Seq Scan.");
    connection.run("reset all");
    assert_eq!(subject.agrees(&connection), expected);
}

#[test]
fn on_a_table_of_one_page() {
    let Some(database) = empty() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table pgbench_accounts (aid int primary key, abalance int);
         insert into pgbench_accounts select i, i from generate_series(1, 20) i",
    );
    let subject = Subject::accounts();
    for analyze in ["", "analyze pgbench_accounts"] {
        connection.run(analyze);
        let expected = subject.expected(&connection);
        for layer in looking(&connection) {
            match subject.try_layer(&connection, &layer.name) {
                Ok(answer) => layer.check(answer, expected, &subject),
                Err(failure) => {
                    failure.is("55000").says("The plan is a ").says("ANALYZE").says("SET enable_seqscan = off");
                }
            }
        }
    }
    let failure = subject.clone().selects(MANY).try_layer(&connection, "executor").unwrap_err();
    failure.is("55000").says("The plan is a Seq Scan.");
    // the hint's own advice
    connection.run("set enable_seqscan = off");
    subject.agrees(&connection);
}

#[test]
fn with_an_invalid_index() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    for column in ["indisvalid", "indisready"] {
        connection
            .run(&format!("update pg_index set {column} = false where indexrelid = 'pgbench_accounts_pkey'::regclass"));
        let fault = if column == "indisvalid" { "is not valid" } else { "is not ready" };
        if column == "indisvalid" {
            refuses_at_once(&connection, &Subject::accounts(), Kind::Sql, "The plan is a ");
        }
        refuses_at_once(&connection, &Subject::accounts(), Kind::Raw, fault);
        connection
            .run(&format!("update pg_index set {column} = true where indexrelid = 'pgbench_accounts_pkey'::regclass"));
        Subject::accounts().agrees(&connection);
    }
}

#[test]
fn without_a_primary_key() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("alter table pgbench_accounts drop constraint pgbench_accounts_pkey");
    for kind in [Kind::Sql, Kind::Raw, Kind::Control] {
        refuses_at_once(&connection, &Subject::accounts(), kind, "It has no primary key.");
    }
    connection.run("alter table pgbench_accounts add primary key (aid, filler)");
    Subject::accounts().refused(&connection, "55000", "Its primary key has 2 columns.");
}

#[test]
fn by_another_index_than_the_key_s_own() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run("create index covering on pgbench_accounts (aid) include (abalance); analyze pgbench_accounts");
    let subject = Subject::accounts();
    let expected = subject.expected(&connection);
    for layer in looking(&connection) {
        match subject.try_layer(&connection, &layer.name) {
            Ok(answer) => layer.check(answer, expected, &subject),
            Err(failure) => {
                failure.is("55000").says("another index than \"pgbench_accounts_pkey\"");
            }
        }
    }
}

#[test]
fn settings_of_the_session_that_suit_no_lookup_are_overruled_or_told() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    let all = layers(&connection);
    for setting in [
        "jit = on; set jit_above_cost = 0",
        "plan_cache_mode = force_custom_plan",
        "plan_cache_mode = force_generic_plan",
        "enable_nestloop = off",
        "enable_indexonlyscan = off",
        "track_counts = off",
        "search_path = ''",
        "standard_conforming_strings = off",
        "default_transaction_read_only = on",
        "work_mem = 64",
        "cpu_operator_cost = 100",
        "statement_timeout = 100000",
        "debug_parallel_query = on; set max_parallel_workers_per_gather = 4",
        "extra_float_digits = -15",
        "lc_messages = 'C'; set datestyle = 'SQL, DMY'; set intervalstyle = 'postgres_verbose'",
        "plpgsql.variable_conflict = 'error'; set plpgsql.extra_errors = 'all'",
    ] {
        connection.run("reset all");
        if connection.try_rows(&format!("set {setting}")).is_err() {
            // its name before PostgreSQL 16
            connection.run(&format!("set {}", setting.replace("debug_parallel_query", "force_parallel_mode")));
        }
        let subject = Subject { relation: "public.pgbench_accounts".into(), ..Subject::accounts() }
            .selects(if setting.starts_with("jit") || setting.starts_with("debug") { 2 } else { 100 });
        let expected = subject.expected(&connection);
        for layer in &all {
            let call = format!("select found, checksum from public.{}", subject.call(&layer.name));
            let rows = match connection.try_rows(&call) {
                Ok(rows) => rows,
                // a statement planned anew may go to a worker, whose scans this backend does not count
                Err(failure) if setting.starts_with("debug_parallel_query") => {
                    failure.is("55000").says("index scan");
                    continue;
                }
                Err(failure) => panic!("{} under {setting}: {failure:?}", layer.name),
            };
            let number = |column: usize| rows[0][column].as_ref().map(|text| text.parse().unwrap());
            layer.check(super::layer::Answer { found: number(0), checksum: number(1) }, expected, &subject);
        }
    }
    assert_eq!(connection.warnings(), [""; 0]);
}
