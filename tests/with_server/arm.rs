//! What each arm sends while it is measured, seen from the server's side.

use sps::error::Exit;
use sps::wire::LeanConnection;

use crate::support::tap::{Message, Tap};
use crate::support::{Database, run};

/// Runs `units` of `arm` through a tap; what its connection sent at the end, `messages` of them.
fn sent(arm: &str, units: &str, messages: usize, ends: impl Fn(&[Message]) -> bool) -> (Tap, Vec<Message>) {
    let db = Database::filled();
    let tap = Tap::start();
    let args = ["run", "--arm", arm, "--pin", "free", "-t", units, "--selects", "500", "--record", "/dev/null"];
    let mut command = db.sps(&args);
    run(command.env("PGHOST", tap.folder()).env("PGPORT", "5432")).code(0);
    let tails = tap.connections().into_iter().filter(|all| all.len() >= messages);
    let found = tails.map(|all| all[all.len() - messages..].to_vec()).find(|tail| ends(tail));
    let found = found
        .unwrap_or_else(|| panic!("{arm}: {:?}", tap.connections().iter().map(|all| tags(all)).collect::<Vec<_>>()));
    (tap, found)
}

fn tags(messages: &[Message]) -> String {
    messages.iter().map(|(tag, _)| *tag).collect()
}

fn text(message: &Message) -> String {
    String::from_utf8_lossy(&message.1).trim_end_matches('\0').to_owned()
}

/// The last messages are `expected`, by their tags.
#[track_caller]
fn sends(arm: &str, units: &str, expected: &str) -> (Tap, Vec<Message>) {
    sent(arm, units, expected.len(), |tail| tags(tail) == expected)
}

#[test]
fn prepared_selects_of_a_transaction_lie_between_begin_and_commit() {
    let (_tap, messages) = sends("prepared_transaction", "20", &format!("Q{}Q", "BDES".repeat(20)));
    assert_eq!((text(&messages[0]), text(messages.last().unwrap())), ("BEGIN".into(), "COMMIT".into()));
}

#[test]
fn a_pipeline_sends_a_sync_after_each_select_and_has_sixteen_under_way() {
    let (tap, messages) = sends("pipeline", "100", &"BDES".repeat(100));
    assert_eq!(tap.most_at_once('S'), 16);
    assert!(messages.iter().filter(|(tag, _)| *tag == 'B').all(|(_, body)| body.starts_with(b"\0P_0\0")));
}

#[test]
fn controls_look_nothing_up() {
    sends("sync", "20", &"S".repeat(20));
    let (tap, messages) = sends("select_one", "20", &"BDES".repeat(20));
    // no portal name, the statement, no formats, no parameters, one format: text
    assert_eq!(messages[0].1, b"\0P_0\0\0\0\0\0\0\x01\0\0");
    let prepared = |messages: &Vec<Message>| messages.iter().any(|message| text(message) == "P_0\0SELECT 1;");
    assert!(tap.connections().iter().any(prepared));
}

#[test]
fn a_committing_loop_is_alone_in_its_message_with_arguments_sent_before() {
    let loops = |tail: &[Message]| tail.iter().all(|(tag, _)| *tag == 'Q') && text(&tail[1]).contains("sps_loop");
    let (_tap, messages) = sent("call_commit", "1", 3, loops);
    let [arguments, block, results] = [0, 1, 2].map(|at| text(&messages[at]));
    assert!(arguments.starts_with("SELECT set_config('sps.selects', '500'"), "{arguments}");
    assert!(block.starts_with("DO ") && block.contains("    COMMIT;\n    IF FOUND THEN"), "{block}");
    assert!(results.starts_with("SELECT current_setting('sps.found')"), "{results}");
}

#[test]
fn tokio_postgres_sends_what_its_query_function_sends() {
    sends("tokio", "20", &"BES".repeat(20));
}

#[test]
fn each_select_of_a_committing_loop_is_a_transaction() {
    let db = Database::filled();
    let args =
        ["run", "--arm", "call_commit", "--pin", "free", "-t", "1", "--selects", "5000", "--record", "/dev/null"];
    let commits = || -> i64 {
        let session = db.session();
        session.batch("select pg_stat_clear_snapshot()").unwrap();
        let sql = "select xact_commit from pg_stat_database where datname = current_database()";
        session.query_one(sql, &[]).unwrap().get(0)
    };
    let before = commits();
    run(&mut db.sps(&args)).code(0);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    // 5,000 timed and 1,000 to warm up; counters are flushed when the backend ends
    while commits() - before < 6000 {
        assert!(std::time::Instant::now() < deadline, "{} commits", commits() - before);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(commits() - before < 6200);
}

#[test]
fn a_loop_that_commits_inside_a_transaction_is_refused_with_the_reason() {
    let db = Database::filled();
    let mut connection = LeanConnection::connect(&db.config()).unwrap();
    connection.query("BEGIN").unwrap();
    let error = connection.query("DO $$ BEGIN COMMIT; END $$").unwrap_err();
    assert_eq!(error.exit, Exit::Failed);
    assert!(error.hint.unwrap().contains("outside a transaction"), "{}", error.message);
}
