//! Settings that make each statement dearer than it is on a server in production, or keep it from being measured.

use super::Finding;
use crate::error::Result;
use crate::record::ServerInfo;
use crate::server::Session;

/// A setting, which of its values distort, and what to do then.
struct Rule {
    name: &'static str,
    bad: fn(&str) -> bool,
    hint: &'static str,
}

const RULES: [Rule; 13] = [
    Rule {
        name: "log_statement",
        bad: |v| v == "all",
        hint: "every select writes to the log: SET log_statement = none",
    },
    Rule {
        name: "log_min_duration_statement",
        bad: |v| v == "0",
        hint: "every select writes to the log: SET log_min_duration_statement = -1",
    },
    Rule {
        name: "log_min_duration_sample",
        bad: |v| v == "0",
        hint: "a sample of the selects writes to the log: SET log_min_duration_sample = -1",
    },
    Rule { name: "log_duration", bad: is_on, hint: "every select writes to the log: SET log_duration = off" },
    Rule {
        name: "auto_explain.log_analyze",
        bad: is_on,
        hint: "auto_explain times each plan node of every select: SET auto_explain.log_analyze = off",
    },
    Rule {
        name: "pg_stat_statements.track",
        bad: |v| v == "all",
        hint: "nested statements are counted one by one, which slows plpgsql and spi: SET pg_stat_statements.track = top",
    },
    Rule { name: "track_io_timing", bad: is_on, hint: "reads are timed: SET track_io_timing = off" },
    Rule {
        name: "track_functions",
        bad: |v| v != "none",
        hint: "function calls are timed: SET track_functions = none",
    },
    Rule {
        name: "track_counts",
        bad: |v| v == "off",
        hint: "index scans are not counted, so the gate that counts them cannot check: SET track_counts = on",
    },
    Rule {
        name: "plan_cache_mode",
        bad: |v| v != "auto",
        hint: "the server no longer chooses between custom and generic plans: SET plan_cache_mode = auto",
    },
    Rule {
        name: "default_transaction_isolation",
        bad: |v| v == "serializable",
        hint: "each select takes predicate locks: SET default_transaction_isolation = 'read committed'",
    },
    Rule {
        name: "statement_timeout",
        bad: |v| v != "0",
        hint: "a call of a layer longer than this is cancelled: SET statement_timeout = 0",
    },
    Rule {
        name: "debug_discard_caches",
        bad: |v| v != "0",
        hint: "caches are thrown away all the time: SET debug_discard_caches = 0",
    },
];

fn is_on(value: &str) -> bool {
    value == "on"
}

pub fn inspect(session: &Session, info: &ServerInfo) -> Result<Vec<Finding>> {
    let mut findings = vec![Finding::new(
        "debug_assertions",
        if info.assertions { "on" } else { "off" },
        !info.assertions,
        "this server was built with assertions and is several times slower: measure another build",
    )];
    let optimised = session.query_opt(
        "select setting from pg_config() where name = 'CFLAGS' and has_function_privilege('pg_config()', 'execute')",
        &[],
    );
    if let Ok(Some(row)) = optimised {
        let flags: String = row.get(0);
        let level = flags.split_whitespace().rfind(|flag| flag.starts_with("-O")).unwrap_or("no -O");
        findings.push(Finding::new(
            "optimisation",
            level,
            !["-O0", "no -O", "-Og"].contains(&level),
            "this server was built without optimisation: measure a build with -O2",
        ));
    }
    for rule in &RULES {
        let row = session.query_opt("select setting from pg_settings where name = $1", &[&rule.name])?;
        if let Some(value) = row.map(|row| row.get::<_, String>(0)) {
            findings.push(Finding::new(rule.name, value.clone(), !(rule.bad)(&value), rule.hint));
        }
    }
    let hint = match info.transport.contains("pooler") {
        true => "a pooler passes each message on, which the wire arms pay for twice: connect to the server itself",
        false => "each message is encrypted, which the wire arms pay for: sslmode=disable",
    };
    findings.push(Finding::new("transport", info.transport.clone(), !info.transport.contains('+'), hint));
    Ok(findings)
}
