//! The lean client and its arms: libpq's messages, byte for byte, and answers of every shape.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::thread;

use sps::arm::{Lookup, Text, WIRE_ARMS, WireArm};
use sps::server::{Config, Host, Place};
use sps::wire::{LeanConnection, Row};

use crate::support::tap::Tap;
use crate::support::{Database, config, run};

fn arm(name: &str) -> &'static dyn WireArm {
    *WIRE_ARMS.iter().find(|arm| arm.name() == name).unwrap()
}

fn accounts() -> Lookup {
    Lookup {
        relation: "pgbench_accounts".into(),
        key: "aid".into(),
        value: "abalance".into(),
        key_type: "integer".into(),
        value_type: "integer".into(),
        min: 1,
        rows: 100_000,
    }
}

pub fn pgbench() -> Command {
    let pg_config = std::env::var_os("SPS_PG_CONFIG").unwrap_or_else(|| "pg_config".into());
    let output = Command::new(pg_config).arg("--bindir").output().unwrap();
    Command::new(Path::new(String::from_utf8(output.stdout).unwrap().trim()).join("pgbench"))
}

/// The same three lookups by pgbench and by our arm, seen from the server's side.
fn both(mode: &str) -> [Vec<(char, Vec<u8>)>; 2] {
    let db = Database::filled();
    let tap = Tap::start();
    let mut script = tempfile::NamedTempFile::new().unwrap();
    write!(script, "\\set aid 4711\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n").unwrap();
    let mut command = pgbench();
    command.args(["-n", "-t", "3", "-M", mode, "-f"]).arg(script.path());
    command.env("PGHOST", tap.folder()).env("PGPORT", "5432").env("PGDATABASE", &db.name);
    run(&mut command).code(0);

    let ours = Tap::start();
    let config = Config::local(ours.folder().to_str().unwrap(), 5432, &std::env::var("PGUSER").unwrap(), &db.name);
    let mut connection = LeanConnection::connect(&config).unwrap();
    let text = Text::new(&accounts());
    let mut found = 0;
    let mut count = |row: Row<'_>| {
        found += row.integer()?.map_or(0, |_| 1);
        Ok(())
    };
    arm(mode).setup(&text, &mut connection.out).unwrap();
    if !connection.out.is_empty() {
        connection.exchange(&mut count).unwrap();
    }
    for _ in 0..3 {
        arm(mode).request(&text, 4711, &mut connection.out).unwrap();
        connection.exchange(&mut count).unwrap();
    }
    drop(connection);
    assert_eq!(found, 3);
    [tap.lookups(), ours.lookups()]
}

#[test]
fn simple_sends_what_pgbench_sends() {
    let [theirs, ours] = both("simple");
    assert_eq!(theirs, ours);
    assert_eq!(ours.len(), 3);
}

#[test]
fn extended_sends_what_pgbench_sends() {
    let [theirs, ours] = both("extended");
    assert_eq!(theirs, ours);
    assert_eq!(ours.iter().map(|(tag, _)| *tag).collect::<String>(), "PBDES".repeat(3));
}

#[test]
fn prepared_sends_what_pgbench_sends() {
    let [theirs, ours] = both("prepared");
    assert_eq!(theirs, ours);
    assert_eq!(ours.iter().map(|(tag, _)| *tag).collect::<String>(), format!("PS{}", "BDES".repeat(3)));
}

#[test]
fn a_connection_is_usable_after_the_servers_error() {
    let mut connection = LeanConnection::connect(&config("postgres")).unwrap();
    let error = connection.query("SELECT 1 / 0").unwrap_err();
    assert!(error.message.contains("division by zero") && error.message.contains("22012"), "{error}");
    assert_eq!(connection.value("SELECT 42").unwrap(), "42");
}

