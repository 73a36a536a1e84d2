//! A PostgreSQL installation, as its pg_config tells of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};

/// Folders and version of one installation.
#[derive(Clone, Debug)]
pub struct Installation {
    pub pg_config: PathBuf,
    pub bindir: PathBuf,
    pub libdir: PathBuf,
    pub pkglibdir: PathBuf,
    pub sharedir: PathBuf,
    /// As pg_config prints it: `PostgreSQL 15.14 (Debian …)`.
    pub version: String,
    pub major: u32,
}

impl Installation {
    /// The one that `given` (--pg-config, PG_CONFIG) names, else pg_config on PATH, else Debian's newest. It has to have
    /// a server.
    pub fn find(given: Option<&Path>) -> Result<Self> {
        let advice =
            "install a server (`make deps`, or apt-get install postgresql), or name one with PG_CONFIG or --pg-config";
        if let Some(given) = given {
            let found = Self::ask(given)?;
            return match found.has_server() {
                true => Ok(found),
                false => Err(Error::failed(format!(
                    "{} belongs to an installation without a server: no postgres and initdb in {}",
                    given.display(),
                    found.bindir.display()
                ))
                .hint(advice)),
            };
        }
        // on Debian the pg_config on PATH may be libpq's, which knows no server
        if let Ok(found) = Self::ask(Path::new("pg_config"))
            && found.has_server()
        {
            return Ok(found);
        }
        let newest = debian_versions()
            .into_iter()
            .rev()
            .map(|dir| dir.join("bin/pg_config"))
            .find_map(|path| Self::ask(&path).ok().filter(Self::has_server));
        newest.ok_or_else(|| Error::failed("no PostgreSQL server is installed here").hint(advice))
    }

    /// One of that major version with a server: the first among the pg_configs `named`, else the one on PATH, else Debian's.
    pub fn of_major(named: &[PathBuf], major: u32) -> Option<Self> {
        let others = ["pg_config".into(), format!("/usr/lib/postgresql/{major}/bin/pg_config").into()];
        let places = named.iter().chain(&others);
        places.filter_map(|path| Self::ask(path).ok()).find(|found| found.major == major && found.has_server())
    }

    fn ask(pg_config: &Path) -> Result<Self> {
        let failed = |why: String| {
            Error::failed(format!("cannot run {}: {why}", pg_config.display()))
                .hint("PG_CONFIG or --pg-config names the pg_config program of an installation")
        };
        let flags = ["--bindir", "--libdir", "--pkglibdir", "--sharedir", "--version"];
        let output = Command::new(pg_config).args(flags).output().map_err(|error| failed(error.to_string()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = text.lines().collect();
        let [bindir, libdir, pkglibdir, sharedir, version] = lines[..] else {
            return Err(failed(format!("it said \"{}\"", String::from_utf8_lossy(&output.stderr).trim())));
        };
        let number = version.trim_start_matches("PostgreSQL ");
        let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
        let major = digits.parse().map_err(|_| failed(format!("its version is \"{version}\"")))?;
        let bindir = PathBuf::from(bindir);
        // the one beside the server means this installation whatever PATH says
        let beside = Some(bindir.join("pg_config")).filter(|path| path.is_file());
        Ok(Self {
            pg_config: beside.unwrap_or_else(|| pg_config.to_owned()),
            bindir,
            libdir: libdir.into(),
            pkglibdir: pkglibdir.into(),
            sharedir: sharedir.into(),
            version: version.to_owned(),
            major,
        })
    }

    fn has_server(&self) -> bool {
        ["postgres", "initdb"].iter().all(|program| self.bindir.join(program).is_file())
    }
}

/// /usr/lib/postgresql/*, oldest first.
fn debian_versions() -> Vec<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}
