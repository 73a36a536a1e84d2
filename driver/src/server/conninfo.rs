//! Connection strings, as libpq reads them: `host=… port=…` and `postgresql://…`.
//!
//! Counterpart: conninfo_parse and conninfo_uri_parse in src/interfaces/libpq/fe-connect.c. Only the syntax is here;
//! what the parameters mean is `parameter.rs`'s. Messages never quote a value: it may be a password.

use crate::error::{Error, Result};

/// Parameters in the order in which they stand; a later one wins.
pub type Pairs = Vec<(String, String)>;

/// Is this a connection string, rather than the name of a database?
pub fn is_conninfo(text: &str) -> bool {
    uri_rest(text).is_some() || text.contains('=')
}

/// Parses either form.
pub fn parse(text: &str) -> Result<Pairs> {
    match uri_rest(text) {
        Some(rest) => parse_uri(rest),
        None => parse_pairs(text),
    }
}

fn uri_rest(text: &str) -> Option<&str> {
    text.strip_prefix("postgresql://").or_else(|| text.strip_prefix("postgres://"))
}

fn parse_pairs(text: &str) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        if chars.peek().is_none() {
            return Ok(pairs);
        }
        let mut name = String::new();
        while let Some(c) = chars.next_if(|c| *c != '=' && !c.is_ascii_whitespace()) {
            name.push(c);
        }
        while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        if chars.next() != Some('=') {
            // not quoted: it may be the second word of a password
            return Err(wrong("a word is followed by no \"=\"; a value with spaces needs single quotes"));
        }
        while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
        let quoted = chars.next_if_eq(&'\'').is_some();
        let mut value = String::new();
        loop {
            match chars.next() {
                Some('\'') if quoted => break,
                Some(c) if !quoted && c.is_ascii_whitespace() => break,
                Some('\\') => value.extend(chars.next()),
                Some(c) => value.push(c),
                None if quoted => return Err(wrong(format!("the quoted value of \"{name}\" does not end"))),
                None => break,
            }
        }
        pairs.push((name, value));
    }
}

fn parse_uri(rest: &str) -> Result<Pairs> {
    let mut pairs = Pairs::new();
    // credentials first, as in libpq: a password may hold a question mark
    let mut rest = rest;
    if let Some(at) = rest.find(['@', '/']).filter(|&at| rest[at..].starts_with('@')) {
        let credentials = &rest[..at];
        let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
        push(&mut pairs, "user", user)?;
        push(&mut pairs, "password", password)?;
        rest = &rest[at + 1..];
    }
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let (hosts, dbname) = rest.split_once('/').map_or((rest, None), |(hosts, name)| (hosts, Some(name)));
    let mut names = Vec::new();
    let mut ports = Vec::new();
    for part in hosts.split(',') {
        let (name, port) = split_port(part)?;
        names.push(decode(name)?);
        ports.push(decode(port)?);
    }
    for (name, list) in [("host", names), ("port", ports)] {
        if list.iter().any(|part| !part.is_empty()) {
            pairs.push((name.to_owned(), list.join(",")));
        }
    }
    push(&mut pairs, "dbname", dbname.unwrap_or_default())?;
    for part in query.into_iter().flat_map(|query| query.split('&')) {
        let Some((name, value)) = part.split_once('=') else {
            return Err(wrong("a query parameter is followed by no \"=\""));
        };
        match (decode(name)?.as_str(), decode(value)?) {
            ("ssl", value) if value == "true" => pairs.push(("sslmode".into(), "require".into())),
            (name, value) => pairs.push((name.to_owned(), value)),
        }
    }
    Ok(pairs)
}

/// `[::1]:5432`, `host:5432`, `%2Ftmp`: name without brackets, port or nothing.
fn split_port(part: &str) -> Result<(&str, &str)> {
    if let Some(rest) = part.strip_prefix('[') {
        let Some((name, rest)) = rest.split_once(']') else {
            return Err(wrong("the IPv6 address does not end in \"]\""));
        };
        return match rest.strip_prefix(':') {
            Some(port) => Ok((name, port)),
            None if rest.is_empty() => Ok((name, "")),
            None => Err(wrong("an IPv6 address is followed by something other than \":\" and a port")),
        };
    }
    Ok(part.split_once(':').unwrap_or((part, "")))
}

fn push(pairs: &mut Pairs, name: &str, encoded: &str) -> Result<()> {
    if !encoded.is_empty() {
        pairs.push((name.to_owned(), decode(encoded)?));
    }
    Ok(())
}

fn decode(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first != b'%' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let code = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if byte != 0 => bytes.push(byte),
            _ => return Err(wrong("a \"%\" in the URI is not followed by two hexadecimal digits")),
        }
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| wrong("the URI does not decode to UTF-8"))
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::usage(format!("connection string: {what}"))
        .hint("write host=… port=… user=… dbname=… or postgresql://user@host:port/dbname; %, : and @ in values as %25, %3A, %40 in a URI")
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn read(text: &str) -> String {
        let pairs = parse(text).unwrap();
        pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pairs_are_read_with_quotes_escapes_and_spaces() {
        assert_eq!(read("host = /tmp  port=5433"), "host=/tmp port=5433");
        assert_eq!(read(r"dbname='a b\'c' user=x\ y"), "dbname=a b'c user=x y");
        assert_eq!(read("password="), "password=");
    }

    #[test]
    fn uris_are_read_with_hosts_ports_and_percent_signs() {
        assert_eq!(read("postgresql://"), "");
        assert_eq!(read("postgres://u:p%40@h:1/d"), "user=u password=p@ host=h port=1 dbname=d");
        assert_eq!(read("postgresql://%2Ftmp%2Fs/d"), "host=/tmp/s dbname=d");
        assert_eq!(
            read("postgresql://[::1]:5433/d?connect_timeout=3"),
            "host=::1 port=5433 dbname=d connect_timeout=3"
        );
        assert_eq!(read("postgresql://a:1,b/d"), "host=a,b port=1, dbname=d");
        assert_eq!(read("postgresql:///d?host=/tmp"), "dbname=d host=/tmp");
        assert_eq!(read("postgresql://h?ssl=true"), "host=h sslmode=require");
        assert_eq!(read("postgresql://u:p?w:x@h/d?port=1"), "user=u password=p?w:x host=h dbname=d port=1");
        assert_eq!(read("postgresql://h/d?user=a@b"), "host=h dbname=d user=a@b");
    }

    #[test]
    fn broken_strings_are_refused_without_showing_values() {
        for text in [
            "host",
            "x=1 host",
            "password='secret",
            "password=my secret",
            "postgresql://u@h?secret",
            "postgresql://[::1",
            "postgresql://secret%zz@h",
            "postgresql://h?x",
        ] {
            let error = parse(text).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
