//! A private installation tree: the server's programs copied, everything else linked, our extension beside it.
//!
//! PostgreSQL finds its folders relative to its own executable (make_relative_path in src/port/path.c), so a tree of the
//! same shape makes `CREATE EXTENSION` find our files while the system's folders stay as they are. The shape is kept by
//! repeating the absolute paths below the tree's root.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::server::extension::ExtensionFiles;
use crate::server::installation::Installation;

/// Programs that look for their folders from where they are: links would lead them back to the system's.
const COPIED: [&str; 2] = ["postgres", "initdb"];

/// Builds the tree below `root` and returns its folder of programs.
pub fn build(root: &Path, installation: &Installation, extension: Option<&ExtensionFiles>) -> Result<PathBuf> {
    let below = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
    let bindir = below(&installation.bindir);
    let pkglibdir = below(&installation.pkglibdir);
    let extensions = installation.sharedir.join("extension");

    link_all(&installation.bindir, &bindir, |name| !COPIED.contains(&name))?;
    for program in COPIED {
        copy(&installation.bindir.join(program), &bindir.join(program), 0o755)?;
    }
    // select_loop* installed before is left out, whether ours takes its place or not
    link_all(&installation.pkglibdir, &pkglibdir, |name| !name.starts_with("select_loop"))?;
    link_all(&installation.sharedir, &below(&installation.sharedir), |name| name != "extension")?;
    link_all(&extensions, &below(&extensions), |name| !name.starts_with("select_loop"))?;
    // programs of a relocatable installation find libpq by $ORIGIN/../lib
    if installation.pkglibdir.parent() == Some(&installation.libdir) {
        link_all(&installation.libdir, &below(&installation.libdir), |name| name.contains(".so"))?;
    }
    if let Some(files) = extension {
        copy(&files.library, &pkglibdir.join("select_loop.so"), 0o755)?;
        for file in files.scripts.iter().chain([&files.control]) {
            if let Some(name) = file.file_name() {
                copy(file, &below(&extensions).join(name), 0o644)?;
            }
        }
    }
    Ok(bindir)
}

/// Links every entry of `from` whose name is `wanted` into `to`.
fn link_all(from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> Result<()> {
    make_folder(to)?;
    let entries = std::fs::read_dir(from).map_err(|error| Error::failed(format!("{}: {error}", from.display())))?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if wanted(&entry.file_name().to_string_lossy()) && !target.exists() {
            symlink(entry.path(), &target).map_err(|error| Error::failed(format!("{}: {error}", target.display())))?;
        }
    }
    Ok(())
}

/// Creates a folder and its parents, readable by the server's account whatever our umask says.
fn make_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_folder(parent)?;
    }
    std::fs::create_dir(path).map_err(|error| Error::failed(format!("{}: {error}", path.display())))?;
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755))?;
    Ok(())
}

fn copy(from: &Path, to: &Path, mode: u32) -> Result<()> {
    std::fs::copy(from, to).map_err(|error| Error::failed(format!("cannot copy {}: {error}", from.display())))?;
    std::fs::set_permissions(to, PermissionsExt::from_mode(mode))?;
    Ok(())
}
