//! `sps run`: pgbench's flags, pgbench's lines, and a record of the same shape as compare's.

use crate::schema;
use crate::support::{Database, run};

fn lines(db: &Database, args: &[&str]) -> String {
    let mut all = vec!["run", "--pin", "free", "--record", "/dev/null"];
    all.extend(args);
    run(&mut db.sps(&all)).code(0).stdout.clone()
}

#[track_caller]
fn holds(printed: &str, expected: &[&str]) {
    for line in expected {
        assert!(printed.lines().any(|printed| printed == *line), "no \"{line}\" in\n{printed}");
    }
}

/// What stands before the number in a line, numbers within it left out.
fn label(line: &str) -> String {
    let label = line.split([':', '=']).next().unwrap();
    label.chars().filter(|c| !c.is_ascii_digit()).collect::<String>().trim_end_matches("s, . tps, lat . ms").into()
}

/// pgbench and `sps run` with the same flags, their lines.
fn both(db: &Database, args: &[&str]) -> [Vec<String>; 2] {
    let split = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
    let mut pgbench = super::wire::pgbench();
    pgbench.arg("-n").args(args).env("PGDATABASE", &db.name);
    let theirs = run(&mut pgbench).code(0).stdout.clone();
    let ours = run(db.sps(&["run"]).args(args).args(["-n", "--record", "/dev/null"]));
    [split(&theirs), split(&ours.code(0).stdout)]
}

/// Every line of pgbench's, in its order and before any of ours; what depends on no clock to the last letter.
#[track_caller]
fn same_lines(args: &[&str]) {
    let db = Database::filled();
    let [theirs, ours] = both(&db, args);
    let labels = |lines: &[String]| lines.iter().skip(1).map(|line| label(line)).collect::<Vec<_>>();
    assert!(ours[0].starts_with("sps (") && theirs[0].starts_with("pgbench ("), "{ours:#?} {theirs:#?}");
    assert_eq!(labels(&ours[..theirs.len()]), labels(&theirs), "{ours:#?}");
    assert!(ours[theirs.len()].starts_with("selects per second = "), "{ours:#?}");
    for line in ["transaction type", "scaling", "query", "number of clients", "number of threads", "duration"] {
        let find = |lines: &[String]| lines.iter().find(|found| found.starts_with(line)).cloned();
        assert_eq!(find(&ours), find(&theirs));
    }
}

#[test]
fn select_only_prints_what_pgbench_prints() {
    same_lines(&["-S", "-M", "prepared", "-c", "4", "-j", "2", "-T", "1"]);
    same_lines(&["-S", "-M", "extended", "-c", "2", "-j", "5", "-t", "20", "--random-seed", "5"]);
}

#[test]
fn rate_and_limit_print_what_pgbench_prints() {
    same_lines(&["-S", "-T", "1", "-R", "300", "-L", "50"]);
    same_lines(&["-S", "-T", "1", "-R", "300"]);
    same_lines(&["-S", "-t", "30", "-L", "5"]);
}

#[test]
fn transactions_of_each_client_are_counted_as_pgbench_counts_them() {
    let db = Database::filled();
    let [theirs, ours] = both(&db, &["-S", "-M", "prepared", "-c", "3", "-t", "70"]);
    let processed = "number of transactions actually processed: 210/210".to_owned();
    assert!(theirs.contains(&processed) && ours.contains(&processed), "{ours:#?}");
    holds(
        &ours.join("\n"),
        &[
            "number of transactions per client: 70",
            "number of failed transactions: 0 (0.000%)",
            "number of selects that found no row: 0 (0.000%)",
            "placement: free",
        ],
    );
}

#[test]
fn progress_and_statement_latencies_read_as_pgbenchs() {
    let db = Database::filled();
    let args = ["-S", "-T", "2", "--progress", "1", "-r"];
    let mut pgbench = super::wire::pgbench();
    pgbench.args(["-n", "-S", "-T", "2", "-P", "1", "-r"]).env("PGDATABASE", &db.name);
    let theirs = run(&mut pgbench);
    let ours = run(db.sps(&["run"]).args(args).args(["--record", "/dev/null"]));
    let shape = |line: &str| line.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let progress =
        |text: &str| text.lines().filter(|line| line.starts_with("progress: ")).map(shape).collect::<Vec<_>>();
    let (theirs_shown, ours_shown) = (progress(&theirs.code(0).stderr), progress(&ours.code(0).stderr));
    assert_eq!(ours_shown.len(), 2, "{ours:#?}");
    assert_eq!(ours_shown[0], theirs_shown[0]);
    assert!(ours.stdout.contains("latency stddev = "), "{ours:#?}");
    let last = |text: &str| text.lines().rev().find(|line| line.contains("SELECT abalance")).map(String::from).unwrap();
    let words = |line: String| line.split_whitespace().skip(1).map(String::from).collect::<Vec<_>>();
    let (theirs, ours) = (words(last(&theirs.stdout)), words(last(&ours.stdout)));
    // failures, then the statement; the table is named with its schema, the parameter by another name
    assert_eq!((&ours[..4], ours.len()), (&theirs[..4], theirs.len()));
}

