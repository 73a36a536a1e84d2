//! What METHODOLOGY.md says of the wire arms' messages, held against the protocol as it goes by, and against the kernel's count of
//! calls.

use std::collections::HashMap;
use std::process::Command;

use crate::support::tap::{Message, Tap};
use crate::support::{Database, run, skip};

const SELECTS: usize = 20;

/// An arm's row: tags of what is sent and of what comes back for a select.
struct Row {
    arm: String,
    sent: String,
    reply: String,
}

/// The table's rows; "as `prepared`" is what its row says.
fn table() -> Vec<Row> {
    let text = include_str!("../../METHODOLOGY.md");
    let lines = text.lines().skip_while(|line| !line.starts_with("| arm | once a connection"));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let mut rows: Vec<Row> = Vec::new();
    for cells in lines.skip(2).take_while(|line| line.starts_with('|')).map(cells) {
        let known = |cell: &str, part: fn(&Row) -> &String| {
            let named = cell.strip_prefix("as `").and_then(|rest| rest.split('`').next());
            named.map(|arm| part(rows.iter().find(|row| row.arm == arm).unwrap()).clone())
        };
        let sent = known(&cells[3], |row| &row.sent).unwrap_or_else(|| tags(&cells[3], frontend));
        let reply = known(&cells[4], |row| &row.reply).unwrap_or_else(|| tags(&cells[4], backend));
        rows.push(Row { arm: cells[1].trim_matches('`').into(), sent, reply });
    }
    rows
}

/// The tags of the messages that a cell begins with.
fn tags(cell: &str, tag: fn(&str) -> Option<char>) -> String {
    cell.split(", ").map_while(tag).collect()
}

fn frontend(name: &str) -> Option<char> {
    ["Query", "Parse", "Bind", "Describe", "Execute", "Sync"].contains(&name).then(|| name.chars().next().unwrap())
}

fn backend(name: &str) -> Option<char> {
    let known = [
        ("ParseComplete", '1'),
        ("BindComplete", '2'),
        ("RowDescription", 'T'),
        ("DataRow", 'D'),
        ("CommandComplete", 'C'),
        ("ReadyForQuery", 'Z'),
    ];
    known.iter().find(|(known, _)| *known == name).map(|(_, tag)| *tag)
}

fn shown(messages: &[Message]) -> String {
    messages.iter().map(|(tag, _)| *tag).collect()
}

/// The tags of the last messages of the connection that sent most: there the timed selects are.
fn last(all: &[Vec<Message>], connection: usize, count: usize) -> String {
    let messages = &all[connection];
    shown(&messages[messages.len() - count..])
}

#[test]
fn each_wire_arm_sends_and_gets_what_methodology_says() {
    let db = Database::filled();
    let rows = table();
    let arms: Vec<&str> = rows.iter().map(|row| row.arm.as_str()).collect();
    for arm in crate::measure::wire_arms() {
        assert!(arms.contains(&arm), "METHODOLOGY.md has no row for {arm}");
    }
    for Row { arm, sent, reply } in &rows {
        assert!(sent.ends_with(['S', 'Q']) && reply.ends_with('Z'), "{arm}: {sent} {reply}");
        let tap = Tap::start();
        let units = SELECTS.to_string();
        let args = ["run", "--arm", arm, "-t", &units, "--selects", "100", "--record", "/dev/null"];
        run(db.sps(&args).env("PGHOST", tap.folder()).env("PGPORT", "5432")).code(0);
        let (asked, answers) = (tap.connections(), tap.answers());
        let connection = (0..asked.len()).max_by_key(|&at| asked[at].len()).unwrap();
        // BEGIN and COMMIT lie outside the timed stretch: a message, and two in answer
        let committed = usize::from(arm == "prepared_transaction");
        let tail = |text: String, cut: usize| text[..text.len() - cut].to_owned();
        let expected = sent.repeat(SELECTS);
        assert_eq!(tail(last(&asked, connection, expected.len() + committed), committed), expected, "{arm}");
        let expected = reply.repeat(SELECTS);
        assert_eq!(tail(last(&answers, connection, expected.len() + 2 * committed), 2 * committed), expected, "{arm}");
        // each select goes out in one piece, and not before the answer to the one before
        if arm != "pipeline" {
            let reads = tap.last_reads(connection, SELECTS + committed);
            assert_eq!(reads[..SELECTS], vec![sent.clone(); SELECTS], "{arm}");
        }
    }
}

/// System calls of a command and its threads; None where they cannot be counted.
fn calls(command: &Command) -> Option<HashMap<String, i64>> {
    let counts = tempfile::NamedTempFile::new().unwrap();
    let mut traced = Command::new("strace");
    traced.args(["-f", "-c", "-o"]).arg(counts.path()).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    let output = traced.output().ok()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        // as in a container without the right to trace
        assert!(said.contains("ptrace") || said.contains("PTRACE"), "{said}");
        return None;
    }
    let text = std::fs::read_to_string(counts.path()).unwrap();
    // % time, seconds, usecs/call, calls, errors where there were any, syscall
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some((words.last()?.to_string(), words.get(3)?.parse().ok()?))
    };
    Some(text.lines().filter_map(row).filter(|(name, _): &(String, i64)| name != "total").collect())
}

/// What `more` selects of each of `clients` add, by call; the rest of a run falls out.
fn added(db: &Database, arm: &str, clients: i64, more: i64) -> Option<HashMap<String, i64>> {
    let of = |units: i64| {
        let (units, clients) = (units.to_string(), clients.to_string());
        calls(&db.sps(&["run", "--arm", arm, "-c", &clients, "-j", "2", "-t", &units, "--record", "/dev/null"]))
    };
    let (few, mut many) = (of(100)?, of(100 + more)?);
    for (name, count) in few {
        *many.entry(name).or_default() -= count;
    }
    Some(many)
}

#[test]
fn a_select_is_one_write_and_one_read_after_a_wait_where_there_are_more_clients() {
    let db = Database::filled();
    for (arm, clients, more) in
        [("simple", 1, 1000), ("prepared", 1, 1000), ("prepared@same", 1, 1000), ("prepared", 8, 200)]
    {
        let selects = clients * more;
        let Some(added) = added(&db, arm, clients, more) else {
            return skip("strace is not here, or may not trace");
        };
        let sum = |names: &[&str]| names.iter().filter_map(|name| added.get(*name)).sum::<i64>();
        // what a run does beside its selects varies by some calls
        let near = |count: i64| (count - selects).abs() <= 30;
        assert!(near(sum(&["write", "sendto", "sendmsg", "writev"])), "{arm}: {added:?}");
        assert!(near(sum(&["read", "recvfrom", "recvmsg", "readv"])), "{arm}: {added:?}");
        // a single client waits in the read, but before it where it shares the backend's core; one wait may bring the
        // answers of several
        let waits = sum(&["epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll"]);
        let right = match (arm, clients) {
            ("prepared@same", _) => near(waits),
            (_, 1) => near(selects + waits),
            _ => waits > 0 && waits <= selects + 30,
        };
        assert!(right, "{arm}: {added:?}");
        let all: i64 = added.values().sum();
        assert!(all <= 2 * selects + waits + 200, "{arm}: {added:?}");
    }
}
