//! Where sps connects, and what it says where it cannot.

use crate::support::{Database, run, skip, sps};

#[test]
fn a_wrong_port_host_or_database_is_one_clear_line_with_a_hint() {
    let database = Database::empty();
    for (args, message) in [
        (&["check", "-p", "5999"][..], ".s.PGSQL.5999\""),
        (&["check", "-h", "localhost", "-p", "5999"], "\"localhost\", port 5999"),
        (&["check", "-h", "/no/where"], "socket \"/no/where/.s.PGSQL."),
        (&["check", "-d", "no such"], "database \"no such\" does not exist (SQLSTATE 3D000)"),
        (&["check", "-U", "no such"], "role \"no such\" does not exist"),
    ] {
        let said = run(&mut database.sps(args));
        said.code(1).complains("sps: cannot connect to ").complains(message).complains("\nhint: ");
        assert_eq!(said.stderr.lines().count(), 2, "{said:?}");
    }
    run(&mut database.sps(&["check", "-p", "x"])).code(2).complains("port is \"x\" (-p)");
}

#[test]
fn flags_go_over_the_environment_and_a_connection_string_over_both() {
    let database = Database::filled();
    let host = std::env::var("PGHOST").unwrap();
    let here = format!("host={host} port=5432 user=postgres dbname={}", database.name);
    let uri = format!("postgresql://postgres@{}/{}?application_name=x", host.replace('/', "%2F"), database.name);
    for args in
        [&["-d", &here][..], &["-d", &uri], &["-h", "/no/where", "-d", &here], &["-h", &host, "-d", &database.name]]
    {
        let mut check = sps(&["check"]);
        let said = run(check.args(args).env("PGHOST", "/no/where/else").env("PGUSER", "postgres"));
        assert!(said.code(0).stdout.contains(&format!("database {}", database.name)), "{args:?}");
    }
    // the user is no place: this one is private
    let said = run(sps(&["check", "-s", "1"]).env("PGUSER", "postgres").env("PGAPPNAME", "x"));
    assert!(said.code(0).stdout.contains("database postgres"));
}

#[test]
fn what_cannot_be_honoured_is_named_never_ignored() {
    let database = Database::empty();
    for (variable, value, message) in [
        ("PGSERVICE", "x", "definition of service \"x\" not found"),
        ("PGSERVICEFILE", "/no/where", "service file \"/no/where\" not found"),
        ("PGSSLMODE", "potato", "sslmode is \"potato\" (PGSSLMODE)"),
        ("PGSSLROOTCERT", "system", "weak sslmode \"require\" may not be used with sslrootcert=system"),
        ("PGSSLNEGOTIATION", "direct", "weak sslmode \"prefer\" may not be used with sslnegotiation=direct"),
        ("PGSSLMAXPROTOCOLVERSION", "TLSv1.1", "no version of TLS from TLSv1.2 to TLSv1.1"),
        ("PGTARGETSESSIONATTRS", "master", "target_session_attrs is \"master\""),
        ("PGLOADBALANCEHOSTS", "some", "load_balance_hosts is \"some\""),
        ("PGCHANNELBINDING", "require", "channel binding required, but SSL not in use"),
        ("PGGSSENCMODE", "require", "\"gssencmode\" is not supported (set by PGGSSENCMODE)"),
        ("PGSSLCOMPRESSION", "1", "\"sslcompression\" is not supported"),
        ("PGREQUIREAUTH", "scram-sha-256", "\"require_auth\" is not supported"),
        ("PGCLIENTENCODING", "LATIN1", "client_encoding is \"LATIN1\""),
        ("PGCONNECT_TIMEOUT", "soon", "connect_timeout is \"soon\""),
    ] {
        let mut check = database.sps(&["check"]);
        match variable {
            "PGSERVICEFILE" => check.env("PGSERVICE", "x"),
            "PGSSLROOTCERT" => check.env("PGSSLMODE", "require"),
            _ => &mut check,
        };
        let said = run(check.env(variable, value));
        assert!(matches!(said.code, Some(1 | 2)), "{said:?}");
        said.complains(message).complains("hint: ");
    }
    run(database.sps(&["check", "-d", "host=/tmp pasword=secret"]).env_remove("PGHOST"))
        .code(2)
        .complains("\"pasword\"");
    run(database.sps(&["check"]).env("PGSSLMODE", "prefer").env("PGOPTIONS", "-c jit=off")).code(0);
}

/// A server of its own, since the password file and pg_hba.conf are the whole of it.
#[test]
fn passwords_come_from_variable_or_file_and_are_never_shown() {
    let script = r#"
        set -eu
        psql -qXc "create role pw login password 'geheim'" -c "alter system set listen_addresses = '127.0.0.1'"
        hba=$(psql -XAtc 'show hba_file')
        { echo 'local all pw scram-sha-256'; echo 'local all all trust'; } >"$hba"
        psql -qXAtc 'select pg_reload_conf()' >/dev/null
        trap 'rm -f "$pass"' EXIT
        pass=$(mktemp)
        try() { code=0; "$SPS" check -U pw -d postgres >"$pass.out" 2>&1 || code=$?; echo "$1: $code"; cat "$pass.out"; rm "$pass.out"; }
        export PGPASSFILE=$pass
        try none
        PGPASSWORD=falsch try wrong
        PGPASSWORD=geheim try right
        echo 'localhost:*:*:pw:geheim' >"$pass"; try elsewhere
        echo "$PGHOST:5432:postgres:pw:geheim" >"$pass"; try file
        chmod 0644 "$pass"; try readable
    "#;
    let said = run(sps(&["server", "--", "bash", "-c", script]).env("SPS", env!("CARGO_BIN_EXE_sps")));
    let text = &said.code(0).stdout;
    for outcome in ["none: 1", "wrong: 1", "right: 0", "elsewhere: 1", "file: 0", "readable: 1"] {
        assert!(text.contains(outcome), "no {outcome} in {text}");
    }
    assert!(text.contains("password authentication failed for user \"pw\" (SQLSTATE 28P01)"), "{text}");
    assert!(text.contains("hint: set PGPASSWORD or a line in ~/.pgpass"), "{text}");
    assert!(text.contains("may be read by group or others: not used"), "{text}");
    assert!(!text.contains("geheim") && !text.contains("falsch"), "{text}");
}

#[test]
fn tcp_addresses_work_as_libpq_writes_them() {
    let script = r#"
        set -eu
        for host in 127.0.0.1 localhost '[::1]'; do
          echo "$host $("$SPS" check -d "postgresql://postgres@$host:5432/postgres" | grep -o 'transport *tcp')"
        done
        "$SPS" check -d "hostaddr=127.0.0.1 user=postgres dbname=postgres" | grep -o 'transport *tcp'
    "#;
    let port_5432_is_free = std::net::TcpListener::bind("[::]:5432").is_ok();
    if !port_5432_is_free {
        return skip("port 5432 is in use, and a private server listens on no other");
    }
    let mut server = sps(&["server", "--set", "listen_addresses=*", "--", "bash", "-c", script]);
    let said = run(server.env("SPS", env!("CARGO_BIN_EXE_sps")));
    assert_eq!(said.code(0).stdout.matches("tcp").count(), 4, "{said:?}");
}
