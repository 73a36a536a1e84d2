//! Memory stays flat, however many selects a call does (cases.md 8).

use super::connection::Connection;
use super::filled;
use super::layer::{Kind, Layer, layers};

const FEW: i64 = 10_000;
const MANY: i64 = 1_000_000;
/// Builds with assertions check all of memory again and again, and take ten times as long.
const MANY_ASSERTED: i64 = 100_000;

/// Bytes of the session's longest-lived memory context and of all of them; highest resident set of its process, in kB.
fn memory(connection: &Connection, pid: i64) -> [i64; 3] {
    let top = connection.number("select total_bytes from pg_backend_memory_contexts where name = 'TopMemoryContext'");
    let all = connection.number("select sum(total_bytes)::bigint from pg_backend_memory_contexts");
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux tells VmHWM");
    [top, all, line.trim().trim_end_matches("kB").trim().parse().unwrap()]
}

#[test]
fn a_million_selects_in_sql_use_no_more_than_ten_thousand() {
    stays_flat(|layer| layer.kind == Kind::Sql && !layer.name.ends_with("_text"));
}

#[test]
fn a_million_selects_below_sql_use_no_more_than_ten_thousand() {
    stays_flat(|layer| layer.kind != Kind::Sql);
}

/// Apart from the others, since it takes as long as all of them.
#[test]
fn a_million_selects_as_text_use_no_more_than_ten_thousand() {
    stays_flat(|layer| layer.kind == Kind::Sql && layer.name.ends_with("_text"));
}

#[track_caller]
fn stays_flat(chosen: impl Fn(&Layer) -> bool) {
    let Some(database) = filled() else { return };
    for layer in layers(&Connection::new(&database)).iter().filter(|layer| chosen(layer)) {
        let connection = Connection::new(&database);
        let many = match connection.value("show debug_assertions").as_str() {
            "on" => MANY_ASSERTED,
            _ => MANY,
        };
        let pid = connection.number("select pg_backend_pid()");
        let call = |selects: i64| connection.run(&format!("select * from select_loop('{}', {selects})", layer.name));
        // pages of shared buffers count as resident once they are touched
        connection.run("select select_loop_warm()");
        call(FEW);
        // caches of the catalog queries below
        memory(&connection, pid);
        call(FEW);
        let before = memory(&connection, pid);
        call(many);
        let after = memory(&connection, pid);
        let grown = [0, 1, 2].map(|at| after[at] - before[at]);
        assert!(grown[0] <= 64 << 10 && grown[1] <= 64 << 10 && grown[2] <= 1 << 10, "{}: {grown:?}", layer.name);
        // and many calls no more than a few
        for _ in 0..50 {
            call(100);
        }
        let again = memory(&connection, pid);
        let grown = [0, 1, 2].map(|at| again[at] - after[at]);
        assert!(grown[0] <= 16 << 10 && grown[1] <= 64 << 10 && grown[2] <= 1 << 10, "{}: {grown:?}", layer.name);
    }
}

#[test]
fn failing_calls_pile_up_nothing() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create table rich (k int primary key, abalance bigint);
                    insert into rich select i, 9223372036854775807 / 2 from generate_series(1, 5000) i; analyze rich",
    );
    let pid = connection.number("select pg_backend_pid()");
    for layer in layers(&connection) {
        let fail = || {
            // both kinds of failure: noticed by us after the loop, raised by the server
            let _ = connection.try_rows(&format!("select * from select_loop('{}', 200, 'rich')", layer.name));
            let _ = connection.try_rows(&format!("select 1 / (found - 10) from select_loop('{}', 10)", layer.name));
        };
        (0..20).for_each(|_| fail());
        let before = memory(&connection, pid);
        (0..200).for_each(|_| fail());
        let after = memory(&connection, pid);
        let grown = [0, 1, 2].map(|at| after[at] - before[at]);
        assert!(grown[0] <= 16 << 10 && grown[1] <= 64 << 10 && grown[2] <= 1 << 10, "{}: {grown:?}", layer.name);
    }
    assert_eq!(connection.warnings(), [""; 0]);
}
