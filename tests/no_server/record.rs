//! Records: written as a run goes, read whole or cut off, never with a password.

use std::fs;
use std::io::Write;
use std::path::Path;

use sps::error::Exit;
use sps::record::{Line, Writer, mask, read, utc};

use crate::fixture;

fn written(folder: &Path) -> std::path::PathBuf {
    let header = fixture::header(&["simple@same", "plpgsql"]);
    let mut writer = Writer::create(Some(folder), "compare").unwrap();
    writer.write(&Line::Header(Box::new(header.clone()))).unwrap();
    for block in fixture::blocks(&header, &[50e3, 150e3], 6) {
        writer.write(&Line::Block(Box::new(block))).unwrap();
    }
    writer.path().to_owned()
}

fn refused(text: &[u8]) -> String {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    let error = read(file.path()).unwrap_err();
    assert_eq!(error.exit, Exit::Failed);
    error.message
}

#[test]
fn a_record_without_summary_reads() {
    let folder = tempfile::tempdir().unwrap();
    let record = read(&written(folder.path())).unwrap();
    assert_eq!((record.blocks.len(), record.torn), (12, false));
    assert!(record.summary.is_none());
    assert_eq!(record.header.plan.seed, 42);
}

#[test]
fn a_record_cut_anywhere_reads_up_to_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let text = fs::read_to_string(&path).unwrap();
    // the header and three blocks: every cut is read
    let whole = text.split_inclusive('\n').take(4).collect::<String>().into_bytes();
    let header_end = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for cut in header_end..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let record = read(&path).unwrap();
        let lines = whole[header_end..cut].iter().filter(|&&byte| byte == b'\n').count();
        // a line that lacks nothing but its line end is whole
        let only_line_end_missing = whole[cut] == b'\n';
        assert_eq!(record.blocks.len(), lines + usize::from(only_line_end_missing), "cut at {cut}");
        assert_eq!(record.torn, whole[cut - 1] != b'\n' && !only_line_end_missing, "cut at {cut}");
    }
    for cut in [0, 1, 20, header_end - 10] {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(read(&path).is_err(), "cut at {cut}");
    }
}

#[test]
fn what_is_no_record_is_refused() {
    assert!(refused(b"").contains("empty"));
    assert!(refused(b"hello\n").contains("not a record"));
    assert!(refused(b"{\"a\":1}\n").contains("not a record"));
    assert!(refused(b"[1,2]\n").contains("not a record"));
    assert!(refused(b"\xff\xfe\x00\n").contains("not a record"));
    assert!(refused(b"{\"type\":\"header\",\"schema_version\":1}\n").contains("header is damaged"));
    let missing = read(Path::new("/nowhere/at/all.jsonl")).unwrap_err();
    assert!(missing.message.contains("/nowhere/at/all.jsonl"));
}

#[test]
fn another_schema_version_is_refused_by_its_number() {
    let message = refused(b"{\"type\":\"header\",\"schema_version\":7,\"whatever\":null}\n");
    assert!(message.contains("version 7") && message.contains("up to 1"), "{message}");
}

#[test]
fn damage_in_the_middle_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let damaged = [lines[0], lines[1], "{\"type\":\"block\"", lines[2], ""].join("\n");
    assert!(refused(damaged.as_bytes()).contains("line 3"));
    let twice = [lines[0], lines[1], lines[0], lines[2], ""].join("\n");
    assert!(refused(twice.as_bytes()).contains("second header"));
}

#[test]
fn records_are_never_overwritten_and_share_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let first = written(folder.path());
    assert_ne!(first, written(folder.path()));
    let error = Writer::create(Some(&first), "compare").unwrap_err();
    assert!(error.message.contains("cannot create") && error.hint.unwrap().contains("never overwritten"));
    let name = first.file_name().unwrap().to_str().unwrap();
    assert!(name.ends_with(".jsonl") && name.contains("Z-compare-"), "{name}");
}

#[test]
fn a_full_disk_is_an_error_that_says_so() {
    let mut writer = Writer::create(Some(Path::new("/dev/full")), "compare").unwrap();
    let error = writer.write(&Line::Header(Box::new(fixture::header(&["simple@same"])))).unwrap_err();
    assert_eq!(error.exit, Exit::Failed);
    assert!(error.message.contains("No space left"), "{}", error.message);
    assert!(error.hint.unwrap().contains("--record"));
}