#[test]
fn answers_longer_than_the_buffer_nulls_and_notices_are_read() {
    let mut connection = LeanConnection::connect(&config("postgres")).unwrap();
    let rows = connection.query("SELECT repeat('x', 300000), NULL, g FROM generate_series(1, 3) g").unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row[0].as_ref().unwrap().len() == 300_000 && row[1].is_none()));
    let noisy = "DO $$ BEGIN FOR i IN 1 .. 2000 LOOP RAISE NOTICE '%', repeat('n', 100); END LOOP; END $$";
    assert!(connection.query(noisy).unwrap().is_empty());
    assert_eq!(connection.value("SELECT 7").unwrap(), "7");
}

#[test]
fn the_backend_is_known_by_its_process_id() {
    let mut connection = LeanConnection::connect(&config("postgres")).unwrap();
    assert_eq!(connection.value("SELECT pg_backend_pid()").unwrap(), connection.backend().to_string());
}

/// What a transaction pooler does to a prepared statement.
#[test]
fn a_statement_that_is_gone_or_there_already_points_to_the_pooler() {
    let db = Database::filled();
    let mut connection = LeanConnection::connect(&db.config()).unwrap();
    let text = Text::new(&accounts());
    let nothing = &mut |_: Row<'_>| Ok(());
    arm("prepared").request(&text, 1, &mut connection.out).unwrap();
    let missing = connection.exchange(nothing).unwrap_err();
    assert!(missing.hint.unwrap().contains("PgBouncer"), "{}", missing.message);
    arm("prepared").setup(&text, &mut connection.out).unwrap();
    connection.exchange(nothing).unwrap();
    arm("prepared").setup(&text, &mut connection.out).unwrap();
    let again = connection.exchange(nothing).unwrap_err();
    assert!(again.hint.unwrap().contains("PgBouncer"), "{}", again.message);
}

#[test]
fn a_terminated_backend_says_so() {
    let mut connection = LeanConnection::connect(&config("postgres")).unwrap();
    let other = sps::server::Session::connect(&config("postgres")).unwrap();
    other.query("SELECT pg_terminate_backend($1)", &[&connection.backend()]).unwrap();
    thread::sleep(std::time::Duration::from_millis(200));
    let error = connection.query("SELECT 1").unwrap_err();
    assert!(error.message.contains("57P01"), "{error}");
}

/// Its error can come in one read with the answer before it.
#[test]
fn last_words_behind_an_answer_are_heard() {
    let db = Database::filled();
    let mut connection = LeanConnection::connect(&db.config()).unwrap();
    arm("simple").request(&Text::new(&accounts()), 1, &mut connection.out).unwrap();
    connection.send().unwrap();
    thread::sleep(std::time::Duration::from_millis(200));
    db.session().query("SELECT pg_terminate_backend($1)", &[&connection.backend()]).unwrap();
    thread::sleep(std::time::Duration::from_millis(200));
    assert!(connection.receive(&mut |_: Row<'_>| Ok(())).unwrap());
    let error = connection.query("SELECT 1").unwrap_err();
    assert!(error.message.contains("57P01"), "{error}");
}

#[test]
fn a_dead_host_is_passed_over_and_a_lonely_one_is_an_error() {
    let live = config("postgres").hosts.remove(0);
    let dead = Host { place: Place::Unix("/nonexistent".into()), ..live.clone() };
    let mut config = config("postgres");
    config.hosts = vec![dead];
    let error = LeanConnection::connect(&config).err().expect("connected to nothing");
    assert!(error.message.contains("/nonexistent/.s.PGSQL.5432"), "{error}");
    config.hosts.push(live);
    assert_eq!(LeanConnection::connect(&config).unwrap().value("SELECT 1").unwrap(), "1");
}

#[test]
fn a_socket_in_the_abstract_namespace_is_found() {
    use std::os::linux::net::SocketAddrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().to_str().unwrap().to_owned();
    let address = std::os::unix::net::SocketAddr::from_abstract_name(format!("{name}/.s.PGSQL.5432")).unwrap();
    let listener = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    let _tap = Tap::at(listener, folder);
    let config = Config::local(format!("@{name}"), 5432, &std::env::var("PGUSER").unwrap(), "postgres");
    assert_eq!(LeanConnection::connect(&config).unwrap().value("SELECT 1").unwrap(), "1");
}
