//! The private server comes, serves and goes, whatever happens to sps.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, User, geteuid};

use crate::support::{run, skip, sps};

/// `sps server` holding a private server, until told to go.
struct Held {
    sps: Child,
    /// What the command under it runs as, so that it can be ended when sps no longer can.
    command: Pid,
    socket: PathBuf,
}

impl Held {
    fn start(mut server: Command) -> Self {
        let script = "echo $$; echo $PGHOST; exec sleep 600";
        let mut sps = server.args(["--", "sh", "-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(sps.stdout.take().unwrap()).lines().map(Result::unwrap);
        let command = Pid::from_raw(lines.next().expect("no server").parse().unwrap());
        Self { sps, command, socket: lines.next().unwrap().into() }
    }

    fn folder(&self) -> &Path {
        self.socket.parent().unwrap()
    }

    fn postmaster(&self) -> i32 {
        let text = std::fs::read_to_string(self.folder().join("data/postmaster.pid")).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = kill(self.command, Signal::SIGKILL);
        let _ = self.sps.wait();
    }
}

#[track_caller]
fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(15), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn runs(pid: i32) -> bool {
    Path::new(&format!("/proc/{pid}/exe")).read_link().is_ok()
}

#[test]
fn a_command_finds_its_server_and_its_exit_code_is_ours() {
    let said = run(&mut sps(&[
        "server",
        "-s",
        "1",
        "--",
        "psql",
        "-Atc",
        "select count(*), sum(abalance) from pgbench_accounts",
    ]));
    assert_eq!(said.code(0).stdout, "100000|5000150000\n");
    run(&mut sps(&["server", "--", "sh", "-c", "exit 7"])).code(7);
    run(&mut sps(&["server", "--", "sh", "-c", "kill -TERM $$"])).code(143);
    run(&mut sps(&["server", "--", "/no/such/program"])).code(1).complains("cannot run /no/such/program");
    run(&mut sps(&["server"])).code(2);
}

#[test]
fn its_settings_are_those_of_a_measurement_and_set_goes_over_them() {
    let shown = "select string_agg(current_setting(name), ' ') from unnest(array['jit', 'autovacuum', 'max_wal_size', \
                 'checkpoint_timeout', 'fsync', 'full_page_writes', 'shared_buffers', 'listen_addresses']) name";
    let said = run(&mut sps(&["server", "--", "psql", "-Atc", shown]));
    assert_eq!(said.code(0).stdout, "off off 4GB 1h off off 128MB \n");
    let said = run(&mut sps(&[
        "server",
        "--set",
        "fsync=on",
        "--set",
        "application_name=it's",
        "--",
        "psql",
        "-Atc",
        "select current_setting('fsync'), reset_val from pg_settings where name = 'application_name'",
    ]));
    assert_eq!(said.code(0).stdout.lines().next().unwrap().split('|').next(), Some("on"));
    run(&mut sps(&["server", "--set", "fsync", "--", "true"])).code(2).complains("NAME=VALUE");
}

#[test]
fn variables_of_ours_do_not_reach_the_server() {
    let mut server = sps(&["server"]);
    server.env("RUST_BACKTRACE", "1").env("PGOPTIONS", "-c jit=on").env("PGDATA", "/nowhere");
    let held = Held::start(server);
    let environment = std::fs::read(format!("/proc/{}/environ", held.postmaster())).unwrap();
    let environment = String::from_utf8_lossy(&environment);
    for start in ["RUST_", "PGOPTIONS", "PGDATA"] {
        assert!(!environment.split('\0').any(|variable| variable.starts_with(start)), "{environment}");
    }
}

#[test]
fn a_server_that_does_not_start_shows_the_end_of_its_log_and_leaves_nothing() {
    let directory = tempfile::Builder::new().prefix("sps-test-").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(directory.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut server = sps(&["server", "--set", "shared_buffers=1 potato", "--", "true"]);
    let said = run(server.env("TMPDIR", directory.path()));
    said.code(1).complains("did not start").complains("shared_buffers").complains("hint: ");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_environment_that_names_a_server_does_not_matter_with_private() {
    let mut check = sps(&["check", "--private", "-s", "1"]);
    let said =
        run(check.env("PGHOST", "/nowhere").env("PGPORT", "1").env("PGDATABASE", "nope").env("PGOPTIONS", "-c jit=on"));
    assert!(said.code(0).stdout.contains("public.pgbench_accounts: 100000 keys"));
    run(&mut sps(&["check", "--private", "-h", "x"])).code(2);
    run(&mut sps(&["check", "--keep", "-h", "x"])).code(2).complains("--private");
}

#[test]
fn a_long_tmpdir_does_not_make_the_socket_too_long() {
    let outer = tempfile::Builder::new().prefix("sps-test-").tempdir_in("/tmp").unwrap();
    let long = outer.path().join("x".repeat(100));
    std::fs::create_dir(&long).unwrap();
    for directory in [outer.path(), &long] {
        std::fs::set_permissions(directory, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut server =
        sps(&["server", "--", "psql", "-Atc", "show data_directory", "-c", "show unix_socket_directories"]);
    let said = run(server.env("TMPDIR", &long));
    let lines: Vec<&str> = said.code(0).stdout.lines().collect();
    assert!(Path::new(lines[0]).starts_with(&long), "{said:?}");
    assert!(lines[1].len() < 90 && !Path::new(lines[1]).exists(), "{said:?}");
    assert_eq!(std::fs::read_dir(&long).unwrap().count(), 0);
}

#[test]
fn a_tmpdir_with_quotes_is_left_alone() {
    let folder = tempfile::Builder::new().prefix("a 'b\" $c").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    run(sps(&["server", "--", "psql", "-Xqc", "select 1"]).env("TMPDIR", folder.path())).code(0);
}

#[test]
fn a_kept_server_says_how_to_reach_and_end_it() {
    let said = run(&mut sps(&["server", "--keep", "--", "true"]));
    let farewell = said.code(0).stderr.lines().find(|line| line.contains("is kept")).unwrap().to_owned();
    let (_, commands) = farewell.split_once(": psql ").unwrap();
    let (reach, end) = commands.split_once("; to end it: kill -INT ").unwrap();
    let (pid, folder) = end.split_once(", then remove ").unwrap();
    // another private server is no reason to take a kept one for a leftover
    run(&mut sps(&["server", "--", "true"])).code(0);
    assert_eq!(run(Command::new("psql").args(reach.split(' ')).args(["-Atc", "select 1"])).code(0).stdout, "1\n");
    let pid: i32 = pid.parse().unwrap();
    kill(Pid::from_raw(pid), Signal::SIGINT).unwrap();
    eventually("a kept server ends when asked", || !runs(pid));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn sps_killed_by_signal_9_leaves_no_server_and_the_next_one_removes_its_folder() {
    let (mut killed, other) = (Held::start(sps(&["server"])), Held::start(sps(&["server"])));
    let postmaster = killed.postmaster();
    assert!(runs(postmaster));
    killed.sps.kill().unwrap();
    killed.sps.wait().unwrap();
    eventually("the server dies with sps", || !runs(postmaster));
    assert!(killed.folder().exists());
    run(&mut sps(&["server", "--", "true"])).code(0);
    assert!(!killed.folder().exists());
    // one whose sps lives is left alone
    assert!(runs(other.postmaster()) && other.folder().exists());
}

#[test]
fn sps_told_to_terminate_takes_command_and_server_with_it() {
    let mut held = Held::start(sps(&["server"]));
    let (postmaster, folder) = (held.postmaster(), held.folder().to_owned());
    kill(Pid::from_raw(held.sps.id() as i32), Signal::SIGTERM).unwrap();
    assert_eq!(held.sps.wait().unwrap().code(), Some(143));
    assert!(!runs(postmaster) && !folder.exists());
}

#[test]
fn ctrl_c_while_tables_are_filled_ends_with_130_and_leaves_nothing() {
    let directory = tempfile::Builder::new().prefix("sps-test-").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(directory.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = sps(&["check", "--private", "-s", "100"]);
    let mut filling = command.env("TMPDIR", directory.path()).stdout(Stdio::null()).spawn().unwrap();
    let folder = || std::fs::read_dir(directory.path()).unwrap().flatten().map(|entry| entry.path()).next();
    // 100 MB are less than a tenth of it
    let grown = || folder().is_some_and(|folder| size(&folder.join("data/base")) > 100 << 20);
    eventually("the tables grow", grown);
    kill(Pid::from_raw(filling.id() as i32), Signal::SIGINT).unwrap();
    assert_eq!(filling.wait().unwrap().code(), Some(130));
    assert_eq!(folder(), None);
}

fn size(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[test]
fn an_ordinary_user_gets_one_too() {
    let Some(nobody) = User::from_name("nobody").unwrap().filter(|_| geteuid().is_root()) else {
        return skip("needs root to become another user (an ordinary user runs all the other tests as one)");
    };
    let program = env!("CARGO_BIN_EXE_sps");
    let mut as_nobody = Command::new("setpriv");
    as_nobody.arg(format!("--reuid={}", nobody.uid)).arg(format!("--regid={}", nobody.gid)).arg("--clear-groups");
    // a copy: nobody may not be able to walk to the build directory
    let directory = tempfile::Builder::new().prefix("sps-test-").tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(directory.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let copy = directory.path().join("sps");
    std::fs::copy(program, &copy).unwrap();
    as_nobody
        .arg(&copy)
        .args(["server", "--", "psql", "-Atc", "select 1", "-c", "show data_directory"])
        .env("TMPDIR", "/tmp");
    as_nobody.envs(sps(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    for name in ["PGHOST", "PGPORT", "PGUSER", "PGDATABASE"] {
        as_nobody.env_remove(name);
    }
    let said = run(&mut as_nobody);
    let mut lines = said.code(0).stdout.lines();
    assert_eq!(lines.next(), Some("1"));
    assert!(!Path::new(lines.next().unwrap()).exists());
}

#[test]
fn a_library_built_for_another_version_is_refused_with_both_pg_configs() {
    let directory = tempfile::tempdir().unwrap();
    for file in ["select_loop.so", "select_loop.control", "select_loop--0.1.0.sql"] {
        std::fs::write(directory.path().join(file), "").unwrap();
    }
    let info = "major=9\nversion=PostgreSQL 9.6.1\npg_config=/opt/old/bin/pg_config\n";
    std::fs::write(directory.path().join("build-info"), info).unwrap();
    let given = directory.path().to_str().unwrap();
    let said = run(&mut sps(&["server", "--extension-dir", given, "--", "true"]));
    said.code(1)
        .complains("was built for PostgreSQL 9.6.1 by /opt/old/bin/pg_config")
        .complains("make build PG_CONFIG=");
    run(&mut sps(&["server", "--extension-dir", "/", "--", "true"]))
        .code(1)
        .complains("does not hold the extension's files");
}

/// A library without build-info, as somebody may have copied it: the server itself finds that it is another version's.
#[test]
fn a_library_that_the_server_refuses_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let source = "struct magic { int len, version, rest[62]; };
                  static const struct magic data = { 64, 906 };
                  const struct magic *Pg_magic_func(void) { return &data; }
                  const int *pg_finfo_layers(void) { static const int one = 1; return &one; }
                  int layers(void) { return 0; }";
    std::fs::write(path("select_loop.c"), source).unwrap();
    let mut compiler = Command::new("cc");
    run(compiler.args(["-shared", "-fPIC", "-o"]).arg(path("select_loop.so")).arg(path("select_loop.c"))).code(0);
    let control = "default_version = '0.1.0'\nmodule_pathname = '$libdir/select_loop'\n";
    std::fs::write(path("select_loop.control"), control).unwrap();
    let script = "create function select_loop_layers() returns int as 'MODULE_PATHNAME', 'layers' language c;";
    std::fs::write(path("select_loop--0.1.0.sql"), script).unwrap();
    let said = run(&mut sps(&["server", "--extension-dir", directory.path().to_str().unwrap(), "--", "true"]));
    said.code(1).complains("the extension cannot be used: incompatible library").complains("erver is version");
    said.complains("hint: its library has to be built for this very server: `make build PG_CONFIG=/");
}

#[test]
fn a_pg_config_that_is_none_is_named() {
    run(&mut sps(&["server", "--pg-config", "/no/pg_config", "--", "true"]))
        .code(1)
        .complains("cannot run /no/pg_config");
    run(&mut sps(&["server", "--pg-config", "/bin/true", "--", "true"])).code(1).complains("/bin/true");
}
