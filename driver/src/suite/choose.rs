//! From the workloads as they are written to what they mean; scripts are read, and put into the definition itself.

use std::path::Path;

use toml::Spanned;

use super::definition::{Check, secret};
use super::mistake::{Source, one_of};
use super::workload::{self, BUILTIN, Kind, PROTOCOLS, SHIPPED, Script, Workload};
use super::written::{self, Written};
use crate::arm::{ArmSpec, Placement};
use crate::error::{Error, Result};

/// The workloads of `written`, in their order; a wire arm with `pin = "both"` is two.
pub fn workloads(written: &mut Written, source: Source<'_>, folder: &Path) -> Result<Vec<Workload>> {
    let list = written.workload.span();
    let mut found: Vec<Workload> = Vec::new();
    for entry in written.workload.get_mut() {
        let span = entry.span();
        for workload in one(entry, source, folder)? {
            if found.iter().any(|other| other.name == workload.name && placement(other) == placement(&workload)) {
                let message = format!("workload \"{}\" is there twice", workload.name);
                return Err(source.mistake(&span, message, "give one of them a `name` of its own"));
            }
            found.push(workload);
        }
    }
    match found.is_empty() {
        true => Err(source.mistake(&list, "there is no workload", CHOICE)),
        false => Ok(found),
    }
}

const CHOICE: &str = "a workload is one of: arm = \"prepared\", builtin = \"simple-update\" (pgbench's), shipped = \
                      \"insert-size\" (sps's), script = \"FILE\", sql = \"…\"";

fn placement(workload: &Workload) -> Option<Placement> {
    match &workload.kind {
        Kind::Arm(spec) => spec.placement,
        Kind::Script(_) => None,
    }
}

fn one(entry: &mut Spanned<written::Workload>, source: Source<'_>, folder: &Path) -> Result<Vec<Workload>> {
    let span = entry.span();
    let workload = entry.get_mut();
    let given = [&workload.arm, &workload.builtin, &workload.shipped, &workload.script, &workload.sql];
    let given: Vec<&Spanned<String>> = given.into_iter().flatten().collect();
    match given[..] {
        [] => return Err(source.mistake(&span, "this workload says not what it is", CHOICE)),
        [_] => {}
        [_, second, ..] => return Err(source.mistake(&second.span(), "this workload is two things at once", CHOICE)),
    }
    let at = source.place(&given[0].span());
    let check = Check { source };
    let name = workload.name.as_ref().map(|name| check.name(name)).transpose()?;
    if let Some(arm) = &workload.arm {
        return self::arm(workload, arm, name, check);
    }
    if let Some(pin) = &workload.pin {
        return Err(source.mistake(&pin.span(), "pin is for arms", "leave it out: the scheduler places pgbench"));
    }
    let protocol = match &workload.protocol {
        None => "simple",
        Some(protocol) => check.word("protocol", protocol, &PROTOCOLS.map(|name| (name, name)))?,
    };
    let (named, text, writes, mut variables) = script(workload, source, folder)?;
    for (variable, value) in &workload.variables {
        if !is_variable(variable.get_ref()) {
            let message = format!("\"{}\" is not the name of a variable", variable.get_ref());
            return Err(source.mistake(&variable.span(), message, "letters, digits and _ only, as in pgbench's -D"));
        }
        variables.retain(|(name, _)| name != variable.get_ref());
        variables.push((variable.get_ref().clone(), value.to_string()));
    }
    if let (Some(script), workload::Source::Text(text)) = (workload.script.take(), &text) {
        // a resumed suite runs what was read at its start
        workload.sql = Some(Spanned::new(script.span(), text.clone()));
    }
    let name = name.unwrap_or(named);
    workload.name.get_or_insert_with(|| Spanned::new(span, name.clone()));
    let script = Script { source: text, protocol: protocol.to_owned(), variables };
    Ok(vec![Workload { name, kind: Kind::Script(script), at, writes: workload.writes.unwrap_or(writes) }])
}

