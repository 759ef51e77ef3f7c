//! Lock files in Pyodide's format: everything that a folder offers, each with its file, its hash and what it depends on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::environment::{ABI, PLATFORM, PYTHON, PYTHON_MINOR};
use super::name::PackageName;
use super::wheel::{WheelError, WheelName, requirements};
use crate::digest::BlobId;

/// A lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// Which Python its packages are for.
    pub info: LockInfo,
    /// The packages, by their names.
    pub packages: BTreeMap<String, LockEntry>,
}

/// Which Python the packages of a lock file are for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockInfo {
    /// The processor.
    pub arch: String,
    /// The compiler that built it.
    pub platform: String,
    /// The interface of its compiled modules.
    #[serde(default)]
    pub abi_version: Option<String>,
    /// Its version.
    pub python: String,
}

/// A package of a lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockEntry {
    /// Its name, in its author's spelling.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its file, next to the lock file or at an address.
    pub file_name: String,
    /// Where it is unpacked; `site` for all that Python imports.
    #[serde(default = "site")]
    pub install_dir: String,
    /// The SHA-256 of its file.
    pub sha256: String,
    /// What it is; a `package`, or a library that packages share.
    #[serde(default = "package")]
    pub package_type: String,
    /// The modules it brings.
    #[serde(default)]
    pub imports: Vec<String>,
    /// The names of the packages it needs.
    #[serde(default)]
    pub depends: Vec<String>,
    /// Whether its tests were taken out.
    #[serde(default)]
    pub unvendored_tests: bool,
}

fn site() -> String {
    "site".into()
}

fn package() -> String {
    "package".into()
}

/// Why a lock file is of no use.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It is none.
    #[error("its lock file cannot be read ({0})")]
    Unreadable(serde_json::Error),
    /// It is for another Python.
    #[error(
        "its packages are for Python {0}, and tools run with Python {PYTHON}; use the packages of the Pyodide with that version"
    )]
    OtherPython(String),
}

