//! What a suite's definition may be, and what is said of one that is wrong, with line and column, before anything happens.

use std::path::Path;
use std::process::{Command, Output};

use sps::error::Exit;
use sps::suite::{Definition, Kind, Length, plan};

const GOOD: &str = "name = \"test\"\nscales = [1, 10]\nclients = [1, 4]\nrepeats = 2\ntime = 3\nseed = 7\n\n\
                    [[workload]]\narm = \"prepared\"\n\n[[workload]]\nbuiltin = \"simple-update\"\n";

fn parse(text: &str) -> sps::error::Result<Definition> {
    Definition::parse(text, "s.toml", Path::new("/nonexistent"))
}

fn sps(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sps"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PG")) {
        command.env_remove(name);
    }
    command.args(args).output().unwrap()
}

/// Asserts that `text` is refused at `place` with `message`, and that the hint holds `hint`.
#[track_caller]
fn refused(text: &str, place: &str, message: &str, hint: &str) {
    let error = parse(text).map(|_| ()).expect_err(text);
    assert_eq!(error.exit, Exit::Usage, "{error}");
    assert!(error.message.starts_with(&format!("s.toml:{place}: ")), "{error}");
    assert!(error.message.contains(message), "{error}");
    assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{error}");
}

#[test]
fn an_unknown_key_is_refused_at_its_place_with_what_is_allowed() {
    refused(
        &GOOD.replace("clients", "client"),
        "3:1",
        "unknown key \"client\"",
        "did you mean clients? allowed here: name",
    );
    refused(&GOOD.replace("builtin", "buildin"), "12:1", "unknown key \"buildin\"", "did you mean builtin?");
    refused(&format!("{GOOD}\n[before]\nvaccum = true\n"), "15:1", "unknown key \"vaccum\"", "did you mean vacuum?");
}

#[test]
fn what_is_missing_is_named() {
    refused(&GOOD.replace("scales = [1, 10]\n", ""), "1:1", "\"scales\" is missing", "examples/quick.toml");
    refused("name = \"x\"\nscales = [1]\nclients = [1]\nworkload = []\n", "4:12", "no workload", "arm = \"prepared\"");
    refused(&GOOD.replace("arm = \"prepared\"\n", ""), "8:1", "says not what it is", "builtin");
    refused(&GOOD.replace("[1, 4]", "[]"), "3:11", "is empty", "at least one");
}

#[test]
fn impossible_values_are_refused_at_their_place_with_what_is_possible() {
    refused(&GOOD.replace("[1, 10]", "[1, 0]"), "2:14", "scale 0 is out of range", "from 1 to 100000");
    refused(&GOOD.replace("[1, 4]", "[1, 1]"), "3:15", "named twice", "repeats");
    refused(&GOOD.replace("time = 3", "time = -3"), "5:8", "time -3 is out of range", "from 1");
    refused(&GOOD.replace("time = 3", "time = \"soon\""), "5:8", "invalid type", "");
    refused(&GOOD.replace("time = 3", "half_width = \"2\""), "5:14", "half_width is no share", "1%");
    refused(&GOOD.replace("time = 3", "rates = [100, 0]"), "5:15", "rate 0 is out of range", "above 0");
    refused(&GOOD.replace("time = 3", "time = 3\ntransactions = 5"), "6:16", "exclude each other", "half_width");
    refused(&GOOD.replace("simple-update", "simple-updates"), "12:11", "cannot be", "did you mean simple-update?");
    refused(&format!("{GOOD}protocol = \"preparde\"\n"), "13:12", "cannot be", "did you mean prepared?");
    refused(&format!("{GOOD}\n[tables]\nrebuild = \"never\"\n"), "15:11", "cannot be \"never\"", "scale, repeat, run");
    refused(
        &GOOD.replace("builtin = \"simple-update\"", "shipped = \"insrt\""),
        "12:11",
        "insrt",
        "did you mean insert?",
    );
    let calibration = GOOD.replace("arm = \"prepared\"", "arm = \"pgbench_simple\"");
    refused(&calibration, "9:7", "the arm pgbench_simple is a calibration", "protocol = \"simple\"");
    refused(&GOOD.replace("arm = \"prepared\"", "arm = \"Prepared!\""), "9:7", "not the name of an arm", "prepared");
    refused(&format!("{GOOD}arm = \"simple\"\n"), "12:11", "two things at once", "one of");
    refused(&format!("{GOOD}pin = \"same\"\n"), "13:7", "pin is for arms", "");
    refused(
        &GOOD.replace("simple-update\"", "simple-update\"\n[[workload]]\narm = \"prepared\""),
        "13:1",
        "there twice",
        "name",
    );
    refused(&format!("{GOOD}\n[settings]\n\"a b\" = 1\n"), "15:1", "not the name of a setting", "postgresql.conf");
    refused("name = \n", "1:8", "", "METHODOLOGY.md");
}

