//! Connection services: named sets of parameters in pg_service.conf.
//!
//! Counterpart: parseServiceInfo and parseServiceFile in src/interfaces/libpq/fe-connect.c.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::server::conninfo::Pairs;

/// Where Debian's libpq keeps the system's file; PGSYSCONFDIR names another folder.
const SYSTEM: &str = "/etc/postgresql-common";

/// The parameters of service `name`; `file`, where it is given, is the user's.
///
/// # Errors
/// The service is in no file, or the file is none.
pub fn read(name: &str, file: Option<&str>) -> Result<Pairs> {
    let system = std::env::var_os("PGSYSCONFDIR").map_or_else(|| PathBuf::from(SYSTEM), PathBuf::from);
    let user = match file {
        Some(file) => {
            if !Path::new(file).exists() {
                return Err(Error::failed(format!("service file \"{file}\" not found"))
                    .hint("PGSERVICEFILE or servicefile has to name a file of services"));
            }
            Some(PathBuf::from(file))
        }
        None => std::env::home_dir().map(|home| home.join(".pg_service.conf")),
    };
    for path in user.into_iter().chain([system.join("pg_service.conf")]).filter(|path| path.exists()) {
        let text = std::fs::read(&path)
            .map_err(|error| Error::from(error).context(format!("service file \"{}\"", path.display())))?;
        if let Some(found) = find(name, &String::from_utf8_lossy(&text), &path)? {
            return Ok(found);
        }
    }
    Err(Error::failed(format!("definition of service \"{name}\" not found"))
        .hint("services are sections of ~/.pg_service.conf, or of the file that PGSERVICEFILE names"))
}

/// The parameters of the first section of that name; the first of several of one name wins.
fn find(name: &str, text: &str, path: &Path) -> Result<Option<Pairs>> {
    let mut found: Option<Pairs> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |what: &str| {
            Error::failed(format!("{what} in service file \"{}\", line {number}", path.display()))
                .hint("a service is a line [name], then lines parameter=value")
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            if found.is_some() {
                break;
            }
            let section = line.strip_prefix('[').and_then(|rest| rest.strip_prefix(name));
            if section.is_some_and(|rest| rest.starts_with(']')) {
                found = Some(Pairs::new());
            }
            continue;
        }
        let Some(pairs) = &mut found else { continue };
        if line.starts_with("ldap") {
            return Err(wrong("sps asks no LDAP server for parameters, which a line wants it to"));
        }
        let Some((name, value)) = line.split_once('=') else { return Err(wrong("syntax error")) };
        match name {
            "service" | "servicefile" => return Err(wrong("nested service specification")),
            _ if pairs.iter().any(|(known, _)| known == name) => {}
            _ => pairs.push((name.to_owned(), value.to_owned())),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::find;

    const FILE: &str =
        "# a comment\nhost=outside\n[a]\nhost=one\nhost=two\n password=x=y \n\n[b]\nservice=a\n[c]\nhost\n";

    #[test]
    fn a_section_ends_where_the_next_begins_and_the_first_value_counts() {
        let found = find("a", FILE, Path::new("f")).unwrap().unwrap();
        assert_eq!(found, [("host".into(), "one".into()), ("password".into(), "x=y".into())]);
        assert!(find("none", FILE, Path::new("f")).unwrap().is_none());
    }

    #[test]
    fn what_is_no_parameter_is_an_error_with_its_line() {
        assert!(find("b", FILE, Path::new("f")).unwrap_err().message.contains("line 9"));
        assert!(find("c", FILE, Path::new("f")).unwrap_err().message.contains("line 11"));
    }
}