#[test]
fn the_patchs_loop_counts_calls_as_transactions() {
    let db = Database::filled();
    let printed = lines(&db, &["-P", "-t", "3", "--selects", "200"]);
    holds(
        &printed,
        &[
            "transaction type: <layer: plpgsql>",
            "number of transactions actually processed: 3/3",
            "number of selects per call: 200",
            "number of selects that found no row: 0 (0.000%)",
        ],
    );
    assert!(printed.contains("latency of a call: "), "{printed}");
}

#[test]
fn at_a_rate_latencies_count_from_the_due_time() {
    let db = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("r.jsonl");
    // all are due at once, and each waits for those before it
    let args = ["run", "-S", "-R", "3000000", "-L", "600000", "-t", "60", "-c", "3", "-j", "2", "--seed", "4"];
    run(db.sps(&args).args(["--record", record.to_str().unwrap()])).code(0);
    let text = std::fs::read_to_string(&record).unwrap();
    schema::check_record(&text);
    let [block] = &sps::record::read(&record).unwrap().blocks[..] else { panic!("{text}") };
    let latency = block.latency.as_ref().unwrap();
    assert_eq!((block.selects, latency.count, latency.late, latency.skipped), (180, 180, Some(0), Some(0)));
    // waiting to be sent is a part of the wait
    assert!(latency.lag_mean_ns.unwrap() < latency.mean_ns && latency.lag_max_ns.unwrap() <= latency.max_ns);
}

#[test]
fn what_would_be_late_already_is_skipped() {
    let db = Database::filled();
    // more than a server does for one client, and not too much to skip
    let printed = lines(&db, &["-S", "-R", "200000", "-L", "0.5", "-T", "1"]);
    let skipped = printed.lines().find_map(|line| line.strip_prefix("number of transactions skipped: ")).unwrap();
    assert!(skipped.split(' ').next().unwrap().parse::<u64>().unwrap() > 10_000, "{printed}");
}

#[test]
fn arms_with_several_under_way_have_no_rate() {
    let db = Database::filled();
    for arm in ["pipeline", "tokio"] {
        run(&mut db.sps(&["run", "--arm", arm, "-R", "10"])).code(2).complains("cannot be run at a rate");
    }
}

#[test]
fn flags_of_pgbench_that_make_no_sense_here_say_what_to_do() {
    for (args, hint) in [
        (&["-C"][..], "connections that stay"),
        (&["-l"], "histogram of latencies"),
        (&["-f", "x.sql"], "pgbench runs scripts"),
        (&["-i"], "use sps init"),
        (&["-P", "5"], "use --progress 5"),
        (&["-R", "0"], "above 0"),
        (&["-t", "5", "--progress", "1"], "--progress"),
        (&["-d", "a", "b"], "named twice"),
    ] {
        run(crate::support::sps(&["run"]).args(args)).code(2).complains(hint);
    }
}

#[test]
fn the_database_may_come_last_and_an_unused_scale_is_said() {
    let db = Database::filled();
    let said =
        run(db.sps(&["run", "-S", "-t", "5", "-s", "7", "--record", "/dev/null", &db.name]).env_remove("PGDATABASE"));
    assert!(said.code(0).stdout.contains("warning: --scale 7 is for a private server's tables"), "{said:#?}");
}

#[test]
fn a_time_ends_the_run_and_the_record_holds_its_blocks() {
    let db = Database::filled();
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("r.jsonl");
    let begun = std::time::Instant::now();
    let args = ["run", "-S", "--pin", "free", "-T", "1", "--record", record.to_str().unwrap()];
    run(&mut db.sps(&args)).code(0);
    assert!(begun.elapsed().as_secs_f64() >= 1.0);
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.lines().count() >= 5, "{text}");
    schema::check_record(&text);
}

#[test]
fn flags_that_contradict_each_other_are_usage_errors() {
    let db = Database::filled();
    for args in
        [&["run", "-S", "-P"][..], &["run", "-P", "-M", "simple"], &["run", "-T", "1", "-t", "1"], &["run", "-c", "0"]]
    {
        run(&mut db.sps(args)).code(2);
    }
}

#[test]
fn missing_tables_are_one_error_that_says_what_to_do() {
    let db = Database::empty();
    let said = run(&mut db.sps(&["run", "-S", "-t", "1", "--record", "/dev/null"]));
    said.code(1).complains("pgbench_accounts").complains("sps init").complains(&db.name);
}