#[test]
fn a_script_that_is_missing_is_refused_at_its_place() {
    let text = GOOD.replace("builtin = \"simple-update\"", "script = \"gone.sql\"");
    refused(&text, "12:10", "cannot read the script \"/nonexistent/gone.sql\"", "relative to the definition's folder");
}

#[test]
fn a_password_is_refused_and_not_shown() {
    let text = format!("{GOOD}\n[before]\nhook = \"psql 'password=hush'\"\n");
    refused(&text, "15:1", "a password has no place", ".pgpass");
    assert!(!parse(&text).unwrap_err().to_string().contains("hush"));
    // nor in a script, which is kept, too
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.sql"), "SELECT 1;\nALTER ROLE x PASSWORD = 'hush';\n").unwrap();
    let text = GOOD.replace("builtin = \"simple-update\"", "script = \"s.sql\"");
    let error = Definition::parse(&text, "s.toml", folder.path()).unwrap_err();
    assert!(error.message.starts_with("s.toml:12:10: line 2 of the script looks"), "{error}");
}

#[test]
fn a_script_of_any_name_is_read_and_goes_with_the_definition() {
    let folder = tempfile::tempdir().unwrap();
    let name = "odd \\\"name\\\" ü.sql";
    std::fs::write(folder.path().join("odd \"name\" ü.sql"), "SELECT :size;\n").unwrap();
    let text = GOOD.replace("builtin = \"simple-update\"", &format!("script = \"{name}\"\nvariables = {{ size = 3 }}"));
    let definition = Definition::parse(&text, "s.toml", folder.path()).unwrap();
    assert_eq!(definition.workloads[1].name, "odd \"name\" ü");
    // what is kept needs neither the folder nor another seed
    let again = Definition::parse(&definition.text, "kept", Path::new("/nonexistent")).unwrap();
    assert_eq!((again.seed, again.workloads[1].name.as_str()), (7, "odd \"name\" ü"));
    let Kind::Script(script) = &again.workloads[1].kind else { panic!("{again:?}") };
    assert_eq!(script.variables, [("size".to_owned(), "3".to_owned())]);
    assert_eq!(plan::runs(&again), plan::runs(&definition));
    assert_eq!(again.text, definition.text);
}

#[test]
fn the_definition_that_is_kept_means_the_same() {
    let text = format!(
        "{GOOD}protocol = \"prepared\"\n[tables]\nfillfactor = 90\n[before]\nvacuum = false\ncheckpoint_limit = 5\n\
         [during]\nhost = false\n[[during.sql]]\nname = \"n\"\nquery = \"SELECT 1\"\n[settings]\njit = true\n"
    );
    let definition = parse(&text.replace("time = 3", "time = 30\nhalf_width = \"2%\"\nrates = [50, 100.5]")).unwrap();
    let again = Definition::parse(&definition.text, "kept", Path::new("")).unwrap();
    assert_eq!(again.length, Length::Precise { half_width: 0.02, at_most: 30 });
    assert_eq!(
        (again.fillfactor, again.before.vacuum, again.before.checkpoint_limit, again.host),
        (90, false, 5, false)
    );
    assert_eq!((again.metrics.len(), again.rates.clone()), (1, vec![Some(50.0), Some(100.5)]));
    assert_eq!(again.settings, [("jit".to_owned(), "on".to_owned())]);
}

