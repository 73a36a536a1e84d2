//! `--dry-run`: the schedule without a server.

use std::process::{Command, Output};

use sps::schedule::order;

fn sps(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sps"));
    command.args(args).arg("--dry-run").env("PGHOST", "/nowhere/at/all").current_dir("/").output().unwrap()
}

#[track_caller]
fn schedule(args: &[&str]) -> String {
    let output = sps(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_order_is_that_of_the_seed() {
    let text = schedule(&["compare", "--seed", "42", "--rounds", "30", "--block", "100"]);
    let arms = ["simple@same", "simple@split", "prepared@same", "prepared@split", "plpgsql"];
    for round in [0, 7, 29] {
        let names: Vec<&str> = order(42, round, arms.len()).into_iter().map(|arm| arms[arm]).collect();
        let line = format!("  round {}: {}", round + 1, names.join(" "));
        assert!(text.contains(&line), "no \"{line}\" in\n{text}");
    }
    assert_eq!(text.matches("\nepoch ").count(), 6, "{text}");
    assert!(text.contains("30 rounds in 6 epochs") && text.ends_with("; look\n"), "{text}");
    assert!(
        text.contains("blocks       100 ms after 5 ms untimed\n") && text.contains("reference    simple@same\n"),
        "{text}"
    );
}

#[test]
fn what_only_a_server_knows_is_said() {
    let text = schedule(&["compare", "prepared", "rescan", "--pin", "free", "--expect", "rescan/prepared>=2"]);
    assert!(text.contains("layers       rescan; whether the server has them is not known"), "{text}");
    assert!(text.contains("expected     rescan/prepared@free >= 2\n"), "{text}");
    assert!(text.contains("blocks       25 ms after 5 ms untimed\n"), "{text}");
    let ladder = schedule(&["ladder"]);
    assert!(ladder.contains("every layer of the extension, which the server lists"), "{ladder}");
}

#[test]
fn the_first_look_is_after_six_epochs_and_two_and_a_half_seconds_of_each_arm() {
    for (args, rounds) in [
        (&["compare"][..], 120),
        (&["compare", "--block", "100"], 30),
        (&["compare", "--block", "250"], 30),
        (&["compare", "--block", "250", "--epochs", "12"], 60),
        (&["compare", "prepared", "pgbench"], 30),
    ] {
        let text = schedule(args);
        assert!(text.contains(&format!("5 rounds each; the first look after {rounds} rounds\n")), "{text}");
        if let Some(line) = text.lines().find(|line| line.ends_with("; look")) {
            assert!(line.starts_with(&format!("  round {rounds}: ")), "{line}");
        }
    }
}

#[test]
fn time_limits_bound_the_rounds() {
    // two arms of 250 ms: twenty rounds in ten seconds
    let text = schedule(&["compare", "prepared@same", "plpgsql", "--block", "250", "--time-limit", "10"]);
    assert!(text.contains("at most      20 rounds in 4 epochs, in 10 s"), "{text}");
    // pgbench counts whole seconds, two at least
    let text = schedule(&["compare", "prepared@same", "pgbench@same", "--time-limit", "20"]);
    assert!(text.contains("blocks       2000 ms\n") && text.contains("at most      5 rounds in 1 epoch,"), "{text}");
}

#[test]
fn what_cannot_be_measured_cannot_be_rehearsed() {
    for (args, said) in [
        (&["compare", "prepared@same", "prepared", "--pin", "same"][..], "named twice"),
        (&["compare", "prepared", "--pair", "simple/prepared"], "--pair names arm \"simple\", which is not measured"),
    ] {
        let output = sps(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(said));
    }
}
