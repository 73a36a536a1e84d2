//! Holds a count against an earlier one: a check for regressions that no clock has a part in.

use crate::error::{Error, Result};
use crate::record::{Check, Checked, Count, CountVerdict, CountedArm};

/// Is `base` of what is to be counted: of the same method, and has it the arms?
///
/// # Errors
/// A usage error where the two could not be compared.
pub fn comparable(base: &Count, path: &str, method: crate::record::Method, arms: &[String]) -> Result<()> {
    if base.method != method {
        return Err(Error::usage(format!(
            "{path} was counted by {}, this would be by {}",
            base.method.name(),
            method.name()
        ))
        .hint(format!("add --by {}", base.method.name())));
    }
    match arms.iter().find(|arm| base.arm(arm).is_none()) {
        None => Ok(()),
        Some(missing) => {
            let names: Vec<&str> = base.arms.iter().map(|arm| arm.name.as_str()).collect();
            Err(Error::usage(format!("{path} has no arm \"{missing}\"")).hint(format!("it has {}", names.join(", "))))
        }
    }
}

/// What differs between two counts beside what is checked.
pub fn differences(base: &Count, now: &Count) -> Vec<String> {
    let version = |count: &Count| count.server.version.split(" on ").next().unwrap_or_default().to_owned();
    let pairs = [
        ("server", version(base), version(now)),
        ("counted by", base.counted_by.clone(), now.counted_by.clone()),
        ("rows", base.dataset.rows.to_string(), now.dataset.rows.to_string()),
        ("seed", base.seed.to_string(), now.seed.to_string()),
        ("assertions", base.server.assertions.to_string(), now.server.assertions.to_string()),
        ("processor", base.host.cpu_model.clone().unwrap_or_default(), now.host.cpu_model.clone().unwrap_or_default()),
    ];
    let differs = |(what, base, now): (&str, String, String)| {
        (base != now).then(|| format!("not the same {what} as in the base: {base} there, {now} here"))
    };
    pairs.into_iter().filter_map(differs).collect()
}

/// Verdicts on `arms`, each of which `base` has.
pub fn check(base: &Count, path: &str, threshold: f64, arms: &[CountedArm]) -> Check {
    let checked = arms.iter().filter_map(|arm| {
        let base = base.arm(&arm.name)?.instructions_per_select;
        let ratio = arm.instructions_per_select / base;
        let verdict = match ratio - 1.0 {
            more if more > threshold => CountVerdict::Regression,
            more if more < -threshold => CountVerdict::Improvement,
            _ => CountVerdict::NoRegression,
        };
        Some(Checked { arm: arm.name.clone(), base, ratio, verdict })
    });
    Check { record: path.to_owned(), threshold, arms: checked.collect() }
}