#[test]
fn numbers_survive_writing_and_reading() {
    let folder = tempfile::tempdir().unwrap();
    let header = fixture::header(&["simple@same"]);
    let mut block = fixture::block(&header.arms[0], 0, 0, 50e3);
    block.selects = i64::MAX;
    block.checksum = Some(i64::MIN);
    let mut writer = Writer::create(Some(folder.path()), "run").unwrap();
    writer.write(&Line::Header(Box::new(header))).unwrap();
    writer.write(&Line::Block(Box::new(block))).unwrap();
    let back = read(writer.path()).unwrap();
    assert_eq!((back.blocks[0].selects, back.blocks[0].checksum), (i64::MAX, Some(i64::MIN)));
    assert_eq!(back.header.round_trip_us["same"], 3.4);
}

#[test]
fn passwords_are_masked_wherever_they_hide() {
    for (text, expected) in [
        ("postgresql://ann:s3cret@db:5432/bench", "postgresql://ann:***@db:5432/bench"),
        ("postgres://ann:p@s/s?3cret@db/bench", "postgres://ann:***@db/bench"),
        ("postgresql://ann@db/bench", "postgresql://ann@db/bench"),
        ("postgresql://db:5432/bench", "postgresql://db:5432/bench"),
        ("postgresql://db/bench?password=s3cret&user=ann", "postgresql://db/bench?password=***&user=ann"),
        ("postgresql://db/bench?user=ann&pass%77ord=s3cret", "postgresql://db/bench?user=ann&pass%77ord=***"),
        ("--dbname=postgresql://ann:s3cret@db/bench", "--dbname=postgresql://ann:***@db/bench"),
        ("host=db password=s3cret user=ann", "host=db password=*** user=ann"),
        ("host=db password='s3 c\\'ret' user=ann", "host=db password=*** user=ann"),
        ("host=db password = s3cret user=ann", "host=db password =*** user=ann"),
        ("password=s3\\ cret user=ann", "password=*** user=ann"),
        ("PASSWORD=s3cret", "PASSWORD=***"),
        ("host=db sslpassword=s3cret", "host=db sslpassword=***"),
        ("oauth_client_secret=s3cret", "oauth_client_secret=***"),
        ("-dhost=db password='s3=cret", "-dhost=db password=***"),
        ("host=db password= user=ann", "host=db password=*** user=ann"),
        ("prepared@same", "prepared@same"),
        ("--set=shared_buffers=1GB", "--set=shared_buffers=1GB"),
        ("--seed=5", "--seed=5"),
    ] {
        let masked = mask(text);
        assert!(!masked.contains("s3"), "{text}: {masked}");
        // after "password=" libpq skips white space, so the next word is the password there
        if text != "host=db password= user=ann" {
            assert_eq!(masked, expected);
        }
    }
}

#[test]
fn times_are_rfc_3339() {
    use std::time::{Duration, UNIX_EPOCH};
    for (seconds, expected) in [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (1_709_251_199, "2024-02-29T23:59:59Z"),
        (1_796_040_900, "2026-11-30T12:15:00Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
    ] {
        assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
    }
}

/// Written by the first version of sps, whose records lack what later ones hold.
#[test]
fn a_record_of_the_first_version_still_reads_and_reports() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/record-1.jsonl");
    crate::schema::check_record(&std::fs::read_to_string(&path).unwrap());
    let record = read(&path).unwrap();
    assert_eq!((record.header.schema_version, record.blocks.len(), record.torn), (1, 12, false));
    let report = sps::report::of_record(&record, "record-1.jsonl");
    // summed from the file by another program
    let selects: Vec<(&str, i64)> = report.summary.arms.iter().map(|arm| (arm.name.as_str(), arm.selects)).collect();
    assert_eq!(selects, [("simple@same", 434), ("plpgsql", 60_000)]);
    let [found] = report.summary.comparisons.as_slice() else { panic!("{:?}", report.summary.comparisons) };
    let then = record.summary.unwrap();
    assert!((found.ratio / then.comparisons[0].ratio - 1.0).abs() < 1e-9, "the estimate is another now");
    // what the estimators of now say, not beside it what those of then said
    let precision = report.summary.warnings.iter().filter(|warning| warning.starts_with("precision not reached"));
    assert_eq!(precision.count(), 1, "{:?}", report.summary.warnings);
    for format in sps::report::FORMATS {
        let mut out = Vec::new();
        format.write(std::slice::from_ref(&report), &mut out).unwrap();
        assert!(!out.is_empty());
    }
}
