//! Finds the extension's files for a private server, and refuses a library that was built for another version.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::server::Session;
use crate::server::installation::Installation;

const LIBRARY: &str = "select_loop.so";
const CONTROL: &str = "select_loop.control";

/// What `CREATE EXTENSION select_loop` needs.
#[derive(Debug)]
pub struct ExtensionFiles {
    pub library: PathBuf,
    pub control: PathBuf,
    pub scripts: Vec<PathBuf>,
}

impl ExtensionFiles {
    /// In `given` (where it has to be), else where `make build` stages it beside our own executable, else among the
    /// server's own files. None where it is nowhere.
    pub fn find(given: Option<&Path>, installation: &Installation) -> Result<Option<Self>> {
        if let Some(given) = given {
            let missing = Error::failed(format!("{} does not hold the extension's files", given.display())).hint(
                format!("--extension-dir needs {LIBRARY}, {CONTROL} and select_loop--VERSION.sql, as `make build` stages them"),
            );
            check_build(given, installation)?;
            return Ok(Some(Self::within(given, given).ok_or(missing)?));
        }
        for directory in staged(installation.major) {
            if let Some(found) = Self::within(&directory, &directory) {
                check_build(&directory, installation)?;
                return Ok(Some(found));
            }
        }
        Ok(Self::within(&installation.pkglibdir, &installation.sharedir.join("extension")))
    }

    fn within(library_dir: &Path, share_dir: &Path) -> Option<Self> {
        let library = library_dir.join(LIBRARY);
        let control = share_dir.join(CONTROL);
        let scripts: Vec<PathBuf> = std::fs::read_dir(share_dir)
            .ok()?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                let name = path.file_name().map(|name| name.to_string_lossy());
                name.is_some_and(|name| name.starts_with("select_loop--") && name.ends_with(".sql"))
            })
            .collect();
        (library.is_file() && control.is_file() && !scripts.is_empty()).then_some(Self { library, control, scripts })
    }
}

/// Calls the extension installed in `schema`, so that a library that the server cannot load is found here, with advice.
pub fn probe(session: &Session, schema: &str) -> Result<()> {
    let called = session.query(&format!("select from {schema}.select_loop_layers()"), &[]);
    called.map(drop).map_err(|error| {
        error.context("the extension cannot be used").hint(
            "its library has to be built for this very server: `make install PG_CONFIG=…` with that server's pg_config; or DROP \
             EXTENSION select_loop, to measure without it",
        )
    })
}

/// Creates the extension in a private server.
pub fn create(session: &Session, installation: &Installation) -> Result<()> {
    session.batch("create extension select_loop").map_err(|error| {
        let pg_config = installation.pg_config.display();
        error
            .context("the extension cannot be used")
            .hint(format!("its library has to be built for this very server: `make build PG_CONFIG={pg_config}`"))
    })
}

/// `target/pg15` for `target/release/sps`, and for a test binary in `target/debug/deps`.
fn staged(major: u32) -> Vec<PathBuf> {
    let executable = std::env::current_exe().ok();
    let folders = executable.iter().flat_map(|path| path.ancestors().skip(1).take(3));
    folders.map(|folder| folder.join(format!("pg{major}"))).collect()
}

/// Beside a staged library stands `build-info`: the version and pg_config that it was built with.
fn check_build(directory: &Path, installation: &Installation) -> Result<()> {
    let Ok(text) = std::fs::read_to_string(directory.join("build-info")) else { return Ok(()) };
    let value = |name: &str| {
        let of = |line: &str| Some(line.strip_prefix(name)?.strip_prefix('=')?.trim().to_owned());
        text.lines().find_map(of).unwrap_or_else(|| "unknown".to_owned())
    };
    if value("major") == installation.major.to_string() {
        return Ok(());
    }
    Err(Error::failed(format!(
        "the extension in {} was built for {} by {}, but the server is {} ({})",
        directory.display(),
        value("version"),
        value("pg_config"),
        installation.version,
        installation.pg_config.display()
    ))
    .hint(format!(
        "run `make build PG_CONFIG={}`, or start that other server with --pg-config {}",
        installation.pg_config.display(),
        value("pg_config")
    )))
}
