//! Records survive: kill -9, a full disk, a reader that goes away.

mod alone {
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use sps::record::{Record, Status, read};
    use sps::report;

    use crate::support::{Database, run, skip};

    const ARGS: [&str; 8] = ["compare", "--block", "20", "--pin", "free", "-q", "simple", "prepared"];

    /// Waits until the file has `lines` lines.
    #[track_caller]
    fn written(path: &Path, lines: usize) {
        let begun = Instant::now();
        while std::fs::read_to_string(path).unwrap_or_default().lines().count() < lines {
            assert!(begun.elapsed() < Duration::from_secs(20), "the record does not grow");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Blocks follow each other without a gap: none that was finished is missing.
    #[track_caller]
    fn whole(record: &Record) {
        let arms = record.header.arms.len();
        for (at, block) in record.blocks.iter().enumerate() {
            assert_eq!((block.round as usize, block.position as usize), (at / arms, at % arms));
        }
    }

    #[test]
    fn kill_9_loses_at_most_the_block_in_progress_and_the_rest_reports() {
        let db = Database::filled();
        let folder = tempfile::tempdir().unwrap();
        // in the header, in the first block, at some time within a block
        for (at, lines) in [1, 2, 9, 30].into_iter().enumerate() {
            let path = folder.path().join(format!("{at}.jsonl"));
            let mut sps = db.sps(&ARGS);
            let mut running =
                sps.arg("--record").arg(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            written(&path, lines);
            let seen = std::fs::read_to_string(&path).unwrap().lines().count();
            kill(Pid::from_raw(running.id() as i32), Signal::SIGKILL).unwrap();
            assert_eq!(running.wait().unwrap().code(), None);
            let record = read(&path).unwrap();
            assert!(record.summary.is_none() && record.blocks.len() + 1 >= seen, "a block that was there is lost");
            whole(&record);
            let summary = report::of_record(&record, "r").summary;
            assert_eq!(summary.status, Status::Unfinished);
            let said = run(db.sps(&["report", "--format", "markdown"]).arg(&path));
            said.code(0);
            assert!(said.stdout.contains("the run was killed"), "{said:#?}");
        }
    }

    /// A file system of its own, taken away at the end.
    struct Tiny<'a>(&'a Path);

    impl<'a> Tiny<'a> {
        fn new(place: &'a Path, size: &str) -> Option<Self> {
            let mount = Command::new("mount").args(["-t", "tmpfs", "-o", size, "tmpfs"]).arg(place).output();
            mount.is_ok_and(|output| output.status.success()).then_some(Self(place))
        }
    }

    impl Drop for Tiny<'_> {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(self.0).status();
        }
    }

    #[test]
    fn a_disk_that_fills_up_ends_the_run_and_keeps_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let Some(_tiny) = Tiny::new(folder.path(), "size=24k") else {
            skip("no right to mount: no disk to fill");
            return;
        };
        let db = Database::filled();
        let path = folder.path().join("r.jsonl");
        let said = run(db.sps(&ARGS).arg("--record").arg(&path));
        said.code(1).complains("No space left on device").complains("--record");
        assert_eq!(said.stderr.matches("sps: ").count(), 1, "{said:#?}");
        assert!(!said.stderr.contains("panic"), "{said:#?}");
        let record = read(&path).unwrap();
        assert!(record.torn && record.summary.is_none() && !record.blocks.is_empty(), "{}", record.blocks.len());
        whole(&record);
        run(db.sps(&["report"]).arg(&path)).code(0);
    }

    #[test]
    fn a_reader_of_the_record_that_goes_away_ends_the_run() {
        let db = Database::filled();
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let mut reader = Command::new("head").arg("-n1").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
        let said = run(db.sps(&ARGS).arg("--record").arg(&pipe));
        reader.wait().unwrap();
        said.code(1).complains("Broken pipe").complains("what read the record has ended");
    }
}

use crate::support::{Database, run};

#[test]
fn the_header_says_what_the_machine_and_the_server_are() {
    let db = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let args = ["compare", "--rounds", "1", "--block", "5", "--pin", "free", "-q", "prepared", "--record"];
    run(db.sps(&args).arg(&path)).code(0);
    let header = sps::record::read(&path).unwrap().header;
    let host = &header.host;
    assert_eq!(host.kernel.as_deref(), nix::sys::utsname::uname().unwrap().release().to_str());
    assert!(host.load.is_some() && host.steal.is_some() && host.huge_pages.is_some());
    // by the server's own pg_config
    let pg_config = std::env::var("SPS_PG_CONFIG").unwrap();
    let output = std::process::Command::new(pg_config).arg("--configure").output().unwrap();
    let build = header.server.build.unwrap();
    assert_eq!(build.configure.trim(), String::from_utf8(output.stdout).unwrap().trim());
    assert!(build.cflags.contains("-O"), "{}", build.cflags);
    assert_eq!(header.server.settings.get("jit").map(String::as_str), Some("off"));
    assert_eq!(header.command_line.last().map(String::as_str), path.to_str());
}

#[test]
fn what_was_not_checked_is_in_the_block_it_concerns() {
    let db = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    db.session().batch(&format!("alter database {} set track_counts = off", db.name)).unwrap();
    let args = ["compare", "--rounds", "1", "--block", "5", "--pin", "free", "prepared", "--record"];
    let said = run(db.sps(&args).arg(&path));
    said.code(0);
    assert!(said.stdout.contains("prepared@free: index scans were not checked: track_counts is off"), "{said:#?}");
    let record = sps::record::read(&path).unwrap();
    assert_eq!(record.blocks[0].notes, ["index scans were not checked: track_counts is off"]);
}