/// A wire arm runs where the scheduler puts it unless something else is asked for: what many clients do is up to the
/// scheduler, and pgbench beside it is free, too.
fn arm(
    workload: &written::Workload,
    arm: &Spanned<String>,
    name: Option<String>,
    check: Check<'_>,
) -> Result<Vec<Workload>> {
    let source = check.source;
    if let Some((variable, _)) = workload.variables.iter().next() {
        return Err(source.mistake(&variable.span(), "variables are for scripts", "leave them out"));
    }
    if let Some(protocol) = &workload.protocol {
        let hint = "the arm is the protocol: simple, extended, prepared";
        return Err(source.mistake(&protocol.span(), "protocol is for scripts", hint));
    }
    let spec: ArmSpec = arm
        .get_ref()
        .parse()
        .map_err(|error: Error| source.mistake(&arm.span(), &error.message, error.hint.clone().unwrap_or_default()))?;
    if let Some(protocol) = crate::arm::pgbench::protocol(&spec.arm) {
        let hint = format!("the same by pgbench is builtin = \"select-only\" with protocol = \"{protocol}\"");
        let message = format!("the arm {} is a calibration of `sps compare`", spec.arm);
        return Err(source.mistake(&arm.span(), &message, hint));
    }
    let pins: &[Placement] = match &workload.pin {
        None => &[Placement::Free],
        Some(pin) if spec.placement.is_some() => {
            let hint = format!("leave one out: arm = \"{}\"", spec.arm);
            return Err(source.mistake(&pin.span(), "the arm names its placement already", hint));
        }
        Some(pin) => check.word("pin", pin, &PINS)?,
    };
    let placements = spec.placement.map_or(pins.to_vec(), |placement| vec![placement]);
    let of = |placement| Workload {
        name: name.clone().unwrap_or_else(|| spec.arm.clone()),
        kind: Kind::Arm(ArmSpec { placement: Some(placement), ..spec.clone() }),
        at: source.place(&arm.span()),
        writes: false,
    };
    Ok(placements.into_iter().map(of).collect())
}

const PINS: [(&str, &[Placement]); 4] = [
    ("free", &[Placement::Free]),
    ("same", &[Placement::Same]),
    ("split", &[Placement::Split]),
    ("both", &[Placement::Same, Placement::Split]),
];

type Chosen = (String, workload::Source, bool, Vec<(String, String)>);

/// What the script is called and is, whether it writes, and its variables.
fn script(workload: &written::Workload, source: Source<'_>, folder: &Path) -> Result<Chosen> {
    let check = Check { source };
    if let Some(builtin) = &workload.builtin {
        let writes = check.word("builtin", builtin, &BUILTIN)?;
        let name = builtin.get_ref().clone();
        return Ok((name.clone(), workload::Source::Builtin(name), writes, Vec::new()));
    }
    if let Some(name) = &workload.shipped {
        let found = SHIPPED.iter().find(|shipped| shipped.name == name.get_ref()).ok_or_else(|| {
            let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.name).collect();
            let message = format!("no script called \"{}\" comes with sps", name.get_ref());
            source.mistake(&name.span(), message, one_of("there are", name.get_ref(), &names))
        })?;
        let variables = found.variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        return Ok((found.name.to_owned(), workload::Source::Text(found.text.to_owned()), found.writes, variables));
    }
    if let Some(sql) = &workload.sql {
        let name = match &workload.name {
            Some(name) => name.get_ref().clone(),
            None => return Err(source.mistake(&sql.span(), "a workload with sql needs a name", "add name = \"…\"")),
        };
        return Ok((name, workload::Source::Text(sql.get_ref().clone()), true, Vec::new()));
    }
    let script = workload.script.as_ref().ok_or_else(|| Error::usage("a workload says not what it is"))?;
    let path = folder.join(script.get_ref());
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("cannot read the script \"{}\": {error}", path.display());
        source.mistake(&script.span(), message, "its path is relative to the definition's folder")
    })?;
    if let Some(line) = secret(&text) {
        let message = format!("line {line} of the script looks as if it held a password");
        let hint = "scripts are kept with the results, where passwords have no place";
        return Err(source.mistake(&script.span(), message, hint));
    }
    let name = path.file_stem().map_or_else(|| script.get_ref().clone(), |stem| stem.to_string_lossy().into_owned());
    Ok((name, workload::Source::Text(text), true, Vec::new()))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}
