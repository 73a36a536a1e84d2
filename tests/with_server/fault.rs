//! What breaks in mid-run: the block that it hits is lost and counted, and nothing else is.

mod alone {
    use std::io::{Read, Write};
    use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::{Duration, Instant};

    use sps::record::{self, Record, Status};

    use crate::schema::check_line;
    use crate::standby::Standby;
    use crate::support::{Database, Said, run};

    const ROUNDS: usize = 20;

    /// A run of two arms that takes a few seconds, into `record`.
    fn started(mut command: Command, record: &Path) -> Child {
        command.arg("--record").arg(record);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    const ARGS: [&str; 10] =
        ["compare", "prepared", "simple", "--pin", "free", "--block", "100", "--rounds", "20", "--json"];

    fn args() -> Vec<&'static str> {
        [&ARGS[..], &["-", "-c", "2", "-j", "2"]].concat()
    }

    #[track_caller]
    fn when_measuring(record: &Path) {
        let begun = Instant::now();
        while std::fs::read_to_string(record).map_or(0, |text| text.lines().count()) < 6 {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing is measured");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn ended(running: Child) -> Said {
        let output = running.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Everything is there but for some blocks, and those are told of.
    #[track_caller]
    fn lost_little(record: &Path, said: &Said) -> Record {
        said.code(0);
        for line in std::fs::read_to_string(record).unwrap().lines() {
            check_line(&serde_json::from_str(line).unwrap());
        }
        let record = record::read(record).unwrap();
        let summary = record.summary.as_ref().unwrap();
        assert!((1..=4).contains(&record.lost.len()), "{:?}", record.lost);
        assert_eq!(record.blocks.len() + record.lost.len(), 2 * ROUNDS);
        assert_eq!((summary.status, summary.lost_blocks), (Status::Done, record.lost.len()));
        let warned = summary.warnings.iter().any(|warning| warning.contains("lost with a connection, and not counted"));
        assert!(warned, "{:?}", summary.warnings);
        assert!(record.blocks.iter().all(|block| block.found == Some(block.selects)));
        let json: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        assert_eq!(json["lost_blocks"], record.lost.len());
        record
    }

    #[test]
    fn a_terminated_backend_costs_a_block() {
        let db = Database::filled();
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let running = started(db.sps(&args()), &record);
        when_measuring(&record);
        let sql = "select pg_terminate_backend(pid) from pg_stat_activity
                   where datname = current_database() and pid <> pg_backend_pid() and query like '%abalance%'";
        db.session().query(sql, &[]).unwrap();
        let record = lost_little(&record, &ended(running));
        assert!(record.lost[0].error.contains("57P01"), "{:?}", record.lost);
    }

    #[test]
    fn a_restarted_server_costs_a_block() {
        let db = Database::filled();
        let mut standby = Standby::start();
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let mut command = db.sps(&args());
        command.env("PGHOST", standby.folder()).env("PGPORT", "5432");
        let running = started(command, &record);
        when_measuring(&record);
        standby.restart();
        lost_little(&record, &ended(running));
    }

    #[test]
    fn a_server_that_stays_away_ends_the_run_and_what_was_measured_is_kept() {
        let db = Database::filled();
        let mut standby = Standby::start();
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let mut command = db.sps(&args());
        command.env("PGHOST", standby.folder()).env("PGPORT", "5432");
        let running = started(command, &record);
        when_measuring(&record);
        standby.stop();
        // it is waited for as long as a restart may take
        ended(running).code(1).complains("cannot connect to ").complains("\nhint: ");
        let kept = record::read(&record).unwrap();
        assert!(kept.blocks.len() >= 4 && kept.lost.len() == 1, "{} {:?}", kept.blocks.len(), kept.lost);
        assert_eq!(kept.summary.unwrap().status, Status::Failed);
        run(db.sps(&["report"]).arg(&record)).code(0);
    }

    /// Passes bytes between TCP and the tests' server, until it is told otherwise.
    struct Proxy {
        address: SocketAddr,
        /// Connections that there are now: they pass nothing on any more once theirs is set.
        deaf: Arc<Mutex<Vec<Arc<AtomicBool>>>>,
        sockets: Arc<Mutex<Vec<TcpStream>>>,
    }

    impl Proxy {
        fn start() -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let (host, port) = (std::env::var("PGHOST").unwrap(), std::env::var("PGPORT").unwrap());
            let server = Path::new(&host).join(format!(".s.PGSQL.{port}"));
            let (deaf, sockets): (Arc<Mutex<Vec<_>>>, Arc<Mutex<Vec<_>>>) = (Arc::default(), Arc::default());
            let proxy = Self { address, deaf: deaf.clone(), sockets: sockets.clone() };
            thread::spawn(move || {
                for client in listener.incoming().map_while(Result::ok) {
                    let server = UnixStream::connect(&server).unwrap();
                    let off = Arc::new(AtomicBool::new(false));
                    deaf.lock().unwrap().push(off.clone());
                    client.set_nodelay(true).unwrap();
                    sockets.lock().unwrap().push(client.try_clone().unwrap());
                    let (answers, back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                    let quiet = off.clone();
                    thread::spawn(move || pass(client, server, &off));
                    thread::spawn(move || pass(answers, back, &quiet));
                }
            });
            proxy
        }

        /// The connections of now break.
        fn cut(&self) {
            self.sockets.lock().unwrap().drain(..).for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
        }

        /// The connections of now stay, and say nothing more.
        fn hush(&self) {
            self.deaf.lock().unwrap().drain(..).for_each(|off| off.store(true, Ordering::SeqCst));
        }
    }

    fn pass(mut from: impl Read, mut to: impl Write, off: &AtomicBool) {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            if !off.load(Ordering::SeqCst) && to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
    }

    fn through(proxy: &Proxy, db: &Database, record: &Path) -> Child {
        let string = format!(
            "host=127.0.0.1 port={} dbname={} user={} tcp_user_timeout=1500",
            proxy.address.port(),
            db.name,
            std::env::var("PGUSER").unwrap()
        );
        started(db.sps(&[&args()[..], &["-d", &string]].concat()), record)
    }

    #[test]
    fn a_network_that_breaks_costs_a_block() {
        let (db, proxy) = (Database::filled(), Proxy::start());
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let running = through(&proxy, &db, &record);
        when_measuring(&record);
        proxy.cut();
        lost_little(&record, &ended(running));
    }

    #[test]
    fn a_network_that_falls_silent_costs_a_block_and_is_not_waited_for() {
        let (db, proxy) = (Database::filled(), Proxy::start());
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let running = through(&proxy, &db, &record);
        when_measuring(&record);
        proxy.hush();
        let record = lost_little(&record, &ended(running));
        assert!(record.lost[0].error.contains("the server gave no answer"), "{:?}", record.lost);
    }

    #[test]
    fn a_statement_timeout_is_named_and_what_was_measured_is_kept() {
        let db = Database::filled();
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("r.jsonl");
        let mut command = db.sps(&["compare", "simple", "plpgsql", "--pin", "free", "--block", "100", "--quiet"]);
        command.args(["--selects", "1000000", "--seed", "1", "--record"]).arg(&record);
        let said = run(command.env("PGOPTIONS", "-c statement_timeout=100"));
        said.code(1).complains("statement timeout").complains("hint: statement_timeout is shorter than a call takes");
        let record = record::read(&record).unwrap();
        assert_eq!(record.summary.unwrap().status, Status::Failed);
        assert!(record.lost.is_empty());
        let left = "select count(*) from pg_stat_activity where datname = current_database() and state = 'active'
                    and pid <> pg_backend_pid()";
        assert_eq!(db.session().query_one(left, &[]).unwrap().get::<_, i64>(0), 0);
    }
}
