//! Passwords out of what is recorded or printed. It rather masks too much than too little.

const MASK: &str = "***";

/// `text`, an argument of a command line or a message that quotes one, without the passwords that it may hold: those of
/// URIs (before the @ and as parameters) and of key=value strings (`password`, `sslpassword`, …, quoted or not).
pub fn mask(text: &str) -> String {
    mask_assignments(&mask_user_info(text))
}

/// `postgresql://user:secret@host` becomes `postgresql://user:***@host`. A secret may hold an unescaped @, / or ?, which
/// the server would never see but a record would: everything up to the last @ goes.
fn mask_user_info(text: &str) -> String {
    let Some(scheme) = text.find("://") else { return text.to_owned() };
    let (head, rest) = text.split_at(scheme + 3);
    let Some(at) = rest.rfind('@') else { return text.to_owned() };
    match rest[..at].find(':') {
        Some(colon) => format!("{head}{}:{MASK}{}", &rest[..colon], &rest[at..]),
        None => text.to_owned(),
    }
}

/// Masks what follows `password=`, also with spaces round the `=` and with names that end in it.
fn mask_assignments(text: &str) -> String {
    let uri = text.contains("://");
    let mut out = String::new();
    let mut rest = text;
    while let Some(equals) = rest.find('=') {
        let (name, value) = (&rest[..equals], &rest[equals + 1..]);
        out.push_str(name);
        out.push('=');
        if !names_secret(name) {
            rest = value;
            continue;
        }
        let spaces = if uri { 0 } else { value.len() - value.trim_start().len() };
        let length = spaces + if uri { uri_value(value) } else { value_length(&value[spaces..]) };
        if length > spaces {
            out.push_str(MASK);
        }
        rest = &value[length..];
    }
    out.push_str(rest);
    out
}

/// Does the text before an = end in the name of something secret? libpq decodes %xx in names, too.
fn names_secret(text: &str) -> bool {
    let name = text.trim_end().rsplit([' ', '\t', '\n', '?', '&', '\'', '"']).next().unwrap_or("");
    let name = decode(name).to_ascii_lowercase();
    name.ends_with("password") || name.ends_with("secret")
}

fn decode(name: &str) -> String {
    let mut out = Vec::new();
    let mut bytes = name.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        let escape = (byte == b'%').then(|| bytes.as_slice().get(..2)).flatten();
        match escape.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                bytes.nth(1);
            }
            None => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn uri_value(value: &str) -> usize {
    value.find('&').unwrap_or(value.len())
}

/// Length of a value as libpq reads it: quoted, or up to white space; backslashes escape in both.
fn value_length(value: &str) -> usize {
    let quoted = value.starts_with('\'');
    let mut escaped = false;
    for (at, c) in value.char_indices().skip(usize::from(quoted)) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' if quoted => return at + 1,
            c if !quoted && c.is_whitespace() => return at,
            _ => {}
        }
    }
    value.len()
}
