//! The Python runtime in `dist/`: what the cage is given of the npm package `pyodide`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::{self, AtPath, FileError};

/// The files that are taken as they are. The rest of the package is for other ways to load it.
const FILES: [&str; 4] = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"];
const LOCK: &str = "pyodide-lock.json";

/// The npm package is not what it should be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PyodideError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{} is not what the npm package has", .path.display())]
    Format { path: PathBuf, source: serde_json::Error },
}

/// The lock file: which packages there are, and what is needed to load each.
#[derive(Debug, Deserialize, Serialize)]
struct Lock {
    packages: BTreeMap<String, Value>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// Copies the runtime into a folder below `vendor`, named by its version and by what is in it: another set-up may have other packages of the same
/// version, and with them another lock file, and what has a hash in its name is kept for ever.
///
/// The lock file lists all of Pyodide's packages, most of which are not in the npm package. Only those that are there are kept in
/// it, so that what it promises can be loaded without a network.
pub(super) fn gather(package: &Path, vendor: &Path) -> Result<(), PyodideError> {
    let place = vendor.join("pyodide");
    for file in FILES {
        files::copy(&package.join(file), &place.join(file))?;
    }
    let mut lock: Lock = read(&package.join(LOCK))?;
    lock.packages.retain(|_, entry| file_name(entry).is_some_and(|name| package.join(name).is_file()));
    for name in lock.packages.values().filter_map(file_name) {
        files::copy(&package.join(name), &place.join(name))?;
    }
    let path = place.join(LOCK);
    let text = serde_json::to_vec(&lock).map_err(|source| PyodideError::Format { path: path.clone(), source })?;
    files::write(&path, &text)?;
    let named = vendor.join(format!("pyodide-{}-{}", version(package)?, super::contents_hash(&place)?));
    Ok(fs::rename(&place, &named).at("put in place", &named)?)
}

fn version(package: &Path) -> Result<String, PyodideError> {
    #[derive(Deserialize)]
    struct Manifest {
        version: String,
    }
    Ok(read::<Manifest>(&package.join("package.json"))?.version)
}

/// The file of a package, a plain name.
fn file_name(entry: &Value) -> Option<&str> {
    entry.get("file_name").and_then(Value::as_str).filter(|name| !name.is_empty() && !name.contains(['/', '\\']))
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T, PyodideError> {
    let text = fs::read(path).at("read", path)?;
    serde_json::from_slice(&text).map_err(|source| PyodideError::Format { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A package of npm with these packages of Pyodide in its lock file.
    fn package(home: &Path, packages: Value) -> PathBuf {
        let package = home.join("package");
        let put = |name: &str, text: &str| {
            files::write(&package.join(name), text.as_bytes()).expect("the folder is writable");
        };
        put("package.json", r#"{"version": "1.2.3"}"#);
        for name in FILES {
            put(name, name);
        }
        put("here-1-py3-none-any.whl", "wheel");
        put(LOCK, &json!({"info": {"python": "3.14.2"}, "packages": packages}).to_string());
        package
    }

    /// What is gathered of it: the folder's name and its place.
    fn gathered(package: &Path, vendor: &Path) -> (String, PathBuf) {
        gather(package, vendor).expect("the package is whole");
        let place = fs::read_dir(vendor).expect("it was made").next().expect("a folder").expect("it can be read");
        (place.file_name().into_string().expect("a plain name"), place.path())
    }

    #[test]
    fn the_lock_file_keeps_the_packages_that_are_there() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let package = package(
            home.path(),
            json!({
                "here": {"file_name": "here-1-py3-none-any.whl"},
                "away": {"file_name": "away-1-py3-none-any.whl"},
                "outside": {"file_name": "../package.json"},
            }),
        );
        let (_, place) = gathered(&package, &home.path().join("vendor"));

        let mut names: Vec<_> = files::below(&place).expect("it was made");
        names.sort();
        assert_eq!(
            names,
            [
                "here-1-py3-none-any.whl",
                "pyodide-lock.json",
                "pyodide.asm.mjs",
                "pyodide.asm.wasm",
                "pyodide.mjs",
                "python_stdlib.zip"
            ]
            .map(PathBuf::from)
        );
        let kept: Value = read(&place.join(LOCK)).expect("it is JSON");
        let expected = json!({
            "info": {"python": "3.14.2"},
            "packages": {"here": {"file_name": "here-1-py3-none-any.whl"}},
        });
        assert_eq!(kept, expected);
    }

    #[test]
    fn another_lock_file_of_the_same_version_has_another_name() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let name_with =
            |packages: Value, vendor: &str| gathered(&package(home.path(), packages), &home.path().join(vendor)).0;
        let here = json!({"here": {"file_name": "here-1-py3-none-any.whl", "sha256": "1"}});
        let name = name_with(here.clone(), "one");
        assert!(name.starts_with("pyodide-1.2.3-"), "{name}");
        assert_eq!(name, name_with(here, "again"));
        assert_ne!(name, name_with(json!({"here": {"file_name": "here-1-py3-none-any.whl", "sha256": "2"}}), "two"));
    }
}
