//! `sps report --splice` as a user runs it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sps::record::{Line, Writer};

use crate::fixture::{blocks, header};

fn record(folder: &Path) -> PathBuf {
    let mut header = header(&["simple@same", "plpgsql"]);
    header.command_line = ["sps", "compare", "simple", "plpgsql"].map(String::from).into();
    let mut writer = Writer::create(Some(folder), "compare").unwrap();
    writer.write(&Line::Header(Box::new(header.clone()))).unwrap();
    for block in blocks(&header, &[50e3, 160e3], 12) {
        writer.write(&Line::Block(Box::new(block))).unwrap();
    }
    writer.path().to_owned()
}

fn splice(record: &Path, file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sps")).arg("report").arg(record).arg("--splice").arg(file).output().unwrap()
}

const TEXT: &str = "# Mine\r\n\nbefore\n<!-- sps compare -->\nold\n<!-- /sps compare -->\nafter, no line end";

#[test]
fn only_what_is_between_the_lines_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("README.md");
    std::fs::write(&file, TEXT).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let record = record(folder.path());
    let output = splice(&record, &file);
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# Mine\r\n\nbefore\n<!-- sps compare -->\n"), "{text}");
    assert!(text.ends_with("\n<!-- /sps compare -->\nafter, no line end"), "{text}");
    assert!(!text.contains("old"));
    assert!(
        text.contains("sps compare simple plpgsql") && text.contains("| plpgsql |") && text.contains("159,"),
        "{text}"
    );
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    // again: nothing grows
    assert!(splice(&record, &file).status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside it");
}

#[test]
fn a_file_without_one_clear_place_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let record = record(folder.path());
    let file = folder.path().join("README.md");
    for (text, said) in [
        ("nothing\n".to_owned(), "there is no line <!-- sps compare -->"),
        ("<!-- sps ladder -->\n<!-- /sps ladder -->\n".into(), "there is no line <!-- sps compare -->"),
        ("<!-- sps compare -->\n".into(), "there is no line <!-- /sps compare -->"),
        ("<!-- /sps compare -->\n<!-- sps compare -->\n".into(), "comes before"),
        (format!("{TEXT}\n{TEXT}"), "more than once"),
    ] {
        std::fs::write(&file, &text).unwrap();
        let output = splice(&record, &file);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(said) && stderr.contains("hint: "), "{stderr}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_record_that_cannot_be_read_costs_the_file_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("README.md");
    std::fs::write(&file, TEXT).unwrap();
    let damaged = folder.path().join("damaged.jsonl");
    std::fs::write(&damaged, "no record\n").unwrap();
    assert_eq!(splice(&damaged, &file).status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), TEXT);
    let record = record(folder.path());
    assert_eq!(splice(&record, &folder.path().join("missing.md")).status.code(), Some(1));
    assert!(!folder.path().join("missing.md").exists());
}

#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.md"), folder.path().join("README.md"));
    std::fs::write(&file, TEXT).unwrap();
    std::os::unix::fs::symlink("real.md", &link).unwrap();
    assert!(splice(&record(folder.path()), &link).status.success());
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&file).unwrap().contains("| plpgsql |"));
}

#[test]
fn one_table_shows_one_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("README.md");
    std::fs::write(&file, TEXT).unwrap();
    let record = record(folder.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_sps"));
    let output = command.arg("report").args([&record, &record]).arg("--splice").arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), TEXT);
}
