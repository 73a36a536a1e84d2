//! `sps profile`: perf on the tests' server, or on a private one where that has to go away.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Database, Said, has_extension, run, skip, sps};

/// False, the skip counted, where perf or a layer is missing.
fn can_profile() -> bool {
    let tried = Command::new("perf").args(["record", "--quiet", "--output", "/dev/null", "--", "true"]).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        skip("there is no perf that may record");
    } else if !has_extension() {
        skip("the server has no extension select_loop");
    } else {
        return true;
    }
    false
}

fn profile(database: &Database, folder: &Path, args: &[&str]) -> Said {
    run(database.sps(&[&["profile", "--time", "2"], args].concat()).current_dir(folder))
}

fn lines(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_layers_samples_lie_under_its_loop() {
    if !can_profile() {
        return;
    }
    let database = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    for layer in ["executor", "rescan", "plpgsql"] {
        let picture = format!("{layer}.svg");
        let said = profile(&database, folder.path(), &[layer, "-o", &picture, "--keep", "--top", "100"]);
        assert!(said.code(0).stdout.contains("under the layer's loop"), "{said:#?}");
        // by perf's own samples, those of set-up included
        let samples = fs::read_to_string(folder.path().join(format!("{layer}.perf.txt"))).unwrap();
        let samples: Vec<&str> = samples.split("\n\n").filter(|sample| !sample.trim().is_empty()).collect();
        let under =
            samples.iter().filter(|sample| sample.contains("5timed") && sample.contains("/select_loop.so)")).count();
        assert!(samples.len() > 100 && under * 100 >= samples.len() * 95, "{layer}: {under} of {}", samples.len());
        assert!(folder.path().join(format!("{layer}.perf.data")).is_file());
        // the picture and the stacks are of the same functions
        let stacks = lines(folder.path(), &format!("{layer}.folded"));
        let looped = stacks.iter().filter(|line| line.starts_with("select_loop::") && line.contains("::timed")).count();
        assert!(looped * 100 >= stacks.len() * 95, "{layer}: {looped} of {}", stacks.len());
        let svg = fs::read_to_string(folder.path().join(&picture)).unwrap();
        assert!(svg.contains("</svg>") && svg.contains("_bt_compare") && said.stdout.contains("_bt_compare"));
    }
}

#[test]
fn the_difference_of_two_layers_is_drawn_from_their_loop_on() {
    if !can_profile() {
        return;
    }
    let database = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let said = profile(&database, folder.path(), &["--diff", "spi", "executor", "--top", "100"]);
    assert!(said.code(0).stdout.contains("executor takes"), "{said:#?}");
    let (base, test) =
        (lines(folder.path(), "spi-executor.base.folded"), lines(folder.path(), "spi-executor.test.folded"));
    let with = |lines: &[String], name: &str| lines.iter().any(|line| line.starts_with(&format!("loop;{name}")));
    assert!(with(&base, "SPI_execute_plan") && !with(&test, "SPI_execute_plan"), "{test:#?}");
    assert!(with(&test, "standard_Executor") || with(&test, "Executor"), "{test:#?}");
    assert!(
        fs::read_to_string(folder.path().join("spi-executor.svg"))
            .unwrap()
            .contains("executor against spi, per select")
    );
}

#[test]
fn of_a_wire_arm_backend_and_client_are_profiled() {
    if !can_profile() {
        return;
    }
    let database = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let said = profile(&database, folder.path(), &["prepared", "-o", "wire.svg"]);
    assert!(said.code(0).stdout.contains("backend\n") && said.stdout.contains("client ("), "{said:#?}");
    let stacks = lines(folder.path(), "wire.folded");
    for (side, function) in [("backend;", "standard_ExecutorRun"), ("client;", "epoll_wait")] {
        let found = stacks.iter().any(|line| line.starts_with(side) && line.contains(function));
        assert!(found, "no {function} in {side}");
    }
}

#[test]
fn a_perf_that_is_missing_or_refused_says_why_and_leaves_nothing() {
    if !has_extension() {
        return skip("the server has no extension select_loop");
    }
    let database = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let said = run(database.sps(&["profile", "rescan"]).current_dir(folder.path()).env("PATH", "/nowhere"));
    said.code(1).complains("perf is not installed").complains("apt-get install linux-perf").complains("--attach-pause");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    // as perf words it where perf_event_paranoid forbids it
    let perf = folder.path().join("perf");
    let refusal = "#!/bin/sh\n[ \"$1\" = --version ] && exec echo perf version 6.1\necho Error: >&2\n\
                   echo 'Access to performance monitoring and observability operations is limited.' >&2\nexit 255\n";
    fs::write(&perf, refusal).unwrap();
    fs::set_permissions(&perf, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let mut command = database.sps(&["profile", "rescan"]);
    let said = run(command.current_dir(folder.path()).env("PATH", path).env("TMPDIR", temporary.path()));
    said.code(1)
        .complains("perf was refused: Access to performance monitoring and observability operations is limited.");
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
}

#[test]
fn a_tool_of_ones_own_is_told_the_processes_and_waited_for() {
    let database = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    // standard input is at its end: nobody is waited for
    let said = profile(&database, folder.path(), &["prepared", "--attach-pause"]);
    let words: Vec<&str> = said.code(0).stdout.split([' ', ',', '\n']).collect();
    let after = |word: &str| words[words.iter().position(|found| *found == word).unwrap() + 1].parse::<i32>().unwrap();
    assert!(after("backend") > 1 && after("client") > 1 && said.stdout.contains(" selects in "), "{said:#?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_profiled_is_refused() {
    let database = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    for (args, text) in [
        (&["pgbench"][..], "pgbench connects by itself"),
        (&["nonsense"], "unknown arm"),
        (&["prepared", "--event", "nonsense"], "perf was refused: "),
    ] {
        let said = profile(&database, folder.path(), args);
        if said.stderr.contains("perf is not installed") {
            return skip("there is no perf");
        }
        assert_ne!(said.code, Some(0), "{args:?}");
        said.complains(text);
    }
    run(sps(&["profile"]).current_dir(folder.path())).code(2).complains("ARM");
    run(sps(&["profile", "spi", "--diff", "spi", "index"]).current_dir(folder.path())).code(2);
}

mod alone {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    use super::can_profile;
    use crate::count::can_count;
    use crate::support::sps;

    /// Command lines of processes that have `word` in theirs.
    fn running(word: &str) -> Vec<String> {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
        lines.filter(|line| line.contains(word)).collect()
    }

    /// A folder for everything temporary that the server's user can reach.
    fn temporary() -> tempfile::TempDir {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        folder
    }

    fn start(mut command: Command, temporary: &Path) -> Child {
        command.current_dir(temporary).env("TMPDIR", temporary).process_group(0);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    #[track_caller]
    fn interrupted_once(mut sps: Child, what: &str, begun: impl Fn() -> bool) {
        let patience = Instant::now();
        while !begun() {
            assert!(patience.elapsed() < Duration::from_secs(60), "{what} does not start");
            assert!(sps.try_wait().unwrap().is_none(), "sps has ended before {what} started");
            std::thread::sleep(Duration::from_millis(50));
        }
        killpg(Pid::from_raw(sps.id() as i32), Signal::SIGINT).unwrap();
        let patience = Instant::now();
        let status = loop {
            if let Some(status) = sps.try_wait().unwrap() {
                break status;
            }
            assert!(patience.elapsed() < Duration::from_secs(40), "sps does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(130));
    }

    #[track_caller]
    fn nothing_is_left(temporary: &Path) {
        let name = temporary.to_str().unwrap();
        assert_eq!(running(name), [""; 0]);
        let left: Vec<_> = fs::read_dir(temporary).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn ctrl_c_ends_perf_and_the_private_server() {
        if !can_profile() {
            return;
        }
        let folder = temporary();
        let command = sps(&["profile", "prepared", "--private", "--scale", "1", "--time", "60"]);
        let perf = || {
            let recording = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with("sps-profile-");
            fs::read_dir(folder.path()).unwrap().flatten().any(recording)
        };
        interrupted_once(start(command, folder.path()), "perf", perf);
        nothing_is_left(folder.path());
    }

    #[test]
    fn ctrl_c_ends_valgrind_and_the_server_under_it() {
        if !can_count() {
            return;
        }
        let folder = temporary();
        let command = sps(&["count", "spi", "--selects", "10000000"]);
        let name = folder.path().to_str().unwrap().to_owned();
        let valgrind = || running(&name).iter().any(|line| line.contains("--tool=callgrind"));
        interrupted_once(start(command, folder.path()), "valgrind", valgrind);
        nothing_is_left(folder.path());
    }
}