impl Lock {
    /// Reads one, if its packages are for the Python of the cage.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        let lock: Self = serde_json::from_slice(bytes).map_err(LockError::Unreadable)?;
        let fits = lock.info.python.split('.').take(2).eq(["3", &PYTHON_MINOR.to_string()])
            && lock.info.abi_version.as_deref().is_none_or(|abi| abi == ABI);
        if fits { Ok(lock) } else { Err(LockError::OtherPython(lock.info.python)) }
    }

    /// One that names nothing.
    #[must_use]
    pub fn empty() -> Self {
        let info = LockInfo {
            arch: "wasm32".into(),
            platform: PLATFORM.into(),
            abi_version: Some(ABI.into()),
            python: PYTHON.into(),
        };
        Self { info, packages: BTreeMap::new() }
    }

    /// The entry of a package.
    #[must_use]
    pub fn find(&self, name: &PackageName) -> Option<&LockEntry> {
        let is_it = |other: &str| PackageName::parse(other).is_ok_and(|other| other == *name);
        self.packages.get(name.as_str()).or_else(|| self.packages.values().find(|entry| is_it(&entry.name)))
    }

    /// Leaves out what is not there, so that nothing is promised that cannot be had.
    pub fn prune(&mut self, is_there: impl Fn(&str) -> bool) {
        self.packages.retain(|_, entry| is_there(&entry.file_name));
    }

    /// Names a wheel that the lock file does not know, by what it says of itself. Of two versions the newer one stays. A wheel that does
    /// not run in the cage is left out; whether it was named is the answer.
    pub fn add_wheel(&mut self, file_name: &str, bytes: &[u8], metadata_bytes: u64) -> Result<bool, WheelError> {
        let Some(wheel) = WheelName::parse(file_name).filter(|wheel| wheel.fit().is_some()) else { return Ok(false) };
        let known = self.find(&wheel.name).and_then(|entry| super::Version::parse(&entry.version).ok());
        if known.is_some_and(|known| known >= wheel.version) {
            return Ok(false);
        }
        let required = requirements(bytes, metadata_bytes)?;
        let depends = required.into_iter().filter(|required| required.applies(&[]));
        let entry = LockEntry {
            name: wheel.name.to_string(),
            version: wheel.version.to_string(),
            file_name: file_name.into(),
            install_dir: site(),
            sha256: BlobId::of(bytes).to_string(),
            package_type: package(),
            imports: Vec::new(),
            depends: depends.map(|required| required.name.to_string()).collect(),
            unvendored_tests: false,
        };
        self.packages.insert(wheel.name.to_string(), entry);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::wheel;
    use super::*;

    #[test]
    fn a_lock_file_of_pyodide_is_read() {
        let text = br#"{"info": {"abi_version": "2026_0", "arch": "wasm32", "platform": "emscripten_5_0_3", "python": "3.14.2"},
            "packages": {"attrs": {"depends": ["six"], "file_name": "attrs-26.1.0-py3-none-any.whl", "imports": ["attr", "attrs"],
            "install_dir": "site", "name": "attrs", "package_type": "package", "sha256": "00", "tool": {}, "unvendored_tests": false,
            "version": "26.1.0"}}, "tool": {}}"#;
        let lock = Lock::parse(text).expect("is a lock file");
        let attrs = lock.find(&PackageName::parse("Attrs").expect("is a name")).expect("is in it");
        assert_eq!((attrs.version.as_str(), attrs.depends.as_slice()), ("26.1.0", &["six".to_owned()][..]));
    }

    #[test]
    fn a_lock_file_of_another_python_is_refused() {
        let other = String::from_utf8(serde_json::to_vec(&Lock::empty()).expect("is JSON"))
            .expect("is text")
            .replace("3.14.2", "3.13.1");
        let refused = Lock::parse(other.as_bytes()).expect_err("is refused").to_string();
        assert_eq!(
            refused,
            "its packages are for Python 3.13.1, and tools run with Python 3.14.2; use the packages of the Pyodide with that version"
        );
        assert!(Lock::parse(b"{}").is_err());
    }

    #[test]
    fn it_names_what_is_there() {
        let mut lock = Lock::empty();
        let mut add = |file_name: &str, bytes: &[u8]| lock.add_wheel(file_name, bytes, 10_000).expect("is a wheel");
        assert!(add("a_b-1.0-py3-none-any.whl", &wheel("a_b", "1.0", &["c>=2", "d ; extra == 'x'"])));
        assert!(add("a_b-1.1-py3-none-any.whl", &wheel("a_b", "1.1", &["c>=2"])));
        assert!(!add("a_b-0.9-py3-none-any.whl", &wheel("a_b", "0.9", &[])), "an older one is left out");
        assert!(!add("e-1-cp314-cp314-win_amd64.whl", b"never read"), "it does not run in the cage");
        assert!(add("c-2.0-py3-none-any.whl", &wheel("c", "2.0", &[])));
        let named =
            |lock: &Lock| -> Vec<String> { lock.packages.values().map(|entry| entry.file_name.clone()).collect() };
        assert_eq!(named(&lock), ["a_b-1.1-py3-none-any.whl", "c-2.0-py3-none-any.whl"]);
        assert_eq!(lock.packages["a-b"].depends, ["c"]);
        lock.prune(|file_name| file_name.starts_with("c-"));
        assert_eq!(named(&lock), ["c-2.0-py3-none-any.whl"]);
    }

    #[test]
    fn as_stored() {
        let mut lock = Lock::empty();
        let bytes = wheel("a", "1.0", &["b"]);
        lock.add_wheel("a-1.0-py3-none-any.whl", &bytes, 10_000).expect("is a wheel");
        lock.packages.values_mut().for_each(|entry| entry.sha256 = "00".into());
        insta::assert_json_snapshot!(lock, @r#"
        {
          "info": {
            "arch": "wasm32",
            "platform": "emscripten_5_0_3",
            "abi_version": "2026_0",
            "python": "3.14.2"
          },
          "packages": {
            "a": {
              "name": "a",
              "version": "1.0",
              "file_name": "a-1.0-py3-none-any.whl",
              "install_dir": "site",
              "sha256": "00",
              "package_type": "package",
              "imports": [],
              "depends": [
                "b"
              ],
              "unvendored_tests": false
            }
          }
        }
        "#);
    }
}
