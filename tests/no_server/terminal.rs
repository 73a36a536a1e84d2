//! Manners on a terminal: script(1) lends one.

use std::path::PathBuf;
use std::process::{Command, Output};

use sps::record::{Line, Writer};

use crate::fixture::{blocks, header};

/// A record that is warned of: too few rounds.
fn record(folder: &tempfile::TempDir) -> PathBuf {
    let header = header(&["simple@same", "plpgsql"]);
    let mut writer = Writer::create(Some(folder.path()), "compare").unwrap();
    writer.write(&Line::Header(Box::new(header.clone()))).unwrap();
    for block in blocks(&header, &[50e3, 160e3], 3) {
        writer.write(&Line::Block(Box::new(block))).unwrap();
    }
    writer.path().to_owned()
}

fn clean(command: &mut Command, set: &[(&str, &str)]) -> Output {
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm").envs(set.iter().copied()).output().unwrap()
}

/// What `sps report` shows on a terminal.
fn on_terminal(set: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let shown = format!("{} report {}", env!("CARGO_BIN_EXE_sps"), record(&folder).display());
    let output = clean(Command::new("script").args(["-qec", &shown, "/dev/null"]), set);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn piped(set: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = clean(Command::new(env!("CARGO_BIN_EXE_sps")).arg("report").arg(record(&folder)), set);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn warnings_are_coloured_on_a_terminal_that_wants_it_and_nowhere_else() {
    assert!(on_terminal(&[]).contains("\u{1b}[1m\u{1b}[33mwarning"), "{:?}", on_terminal(&[]));
    for refused in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
        assert!(!on_terminal(&[refused]).contains('\u{1b}'), "{refused:?}");
        assert!(!on_terminal(&[refused, ("CI", "true")]).contains('\u{1b}'), "{refused:?} in CI");
    }
    assert!(!piped(&[]).contains('\u{1b}') && piped(&[]).contains("warning"));
    assert!(piped(&[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'));
}

#[test]
fn only_a_utf_8_locale_is_sent_what_is_not_ascii() {
    let wide = piped(&[("LANG", "C.UTF-8")]);
    assert!(wide.contains("20.0 µs") || wide.contains("µs"), "{wide}");
    for locale in [("LANG", "C"), ("LC_ALL", "POSIX"), ("LC_CTYPE", "de_CH.ISO-8859-1")] {
        let narrow = piped(&[("LANG", "C.UTF-8"), ("LC_ALL", ""), locale]);
        // LANG counts for less than the others
        assert!(narrow.is_ascii(), "{locale:?}: {narrow}");
        let widths = |text: &str| {
            text.lines()
                .take_while(|line| !line.contains("round trip"))
                .map(|line| line.chars().count())
                .collect::<Vec<_>>()
        };
        assert_eq!(widths(&narrow), widths(&wide), "columns stand as they did");
    }
}

#[test]
fn completions_and_manual_pages_know_every_subcommand() {
    let sps = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_sps")).args(args).output().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let output = sps(&["completions", shell]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success());
        for word in ["compare", "ladder", "report", "splice", "half-width"] {
            assert!(text.contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(sps(&["completions", "csh"]).status.code(), Some(2));
    let page = String::from_utf8(sps(&["man"]).stdout).unwrap();
    assert!(page.contains(".TH sps 1") && page.contains("compare"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    assert!(sps(&["man", folder.path().to_str().unwrap()]).status.success());
    for page in ["sps.1", "sps-compare.1", "sps-ladder.1", "sps-report.1"] {
        assert!(folder.path().join(page).is_file(), "{page}");
    }
    let output = sps(&["man", "/nowhere/at/all"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("hint: the folder has to be there"));
}

/// bash itself takes the script, and completes with it.
#[test]
fn bash_completes_a_subcommand() {
    let script = format!(
        "source <({sps} completions bash) && COMP_WORDS=(sps comp) COMP_CWORD=1 && _sps sps comp sps && echo \"${{COMPREPLY[*]}}\"",
        sps = env!("CARGO_BIN_EXE_sps")
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("compare") && said.contains("completions"), "{said} {:?}", output.stderr);
}
