//! Numbers as people read them.

/// `1234567.8` as `1,234,568`.
pub fn count(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::from(if value < 0.0 && digits != "0" { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Nanoseconds with the unit that leaves three or four digits.
pub fn time(ns: f64) -> String {
    match ns {
        _ if ns < 100.0 => format!("{ns:.1} ns"),
        _ if ns < 10_000.0 => format!("{} ns", count(ns)),
        _ if ns < 100_000.0 => format!("{:.2} µs", ns / 1e3),
        _ if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        _ if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// Nanoseconds of a difference; times above 0 need no sign.
pub fn signed(ns: f64) -> String {
    if ns < 0.0 { format!("-{}", time(-ns)) } else { time(ns) }
}

/// An interval, its ends written by `text`.
pub fn range(low: Option<f64>, high: Option<f64>, text: fn(f64) -> String) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{} – {}", text(low), text(high)),
        _ => "none".into(),
    }
}

/// A ratio with four digits that count.
pub fn ratio(value: f64) -> String {
    match value {
        _ if value >= 100.0 => format!("{value:.1}"),
        _ if value >= 10.0 => format!("{value:.2}"),
        _ if value >= 0.1 => format!("{value:.3}"),
        _ => format!("{value:.4}"),
    }
}

/// Bytes in units of 1024.
pub fn bytes(value: i64) -> String {
    match value as f64 {
        v if v < 1024.0 * 1024.0 => format!("{:.0} kB", v / 1024.0),
        v if v < 10.0 * 1024.0 * 1024.0 * 1024.0 => format!("{:.0} MB", v / 1024.0 / 1024.0),
        v => format!("{:.1} GB", v / 1024.0 / 1024.0 / 1024.0),
    }
}

/// `1 client`, `2 clients`.
pub fn plural(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(n as f64), if n == 1 { "" } else { "s" })
}
