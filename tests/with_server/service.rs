//! Services, environment and flags: who wins is who wins in psql.

use std::path::Path;
use std::process::Command;

use crate::support::{Database, run, sps};

/// Database and user that a program reaches; None where it does not.
fn psql(vars: &[(&str, &str)], string: &str) -> Option<String> {
    let mut command = Command::new("psql");
    command.args(["-wXAtd", string, "-c", "select current_database() || ', user ' || current_user"]);
    for name in ["PGHOST", "PGPORT", "PGUSER", "PGDATABASE"] {
        command.env_remove(name);
    }
    let said = run(command.envs(vars.iter().copied()));
    (said.code == Some(0)).then(|| said.stdout.trim().to_owned())
}

fn ours(vars: &[(&str, &str)], string: &str) -> Option<String> {
    let said = run(sps(&["check", "-w", "-d", string]).envs(vars.iter().copied()));
    let line = said.stdout.lines().find_map(|line| line.strip_prefix("database "))?;
    Some(line.rsplit_once(", with").unwrap().0.to_owned())
}

#[test]
fn services_are_read_where_and_as_psql_reads_them() {
    let db = Database::empty();
    let home = tempfile::tempdir().unwrap();
    let (host, port) = (std::env::var("PGHOST").unwrap(), std::env::var("PGPORT").unwrap());
    let at = format!("host={host}\nport={port}\nuser=postgres\n");
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let broken = "[nested]\nservice=mine\n[torn]\nhost\n[ldap]\nldap://h/x\n[twice]\n";
    let named = &db.name;
    let file = write(
        "services",
        &format!(
            "# one\n[other]\nhost=/no/where\n\n[mine]\n{at}dbname={named}\n  application_name=x\n{broken}{at}dbname={named}\ndbname=none\n[twice]\nhost=/no/where\n"
        ),
    );
    write(".pg_service.conf", &format!("[home]\n{at}dbname={named}\n[both]\nhost=/no/where\n"));
    write("pg_service.conf", &format!("[system]\n{at}dbname={named}\n[both]\n{at}dbname={named}\n"));
    let folder = home.path().to_str().unwrap();
    let mut reached = 0;
    for (vars, string) in [
        (&[("PGSERVICE", "mine")][..], ""),
        (&[], "service=mine"),
        (&[("PGSERVICE", "other")], "service=mine"),
        (&[("PGSERVICE", "mine"), ("PGDATABASE", "none")], "user=postgres"),
        (&[("PGSERVICE", "mine"), ("PGDATABASE", "none"), ("PGHOST", "/no/where")], "user=postgres"),
        (&[("PGSERVICE", "mine")], "dbname=postgres"),
        (&[("PGSERVICE", "mine")], "dbname=none"),
        (&[("PGSERVICE", "mine")], "host=/no/where"),
        (&[], "postgresql:///postgres?service=mine"),
        (&[("PGSERVICE", "other")], ""),
        (&[("PGSERVICE", "missing")], ""),
        (&[("PGSERVICE", "nested")], ""),
        (&[("PGSERVICE", "torn")], ""),
        (&[("PGSERVICE", "ldap")], ""),
        (&[("PGSERVICE", "twice")], ""),
        (&[("PGSERVICE", "home")], ""),
        (&[("PGSERVICE", "home"), ("PGSERVICEFILE", "")], ""),
        (&[("PGSERVICE", "system")], ""),
        (&[("PGSERVICE", "both"), ("PGSERVICEFILE", "")], ""),
        (&[("PGSERVICE", "both")], ""),
    ] {
        let mut vars = vars.to_vec();
        vars.extend([("HOME", folder), ("PGSYSCONFDIR", folder)]);
        if !vars.contains(&("PGSERVICEFILE", "")) {
            vars.push(("PGSERVICEFILE", &file));
        }
        vars.retain(|var| *var != ("PGSERVICEFILE", ""));
        let (theirs, ours) = (psql(&vars, string), ours(&vars, string));
        assert_eq!(theirs, ours, "{vars:?} {string}");
        reached += usize::from(ours.is_some());
    }
    assert_eq!(reached, 11);
    assert!(Path::new(&file).exists());
}
