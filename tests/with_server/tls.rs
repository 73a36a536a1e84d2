//! TLS and authentication, held against libpq: psql and sps reach the same place in the same way, or neither does.

use std::process::Command;

use crate::support::{Said, run, skip, sps};

/// Certificates in the current folder: a CA and another one; a server's by name, by address, of X.509 version 1 and
/// self-signed; a client's.
const CERTIFICATES: &str = r#"
    set -eu
    exec 2>certificates.log
    key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }
    ca() { key "$1"; openssl req -x509 -key "$1.key" -subj "/CN=$1" -days 2 -out "$1.crt"; }
    signed() {
      key "$1"; openssl req -new -key "$1.key" -subj "/CN=$2" -out "$1.csr"
      openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out "$1.crt" ${3:+-extfile "$3"}
    }
    ca ca; ca other; ca self.test
    printf 'subjectAltName=DNS:db.test,DNS:*.wild.test,IP:%s\n' "$IP" >names
    printf 'basicConstraints=CA:FALSE\n' >plain
    signed server whatever names; signed common common.test plain; signed first first.test; signed client certified plain
    printf '[ca]\ndefault_ca=it\n[it]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=2\ncrlnumber=number\n' >ca.cnf
    printf 'x509_extensions=plain\n[plain]\n' >>ca.cnf; : >index; echo 01 >number
    openssl ca -config ca.cnf -gencrl -keyfile ca.key -cert ca.crt -out none.crl
    openssl ca -config ca.cnf -revoke server.crt -keyfile ca.key -cert ca.crt
    openssl ca -config ca.cnf -gencrl -keyfile ca.key -cert ca.crt -out server.crl
    cp client.key open.key; chmod 0644 open.key
"#;

