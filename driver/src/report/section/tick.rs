//! Numbers at the marks of axes: as short as they are round.

use crate::report::number;

/// A rate or a ratio: `0.5`, `50,000`, `2 M`.
pub fn count(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{} M", value / 1e6),
        size if size >= 1e3 => number::count(value),
        _ => plain(value),
    }
}

pub fn plain(value: f64) -> String {
    // -0 is none
    (value + 0.0).to_string()
}

pub fn percent(value: f64) -> String {
    format!("{} %", plain(value))
}

/// Nanoseconds with the largest unit that they fill: `500 ns`, `20 µs`.
pub fn time(ns: f64) -> String {
    let (scale, unit) = match ns {
        _ if ns < 1e3 => (1.0, "ns"),
        _ if ns < 1e6 => (1e3, "µs"),
        _ if ns < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", (ns / scale * 1e3).round() / 1e3)
}
