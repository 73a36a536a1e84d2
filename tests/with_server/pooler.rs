//! A pooler between sps and the server is noticed, and does not confuse what is not timed.

use crate::support::{run, skip, sps};

/// PgBouncer in transaction mode before a server of its own; it refuses to run as root.
const SCRIPT: &str = r#"
    set -eu
    dir=$(mktemp -d /tmp/sps-test-XXXXXX); cd "$dir"
    trap 'kill $bouncer; wait; rm -rf "$dir"' EXIT
    cat >"$dir/ini" <<END
[databases]
postgres = host=$PGHOST port=5432 user=postgres
[pgbouncer]
unix_socket_dir = $dir
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 2
END
    as=()
    if [ "$(id -u)" = 0 ]; then
      chown -R postgres "$dir"
      as=(setpriv --reuid=postgres --regid=postgres --init-groups)
    fi
    "${as[@]}" pgbouncer -q "$dir/ini" >"$dir/log" 2>&1 & bouncer=$!
    for _ in $(seq 100); do [ -e "$dir/.s.PGSQL.6432" ] && break; sleep 0.05; done
    for turn in 1 2 3; do "$SPS" check -h "$dir" -p 6432 -d postgres; done
    for mode in simple extended; do "$SPS" run -S -M $mode -c 4 -j 2 -T 1 -h "$dir" -p 6432 -d postgres --record r.$$; rm r.$$; done
    code=0; "$SPS" run -S -M prepared -c 4 -j 2 -T 1 -h "$dir" -p 6432 -d postgres --record /dev/null 2>&1 || code=$?
    echo "prepared: $code"
    echo directly; "$SPS" check
"#;

#[test]
fn a_pooler_is_found_simple_and_extended_pass_and_prepared_names_it() {
    if run(std::process::Command::new("sh").args(["-c", "command -v pgbouncer"])).code != Some(0) {
        return skip("pgbouncer is not installed");
    }
    let mut server = sps(&["server", "-s", "1", "--", "bash", "-c", SCRIPT]);
    let said = run(server
        .env("SPS", env!("CARGO_BIN_EXE_sps"))
        .env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap())));
    let (pooled, direct) = said.code(0).stdout.split_once("directly").unwrap();
    assert_eq!(pooled.matches("unix+pooler").count(), 5, "{said:?}");
    let advice = "a pooler passes each message on, which the wire arms pay for twice: connect to the server itself";
    assert!(pooled.matches(advice).count() >= 3, "{said:?}");
    // those that need no statement to be there run; the other says why it does not
    assert_eq!(pooled.matches("selects per second").count(), 2, "{said:?}");
    assert!(
        pooled.contains("prepared: 1") && pooled.contains("hint: a transaction pooler (PgBouncer) between"),
        "{said:?}"
    );
    assert!(!direct.contains("pooler") && direct.contains("100000 keys"), "{direct}");
}