#[test]
fn repeats_are_spread_in_time_and_shuffled_by_the_seed_within_a_scale() {
    let definition = parse(&GOOD.replace("repeats = 2", "repeats = 5")).unwrap();
    let runs = plan::runs(&definition);
    assert_eq!(runs.len(), 2 * 2 * 2 * 5);
    assert_eq!(runs, plan::runs(&definition));
    assert!((0..).zip(&runs).all(|(position, run)| run.position == position));
    // a scale's runs stand together, and each repeat goes once through everything
    assert!(runs[..20].iter().all(|run| run.scale == 1) && runs[20..].iter().all(|run| run.scale == 10));
    let mut orders = std::collections::BTreeSet::new();
    for repeat in runs.chunks(4) {
        assert!(repeat.iter().all(|run| run.repeat == repeat[0].repeat));
        let order: Vec<_> = repeat.iter().map(|run| (run.workload, run.clients)).collect();
        assert_eq!(order.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
        orders.insert(order);
    }
    assert!(orders.len() > 3, "{orders:?}");
    let other = parse(&GOOD.replace("repeats = 2", "repeats = 5").replace("seed = 7", "seed = 8")).unwrap();
    assert_ne!(runs, plan::runs(&other));
}

#[test]
fn an_arm_in_both_placements_is_two_runs() {
    let definition = parse(&GOOD.replace("arm = \"prepared\"", "arm = \"prepared\"\npin = \"both\"")).unwrap();
    assert_eq!(definition.workloads.len(), 3);
    let places = definition.workloads.iter().filter_map(|workload| match &workload.kind {
        Kind::Arm(spec) => Some(spec.to_string()),
        Kind::Script(_) => None,
    });
    assert_eq!(places.collect::<Vec<_>>(), ["prepared@same", "prepared@split"]);
}

#[test]
fn every_example_is_a_plan() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut plans = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let output = sps(&["suite", "--dry-run", "--private", path.to_str().unwrap()]);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{path:?}: {output:?}");
            assert!(text.contains("disk: about ") && text.contains(" free in "), "{text}");
            plans.push(text);
        }
    }
    // scales 1, 10, 100, 1000; clients 1 to 32; 3 repeats; 60 s
    assert!(plans.iter().any(|plan| plan.starts_with("suite pgbench-tools") && plan.contains("\n72 runs of 60 s")));
    // scale 25, 13 client loads, 5 repeats, tables made anew before each
    let bgwriter = plans.iter().find(|plan| plan.starts_with("suite bgwriter")).unwrap();
    assert!(bgwriter.contains("\n65 runs of 60 s") && bgwriter.contains("made anew before each repeat"), "{bgwriter}");
    assert!(plans.iter().any(|plan| plan.starts_with("suite quick")));
}

#[test]
fn a_wrong_definition_ends_with_2_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    std::fs::write(&path, GOOD.replace("time", "tim")).unwrap();
    let output = sps(&["suite", "--private", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("s.toml:5:1: unknown key \"tim\"") && text.contains("did you mean time?"), "{text}");
    let output = sps(&["suite", "--private", "/nonexistent/x.toml"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_key_is_explained() {
    let explained = include_str!("../../METHODOLOGY.md");
    for section in ["", "[tables]", "[before]", "[during]", "[[during.sql]]", "[after]", "[[workload]]"] {
        let error = parse(&format!("{section}\nx = 1\n")).unwrap_err();
        let hint = error.hint.unwrap();
        let (_, keys) = hint.split_once("allowed here: ").expect(&hint);
        for key in keys.split(", ") {
            let written = ["`", "[", "."].iter().any(|before| explained.contains(&format!("{before}{key}")));
            assert!(written, "METHODOLOGY.md does not explain {section} {key}");
        }
    }
}
