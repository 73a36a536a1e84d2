//! `~/.pgpass`: host:port:database:user:password, the first line that fits.
//!
//! Counterpart: passwordFromFile in src/interfaces/libpq/fe-connect.c.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What the password is looked up for.
pub struct Wanted<'a> {
    /// A host name or address; "localhost" for the default socket directory.
    pub host: &'a str,
    pub port: &'a str,
    pub dbname: &'a str,
    pub user: &'a str,
}

/// The password for `wanted`, if the file has one. A file that others may read, or that is none, is not used: `warn` is
/// told. A missing file is silence.
pub fn lookup(path: &Path, wanted: &Wanted<'_>, warn: &mut dyn FnMut(String)) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() {
        warn(format!("password file \"{}\" is not a plain file: not used", path.display()));
        return None;
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        let path = path.display();
        warn(format!("password file \"{path}\" may be read by group or others: not used (chmod 0600 {path})"));
        return None;
    }
    let text = std::fs::read(path).ok()?;
    String::from_utf8_lossy(&text).lines().find_map(|line| password_of(line, wanted))
}

fn password_of(line: &str, wanted: &Wanted<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for want in [wanted.host, wanted.port, wanted.dbname, wanted.user] {
        let (raw, field, tail) = split_field(rest)?;
        if raw != "*" && field != want {
            return None;
        }
        rest = tail;
    }
    let (_, password, _) = split_field(rest).unwrap_or((rest, unescape(rest), ""));
    (!password.is_empty()).then_some(password)
}

/// The field up to the next `:` that no `\` protects: as written, unescaped, and what follows.
fn split_field(text: &str) -> Option<(&str, String, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ':' => return Some((&text[..at], unescape(&text[..at]), &text[at + 1..])),
            _ => {}
        }
    }
    None
}

fn unescape(text: &str) -> String {
    let mut chars = text.chars();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted<'_> = Wanted { host: "::1", port: "5432", dbname: "d:b", user: "u" };

    #[test]
    fn fields_match_exactly_or_by_wildcard_and_unescape() {
        assert_eq!(password_of(r"\:\:1:5432:d\:b:u:pa\:ss\\word", &WANTED).as_deref(), Some(r"pa:ss\word"));
        assert_eq!(password_of("*:*:*:*:x", &WANTED).as_deref(), Some("x"));
        assert_eq!(password_of("*:*:*:other:x", &WANTED), None);
        assert_eq!(password_of(r"\*:*:*:*:x", &WANTED), None);
        assert_eq!(password_of("#*:*:*:*:x", &WANTED), None);
        assert_eq!(password_of("too:few:fields", &WANTED), None);
    }

    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pgpass");
        std::fs::write(&path, "# comment\nother:*:*:*:no\n*:*:*:*:yes\n").unwrap();
        let mut warnings = Vec::new();
        for (mode, expected) in [(0o600, Some("yes")), (0o640, None), (0o604, None)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let found = lookup(&path, &WANTED, &mut |warning| warnings.push(warning));
            assert_eq!(found.as_deref(), expected);
        }
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert_eq!(lookup(&dir.path().join("none"), &WANTED, &mut |_| panic!("no file, no warning")), None);
    }
}