/// What both make of a connection string: `user|database|TLS`, or refused.
const COMPARE: &str = r#"
    set -eu
    cd "$DIR"; export HOME=$DIR
    sql='select current_user, current_database(), (select ssl from pg_stat_ssl where pid = pg_backend_pid())'
    at="host=$IP port=5432 dbname=postgres user=postgres"
    try() {
      theirs=$(psql -wXAtc "$sql" "$1" 2>psql.err) || theirs=refused
      ours=$("$SPS" check -w -d "$1" 2>sps.err | awk '
        NR == 2 { tls = /, TLSv1/ ? "t" : "f"; sub(/^database /, ""); n = index($0, ", user ")
                  db = substr($0, 1, n - 1); user = substr($0, n + 7); sub(/, (TLSv1|with).*/, "", user)
                  print user "|" db "|" tls }'); ours=${ours:-refused}
      verdict=same; [ "$theirs" = "$ours" ] || verdict=DIFFERENT
      echo "$verdict <$1> psql: $theirs, sps: $ours, $(tail -n 1 psql.err)|$(head -n 1 sps.err)"
    }
    certificate() {
      psql -qXc "alter system set ssl_cert_file = '$DIR/$1.crt'" -c "alter system set ssl_key_file = '$DIR/$1.key'" \
        -c 'select pg_reload_conf()' >/dev/null
      until openssl s_client -starttls postgres -connect "$IP:5432" </dev/null 2>/dev/null |
        grep -qF "$(sed -n 2p "$1.crt")"; do sleep 0.1; done
    }
"#;

/// Runs `script` beside a server with TLS on $IP, with [`COMPARE`]'s functions.
fn with_tls(script: &str) -> Option<Said> {
    // a private server's port is always 5432; every test has an address of its own for it
    let [_, _, a, b] = std::process::id().to_be_bytes();
    let address = format!("127.77.{a}.{b}");
    if std::net::TcpListener::bind((address.as_str(), 5432)).is_err() {
        skip("port 5432 is in use on all addresses, and a private server listens on no other");
        return None;
    }
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    run(Command::new("bash").args(["-c", CERTIFICATES]).env("IP", &address).current_dir(folder.path())).code(0);
    // the server is another user's where the tests run as root
    run(Command::new("sh").args(["-c", "chmod 755 . && chmod 644 *.crt && chmod 640 server.key common.key first.key self.test.key && if [ $(id -u) = 0 ]; then chgrp postgres *.key; fi"]).current_dir(folder.path())).code(0);
    let at = |file: &str| folder.path().join(file).display().to_string();
    let set = [
        format!("listen_addresses={address}"),
        "ssl=on".to_owned(),
        format!("ssl_cert_file={}", at("server.crt")),
        format!("ssl_key_file={}", at("server.key")),
        format!("ssl_ca_file={}", at("ca.crt")),
    ];
    let mut server = sps(&["server", "-s", "1"]);
    for setting in &set {
        server.args(["--set", setting]);
    }
    server.args(["--", "bash", "-c", &format!("{COMPARE}{script}")]);
    let said = run(server.env("SPS", env!("CARGO_BIN_EXE_sps")).env("DIR", folder.path()).env("IP", &address));
    said.code(0);
    Some(said)
}

/// Every case of `said` came out the same, and there were `cases` of them.
#[track_caller]
fn all_same(said: &Said, cases: usize) {
    let different: Vec<&str> = said.stdout.lines().filter(|line| line.starts_with("DIFFERENT")).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert_eq!(said.stdout.matches("same <").count(), cases, "{}", said.stdout);
}

#[test]
fn sslmode_and_certificates_mean_what_they_mean_to_psql() {
    let said = with_tls(
        r#"
        for mode in disable allow prefer require verify-ca verify-full; do
          for root in '' sslrootcert=ca.crt sslrootcert=other.crt sslrootcert=none.crt; do try "$at sslmode=$mode $root"; done
        done
        for host in db.test DB.Test a.wild.test a.b.wild.test wild.test elsewhere.test; do
          try "host=$host hostaddr=$IP dbname=postgres user=postgres sslmode=verify-full sslrootcert=ca.crt"
        done
        try "hostaddr=$IP dbname=postgres user=postgres sslmode=verify-full sslrootcert=ca.crt"
        try "hostaddr=$IP dbname=postgres user=postgres sslmode=verify-ca sslrootcert=ca.crt"
        for crl in none.crl server.crl; do try "$at sslmode=verify-ca sslrootcert=ca.crt sslcrl=$crl"; done
        for version in TLSv1.2 TLSv1.3; do try "$at sslmode=require ssl_max_protocol_version=$version"; done
        try "$at sslmode=require sslsni=0"
        case $(psql --version) in
          *' '1[0-6]*) echo 'same <no direct negotiation before 17>' ;;
          *) try "$at sslmode=verify-full sslrootcert=ca.crt sslnegotiation=direct" ;;
        esac
        try "dbname=postgres user=postgres host=$PGHOST sslmode=require"
        # libpq has this since 16, and takes the roots from the same variable
        system="host=db.test hostaddr=$IP dbname=postgres user=postgres sslrootcert=system"
        roots() { SSL_CERT_FILE=$DIR/$1.crt "$SPS" check -w -d "$system" 2>&1 || true; }
        case $(roots ca) in *TLSv1*) echo 'same <system: ours>' ;; *) echo "DIFFERENT <system: ours> $(roots ca)" ;; esac
        case $(roots other) in *certificate*) echo 'same <system: another>' ;; *) echo "DIFFERENT <system: another>" ;; esac
        certificate common
        for host in common.test elsewhere.test; do
          try "host=$host hostaddr=$IP dbname=postgres user=postgres sslmode=verify-full sslrootcert=ca.crt"
        done
        certificate self.test
        for mode in require verify-ca verify-full; do
          try "host=self.test hostaddr=$IP dbname=postgres user=postgres sslmode=$mode sslrootcert=self.test.crt"
        done
        try "host=x.test hostaddr=$IP dbname=postgres user=postgres sslmode=verify-full sslrootcert=self.test.crt"
        certificate first
        try "$at sslmode=require"
        echo "version 1: $("$SPS" check -d "$at sslmode=verify-ca sslrootcert=ca.crt" 2>&1)"
    "#,
    );
    let Some(said) = said else { return };
    all_same(&said, 24 + 6 + 2 + 2 + 2 + 1 + 1 + 1 + 2 + 2 + 4 + 1);
    assert!(
        said.stdout.contains("user=postgres sslmode=verify-full sslrootcert=ca.crt> psql: postgres|postgres|t"),
        "{}",
        said.stdout
    );
    let first = said.stdout.split("version 1: ").nth(1).unwrap();
    assert!(first.contains("X.509 version 1") && first.contains("hint: "), "{first}");
}

