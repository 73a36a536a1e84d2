//! Holds records against `driver/record.schema.json`; shared by the tests without a server and those with one.

use std::collections::HashMap;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

/// Panics with what is wrong unless every line of `record` follows the schema.
#[track_caller]
pub fn check_record(record: &str) {
    assert!(record.ends_with('\n'), "the record ends in a torn line");
    for (at, line) in record.lines().enumerate() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("line {}: {error}", at + 1));
        let expected = match at {
            0 => "header",
            _ if at + 1 == record.lines().count() => "summary",
            _ if value["type"] == "lost" => "lost",
            _ => "block",
        };
        assert_eq!(value["type"], expected, "line {}", at + 1);
        check_line(&value);
    }
}

/// Panics with what is wrong unless `value`, a line of a record or a summary, follows the schema.
#[track_caller]
pub fn check_line(value: &Value) {
    // by its own part of the schema: the errors of a failed oneOf say little
    let count = value.get("command").is_some_and(|command| command == "count");
    let kind = value.get("type").and_then(Value::as_str).unwrap_or(if count { "count" } else { "summary" });
    let (whole, parts) = validators();
    let part = parts.get(kind).unwrap_or_else(|| panic!("no line is a {kind}"));
    let errors: Vec<String> =
        part.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{kind}:\n{}", errors.join("\n"));
    assert!(whole.is_valid(value));
}

type Parts = HashMap<&'static str, Validator>;

/// The whole schema and its part for each kind of line, compiled once.
fn validators() -> &'static (Validator, Parts) {
    static COMPILED: OnceLock<(Validator, Parts)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let schema: Value = serde_json::from_str(include_str!("../driver/record.schema.json")).unwrap();
        let compile = |schema: &Value| jsonschema::draft202012::new(schema).expect("the schema is one");
        let part = |kind| compile(&json!({"$ref": format!("#/$defs/{kind}"), "$defs": schema["$defs"]}));
        (compile(&schema), ["header", "block", "lost", "summary", "count"].map(|kind| (kind, part(kind))).into())
    })
}
