//! Every layer stops when told, and leaves nothing behind when it fails (cases.md 9 and 10).

use super::connection::{Connection, Failure};
use super::filled;
use super::layer::{Kind, Subject, layers};

/// Minutes of any layer, and within what a FOR loop of PL/pgSQL counts.
const ENDLESS: i64 = 2_000_000_000;

/// Asserts that the session is as good as new: nothing leaked, the next run right.
#[track_caller]
fn usable(connection: &Connection, layer: &str) {
    assert_eq!(connection.warnings(), [""; 0], "{layer}");
    let subject = Subject::accounts().selects(500);
    let expected = subject.expected(connection);
    let found = layers(connection).into_iter().find(|found| found.name == layer).unwrap();
    found.check(subject.layer(connection, layer), expected, &subject);
    assert_eq!(connection.warnings(), [""; 0], "{layer}");
}

/// Timing and signals: nothing runs beside them.
mod alone {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::support::Database;

    /// How long a layer may go on once told to stop: ten times what is promised, for a busy machine.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Starts the endless call of a layer, has another session run `signal` with its process id once it is in the loop,
    /// and returns how it ended, within the time allowed.
    #[track_caller]
    fn told(database: &Database, connection: &Connection, layer: &str, signal: &str) -> Failure {
        let pid = connection.number("select pg_backend_pid()");
        let config = database.config();
        let signal = format!("select {signal}({pid})");
        let teller = std::thread::spawn(move || {
            let other = Connection::open(&config);
            std::thread::sleep(Duration::from_millis(150));
            let told = Instant::now();
            assert_eq!(other.value(&signal), "t");
            told
        });
        let failure =
            connection.failure(&format!("select * from {}", Subject::accounts().selects(ENDLESS).call(layer)));
        let ended = Instant::now();
        let waited = ended - teller.join().unwrap();
        assert!(waited < PATIENCE, "{layer} went on for {waited:?}");
        failure
    }

    #[test]
    fn a_cancel_ends_every_layer() {
        let Some(database) = filled() else { return };
        let connection = Connection::new(&database);
        for layer in layers(&connection) {
            told(&database, &connection, &layer.name, "pg_cancel_backend").is("57014").says("user request");
            usable(&connection, &layer.name);
        }
    }

    #[test]
    fn a_cancel_within_a_transaction_leaves_its_savepoint() {
        let Some(database) = filled() else { return };
        let connection = Connection::new(&database);
        for layer in layers(&connection) {
            connection.run("begin; update pgbench_branches set bbalance = 7; savepoint a");
            told(&database, &connection, &layer.name, "pg_cancel_backend").is("57014");
            connection.run("rollback to a");
            usable(&connection, &layer.name);
            assert_eq!(connection.number("select bbalance from pgbench_branches"), 7);
            connection.run("commit");
            assert_eq!(connection.warnings(), [""; 0], "{}", layer.name);
        }
    }

    #[test]
    fn statement_timeout_ends_every_layer() {
        let Some(database) = filled() else { return };
        let connection = Connection::new(&database);
        for layer in layers(&connection) {
            connection.run("set statement_timeout = 150");
            let begun = Instant::now();
            let call = format!("select * from {}", Subject::accounts().selects(ENDLESS).call(&layer.name));
            connection.failure(&call).is("57014").says("statement timeout");
            assert!(begun.elapsed() < PATIENCE + Duration::from_millis(150), "{}: {:?}", layer.name, begun.elapsed());
            connection.run("reset statement_timeout");
            usable(&connection, &layer.name);
        }
    }

    #[test]
    fn terminate_ends_every_layer() {
        let Some(database) = filled() else { return };
        let watcher = Connection::new(&database);
        for layer in layers(&watcher) {
            let connection = Connection::new(&database);
            let pid = connection.number("select pg_backend_pid()");
            let failure = told(&database, &connection, &layer.name, "pg_terminate_backend");
            assert!(failure.code == "57P01" || failure.code.is_empty(), "{}: {failure:?}", layer.name);
            let begun = Instant::now();
            let there = format!("select count(*) from pg_stat_activity where pid = {pid}");
            while watcher.number(&there) > 0 {
                assert!(begun.elapsed() < PATIENCE, "{} is still there", layer.name);
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        // no crash: this session would have been thrown out
        usable(&watcher, "rescan");
    }

    #[test]
    fn set_up_and_warming_can_be_cancelled() {
        let Some(database) = filled() else { return };
        let connection = Connection::new(&database);
        connection.run("set statement_timeout = 100");
        connection.failure("select * from select_loop_setup(1000, replace => true)").is("57014");
        connection.run("reset statement_timeout");
        usable(&connection, "index");
        assert_eq!(connection.number("select count(*) from pgbench_accounts"), 100_000);
    }
}

#[test]
fn a_select_that_fails_in_mid_loop_leaves_nothing_behind() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    connection.run(
        "create view fails as select aid, 100 / (aid % 100) as abalance from pgbench_accounts;
         create function careful(aid int) returns bool language plpgsql as
           $$ begin if aid % 100 = 50 then raise 'not this one'; end if; return true; end $$;
         create view raises as select aid, abalance from pgbench_accounts where careful(aid)",
    );
    for (view, code) in [("fails", "22012"), ("raises", "P0001")] {
        let subject = Subject::new(view, "aid", "abalance");
        for layer in layers(&connection).iter().filter(|layer| layer.kind == Kind::Sql) {
            for _ in 0..2 {
                assert_eq!(subject.try_layer(&connection, &layer.name).unwrap_err().code, code, "{}", layer.name);
                usable(&connection, &layer.name);
            }
            connection.run("begin; savepoint a");
            assert_eq!(subject.try_layer(&connection, &layer.name).unwrap_err().code, code, "{}", layer.name);
            connection.run("rollback to a");
            usable(&connection, &layer.name);
            connection.run("commit");
            assert_eq!(connection.warnings(), [""; 0], "{}", layer.name);
        }
    }
}
