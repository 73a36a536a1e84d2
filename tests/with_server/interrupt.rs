//! Ctrl-C ends what runs on the server, keeps what was measured, and leaves nothing behind.

mod alone {
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use nix::sys::signal::{Signal, kill, killpg};
    use nix::unistd::Pid;
    use sps::record::{self, Status};

    use crate::support::{Database, skip, sps};

    fn start(mut command: Command) -> Child {
        // a group of its own, as a shell gives it: the terminal signals all of it
        command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn interrupt(sps: &Child) {
        killpg(Pid::from_raw(sps.id() as i32), Signal::SIGINT).unwrap();
    }

    #[track_caller]
    fn within<T>(limit: Duration, what: &str, mut seen: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(value) = seen() {
                return value;
            }
            assert!(begun.elapsed() < limit, "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn code(sps: &mut Child, limit: Duration) -> Option<i32> {
        within(limit, "sps does not end", || sps.try_wait().unwrap()).code()
    }

    /// The backend of another session of `db` that runs something like `sql`.
    fn active(db: &Database, sql: &str) -> Option<i32> {
        let query = "select pid from pg_stat_activity where state = 'active' and datname = current_database()
                     and pid <> pg_backend_pid() and query like $1";
        db.session().query_opt(query, &[&sql]).unwrap().map(|row| row.get(0))
    }

    const SECONDS: Duration = Duration::from_secs(10);

    #[test]
    fn ctrl_c_cancels_a_call_that_would_run_for_minutes() {
        let db = Database::filled();
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let args = ["run", "-P", "--pin", "free", "-T", "60", "--selects", "1000000000", "--record"];
        let mut command = db.sps(&args);
        command.arg(&record);
        let mut running = start(command);
        // the warm-up's call is short, the timed one is not
        within(SECONDS, "the loop does not start", || {
            std::thread::sleep(Duration::from_millis(300));
            active(&db, "%1000000000%").or_else(|| active(&db, "DO %"))
        });
        interrupt(&running);
        assert_eq!(code(&mut running, SECONDS), Some(130));
        assert_eq!(active(&db, "%"), None);
        let record = record::read(&record).unwrap();
        assert_eq!(record.summary.unwrap().status, Status::Interrupted);
    }

    #[test]
    fn ctrl_c_keeps_the_blocks_so_far() {
        let db = Database::filled();
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let args = ["compare", "prepared", "simple", "--pin", "free", "--quiet", "--block", "50", "--record"];
        let mut command = db.sps(&args);
        command.arg(&record);
        let mut running = start(command);
        let blocks = || std::fs::read_to_string(&record).map_or(0, |text| text.lines().count().saturating_sub(1));
        within(SECONDS, "nothing is measured", || (blocks() >= 5).then_some(()));
        interrupt(&running);
        assert_eq!(code(&mut running, SECONDS), Some(130));
        let record = record::read(&record).unwrap();
        assert!(record.blocks.len() >= 5);
        assert_eq!(record.summary.unwrap().status, Status::Interrupted);
    }

    #[test]
    fn ctrl_c_removes_the_private_server() {
        removes_the_private_server(Signal::SIGINT);
    }

    #[test]
    fn a_terminal_that_is_closed_removes_the_private_server() {
        removes_the_private_server(Signal::SIGHUP);
    }

    #[test]
    fn nohup_keeps_its_promise() {
        let db = Database::filled();
        let run = db.sps(&["run", "-S", "-T", "2", "--record", "/dev/null"]);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(run.get_program()).args(run.get_args());
        for (name, value) in run.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let mut running = start(command);
        within(SECONDS, "nothing runs", || active(&db, "%"));
        killpg(Pid::from_raw(running.id() as i32), Signal::SIGHUP).unwrap();
        assert_eq!(code(&mut running, SECONDS), Some(0));
    }

    fn removes_the_private_server(signal: Signal) {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut command = sps(&["run", "--private", "--scale", "1", "-T", "60", "--record", "/dev/null"]);
        command.env("TMPDIR", folder.path());
        let mut running = start(command);
        let postmaster = within(2 * SECONDS, "no private server", || {
            let inside = std::fs::read_dir(folder.path()).unwrap().flatten();
            let file = inside.map(|entry| entry.path().join("data/postmaster.pid")).find(|file| file.exists())?;
            std::fs::read_to_string(file).ok()?.lines().next()?.parse::<i32>().ok()
        });
        std::thread::sleep(Duration::from_millis(700));
        killpg(Pid::from_raw(running.id() as i32), signal).unwrap();
        assert_eq!(code(&mut running, 2 * SECONDS), Some(130));
        assert!(!Path::new(&format!("/proc/{postmaster}")).exists());
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[test]
    fn a_second_ctrl_c_does_not_wait_for_a_server_that_hangs() {
        let db = Database::filled();
        let args = ["run", "-P", "--pin", "free", "--selects", "1000000000", "--record", "/dev/null"];
        let mut running = start(db.sps(&args));
        let backend = within(SECONDS, "the loop does not start", || {
            std::thread::sleep(Duration::from_millis(300));
            active(&db, "%1000000000%").or_else(|| active(&db, "DO %"))
        });
        let backend = Pid::from_raw(backend);
        if kill(backend, Signal::SIGSTOP).is_err() {
            running.kill().and_then(|()| running.wait()).unwrap();
            return skip("the server's processes are another user's");
        }
        interrupt(&running);
        std::thread::sleep(Duration::from_millis(500));
        let waiting = running.try_wait().unwrap().is_none();
        interrupt(&running);
        let ended = code(&mut running, SECONDS);
        kill(backend, Signal::SIGCONT).unwrap();
        assert!(waiting, "it did not wait for the server's answer");
        assert_eq!(ended, Some(130));
    }
}