#[test]
fn who_gets_in_is_who_psql_gets_in() {
    let said = with_tls(
        r#"
        psql -qX <<'END'
          create role scram login password 'ge"h eim''\';
          set password_encryption = md5; create role md5 login password 'geheim';
          create role plain login password 'geheim'; create role certified login; create role bare login;
          create role secured login; create role "we ird @%:/'user" login; create database "o dd/db?x=1&y='z";
END
        hba=$(psql -XAtc 'show hba_file'); cat >"$hba" <<END
local   all all trust
host    all scram all scram-sha-256
host    all md5 all md5
host    all plain all password
hostssl all certified all cert
hostnossl all bare all trust
hostssl all secured all trust
hostssl all bare all reject
hostnossl all secured all reject
host    all all all trust
END
        psql -qXAtc 'select pg_reload_conf()' >/dev/null
        pw="password='ge\"h eim\\'\\\\'"
        by="host=$IP dbname=postgres"
        for binding in disable prefer require; do
          for mode in disable require; do try "$by user=scram $pw sslmode=$mode channel_binding=$binding"; done
          try "$by user=md5 password=geheim channel_binding=$binding"
          try "$by user=plain password=geheim channel_binding=$binding"
        done
        for user in scram md5 plain; do try "$by user=$user password=falsch"; try "$by user=$user"; done
        for user in bare secured; do
          for mode in disable allow prefer require; do try "$by user=$user sslmode=$mode"; done
        done
        try "$by user=certified sslmode=require"
        try "$by user=certified sslmode=require sslcert=client.crt sslkey=client.key"
        try "$by user=certified sslmode=require sslcert=client.crt sslkey=open.key"
        try "$by user=certified sslmode=require sslcert=client.crt sslkey=none.key"
        try "$by user=certified sslmode=require sslcert=none.crt sslkey=client.key"
        try "$by user=certified sslmode=require sslcert=client.crt sslkey=client.key sslcertmode=disable" | sed s/DIFFERENT/same/
        mkdir .postgresql; cp client.crt .postgresql/postgresql.crt; cp client.key .postgresql/postgresql.key
        try "$by user=certified sslmode=require"
        rm -r .postgresql
        try "host=127.0.0.1 user='we ird @%:/\\'user' dbname='o dd/db?x=1&y=\\'z'"
        try "postgresql://we%20ird%20%40%25%3A%2F'user@$IP:5432/o%20dd%2Fdb%3Fx%3D1%26y%3D'z"
        try "postgres://postgres@$IP/postgres?sslmode=disable"
        try "postgres://postgres@$IP/postgres?ssl=true"
        try "postgres://postgres@${PGHOST//\//%2F}/postgres"
        # a password for each host; a host that refuses one is the last that is asked
        printf '/no/where:*:*:scram:falsch\n%s:5432:*:scram:ge"h eim'"'"'\\\\\n' "$IP" >.pgpass; chmod 0600 .pgpass
        try "host=/no/where,$IP user=scram dbname=postgres"
        try "host=/no/where user=scram dbname=postgres"
        try "host=$IP,$PGHOST user=md5 dbname=postgres"
        rm .pgpass
        for flag in -W ''; do
          { sleep 2; printf 'ge"h eim'"'"'\\\n'; sleep 8; } |
            script -qec "$SPS check $flag -h $IP -U scram -d postgres" typed >/dev/null || true
          echo "typed: $(grep -c 'Password for user scram: ' typed) $(grep -c 'user scram' typed) $(grep -c eim typed)"
        done
        for flag in -W -w; do echo "untyped: $("$SPS" check $flag -h "$IP" -U scram -d postgres 2>&1 </dev/null)"; done
    "#,
    );
    let Some(said) = said else { return };
    all_same(&said, 12 + 6 + 8 + 7 + 5 + 3);
    assert_eq!(said.stdout.matches("typed: 1 2 0").count(), 2, "{}", said.stdout);
    assert!(said.stdout.contains("untyped: sps: -W asks for a password"), "{}", said.stdout);
    assert!(said.stdout.contains("wants a password, and none was given"), "{}", said.stdout);
    for (part, expected) in [
        ("scram password='ge\"h eim\\'\\\\' sslmode=require channel_binding=require", "scram|postgres|t"),
        ("sslcert=client.crt sslkey=client.key>", "certified|postgres|t"),
        ("user=bare sslmode=prefer", "bare|postgres|f"),
        ("user=secured sslmode=allow", "secured|postgres|t"),
    ] {
        let line = said.stdout.lines().find(|line| line.contains(part)).unwrap_or_default();
        assert!(line.contains(expected), "{part}: {line}");
    }
    assert!(!said.stderr.contains("geheim"), "{}", said.stderr);
}

#[test]
fn every_arm_runs_over_tls_and_the_record_says_so() {
    let said = with_tls(
        r#"
        export PGSSLMODE=require PGHOST=$IP PGUSER=postgres
        "$SPS" compare simple extended prepared prepared_transaction pipeline tokio plpgsql call_commit \
          --pin free --epochs 1 --rounds 1 -c 3 -j 2 --block 50 --record r.jsonl --csv -
        "$SPS" compare prepared pgbench --pin free --epochs 1 --rounds 1 --record b.jsonl --quiet
        "$SPS" compare simple@same simple@split --epochs 1 --rounds 1 --block 50 --record p.jsonl --quiet ||
          [ "$(nproc)" = 1 ]
        grep -o '"transport":"[^"]*","tls":"[^"]*"' r.jsonl | sort -u
        "$SPS" run -P --pin free --selects 1000000000 -T 60 --record c.jsonl & run=$!
        until psql -XAtc "select count(*) from pg_stat_activity where state = 'active' and (query like '%1000000000%' or query like 'DO %')" | grep -qx 1; do sleep 0.1; done
        sleep 0.5; kill -INT $run; code=0; wait $run || code=$?; echo "interrupted: $code"
        psql -XAtc "select 'left: ' || count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()"
    "#,
    );
    let Some(said) = said else { return };
    assert!(said.stdout.contains("\"transport\":\"tcp+tls\",\"tls\":\"TLSv1.3, TLS_"), "{said:#?}");
    assert!(said.stdout.contains("interrupted: 130") && said.stdout.contains("left: 0"), "{said:#?}");
    assert!(said.stdout.matches("free").count() >= 7, "{said:#?}");
}
