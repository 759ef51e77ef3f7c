//! The npm packages of `tests/package-lock.json`: wasm-opt, esbuild, CodeMirror, Pyodide, just-bash, Playwright.
//!
//! They are installed into the cache under the hash of the lock file, and the clone gets a link to them. No install script
//! of a package is ever run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::digest;
use crate::files::{self, AtPath, FileError};
use crate::process;
use crate::project::Project;
use crate::setup::{FetchError, Finding, Requirement};

const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// All packages of the lock file.
pub(crate) struct NpmPackages;

impl Requirement for NpmPackages {
    fn name(&self) -> String {
        "npm packages (Playwright, binaryen, esbuild, CodeMirror, Pyodide, just-bash)".to_owned()
    }

    fn purpose(&self) -> &'static str {
        "optimise the app, to ship its editor and Python with it and to test it in a browser"
    }

    fn look(&self, project: &Project) -> Finding {
        let folder = match folder(project) {
            Ok(folder) => folder,
            Err(error) => return Finding::Missing(error.to_string()),
        };
        if !folder.is_dir() {
            return Finding::Missing(format!("no {}", folder.display()));
        }
        match fs::read_link(project.node_modules()) {
            Ok(target) if target == folder.join("node_modules") => Finding::Present(folder.display().to_string()),
            _ => Finding::Missing("tests/node_modules does not lead to them".to_owned()),
        }
    }

    fn fetch(&self, project: &Project) -> Result<(), FetchError> {
        let place = folder(project)?;
        if !place.is_dir() {
            let fresh = project.cache().fresh_folder("npm")?;
            for name in ["package.json", "package-lock.json"] {
                files::copy(&project.root().join("tests").join(name), &fresh.join(name))?;
            }
            let mut npm = process::command("npm");
            npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&fresh);
            process::run_quietly(&mut npm, &project.cache().log("npm"), PATIENCE)?;
            project.cache().publish(&fresh, &place)?;
        }
        Ok(point_link(&project.node_modules(), &place.join("node_modules"))?)
    }
}

fn folder(project: &Project) -> Result<PathBuf, FileError> {
    let path = project.root().join("tests/package-lock.json");
    let lock_file = fs::read(&path).at("read", &path)?;
    Ok(project.cache().folder().join(format!("npm-{}", &digest::hex(&lock_file)[..12])))
}

/// Makes `link` lead to `target`, whatever was there before.
pub(super) fn point_link(link: &Path, target: &Path) -> Result<(), FileError> {
    match fs::symlink_metadata(link) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(link).at("remove", link)?,
        Ok(_) => fs::remove_file(link).at("remove", link)?,
        Err(_) => {}
    }
    symlink(target, link).at("create the link", link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_replaces_whatever_was_there() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let link = home.path().join("node_modules");
        let leads_to = |target: &str| fs::read_link(&link).is_ok_and(|found| found == Path::new(target));

        point_link(&link, Path::new("/first")).expect("nothing was there");
        assert!(leads_to("/first"));
        point_link(&link, Path::new("/second")).expect("a stale link was there");
        assert!(leads_to("/second"));
        fs::remove_file(&link).expect("the link exists");
        fs::create_dir_all(link.join("package")).expect("the folder is writable");
        point_link(&link, Path::new("/third")).expect("a real folder was there");
        assert!(leads_to("/third"));
    }
}
