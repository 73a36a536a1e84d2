//! Layers while others write, vacuum and change the table: every row is found, whatever version of it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::connection::Connection;
use super::filled;
use super::layer::looking;

#[test]
fn writers_and_vacuum_beside_a_layer_hide_no_row() {
    let Some(database) = filled() else { return };
    let connection = Connection::new(&database);
    // room for new versions beside old ones, so that most updates are HOT
    connection.run("alter table pgbench_accounts set (fillfactor = 80)");
    connection.run("vacuum full analyze pgbench_accounts");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let writer = Connection::new(&database);
            while !done.load(Ordering::Relaxed) {
                writer.run("update pgbench_accounts set abalance = abalance + 1 where aid % 20 = (random() * 20)::int");
                writer.run("vacuum (index_cleanup on, truncate off) pgbench_accounts");
                // throws away what the other session knows of the table
                writer.run("alter table pgbench_accounts set (parallel_workers = 0)");
                writer.run("analyze pgbench_accounts");
            }
        });
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for layer in looking(&connection).iter().cycle().take(60) {
                let call = format!("select_loop('{}', 3000, seed => (random() * 1e9)::bigint)", layer.name);
                let missed = format!("select coalesce(selects - found, 0) from {call}");
                // index_tid counts dead versions, too
                let missed = connection.number(&missed);
                assert!(missed == 0 || (missed < 0 && layer.name == "index_tid"), "{} missed {missed}", layer.name);
            }
        }));
        done.store(true, Ordering::Relaxed);
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    assert_eq!(connection.warnings(), [""; 0]);
}
