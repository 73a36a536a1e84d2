//! Passwords out of a suite's file, which may hold connection strings and commands.

use crate::record::mask;

/// `text` line by line without what may be a password. Where a line names one, the rest of it goes: it rather masks too
/// much than too little.
pub fn mask_lines(text: &str) -> String {
    text.split_inclusive('\n').map(mask_line).collect()
}

fn mask_line(line: &str) -> String {
    let (body, end) = match line.strip_suffix('\n') {
        Some(body) => (body, "\n"),
        None => (line, ""),
    };
    // letters keep their place: only ASCII ones change
    let lower = body.to_ascii_lowercase();
    let named = ["password", "secret", "passphrase"].iter().filter_map(|word| lower.find(word)).min();
    let value = named.and_then(|at| body[at..].find(['=', ':']).map(|mark| at + mark + 1));
    match value {
        Some(value) => format!("{}{}{end}", mask(&body[..value]), masked(&body[..value], &body[value..])),
        None => format!("{}{end}", mask(body)),
    }
}

/// The mask of `value` after `before`, in the quotes that a TOML file needs to stay one.
fn masked(before: &str, value: &str) -> &'static str {
    let open = |quote: char| before.matches(quote).count() % 2 == 1;
    match value.trim_start().chars().next() {
        _ if open('"') => "***\"",
        _ if open('\'') => "***'",
        Some('"' | '\'') => " \"***\"",
        _ => "***",
    }
}

#[cfg(test)]
mod tests {
    use super::mask_lines;

    #[test]
    fn no_password_is_left_and_other_lines_are_as_they_were() {
        let text = "[suite]\nname = \"a\" # x@y\nhook = \"PGPASSWORD='hush hush' psql\"\npassword = \"hush hush\"\n\
                    dsn = 'postgresql://u:hush@h/d'\nmetric = \"host=h password = hush dbname=d\"\n\"sslpassword\": \"hush\"";
        let masked = mask_lines(text);
        assert!(!masked.contains("hush"), "{masked}");
        let kept = "[suite]\nname = \"a\" # x@y\nhook = \"PGPASSWORD=***\"\npassword = \"***\"\n";
        assert!(masked.starts_with(kept), "{masked}");
        assert!(masked.ends_with("\nmetric = \"host=h password =***\"\n\"sslpassword\": \"***\""), "{masked}");
        assert_eq!(masked.lines().count(), text.lines().count());
    }
}
