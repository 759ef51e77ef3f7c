//! The folder of Python packages next to the app: what `--packages` names, served under `/packages/`.
//!
//! Its lock file is made when the server starts and names what is really there: the wheels that Pyodide's own lock file in the folder
//! knows, and every other wheel by what it says of itself. Only files that the lock file names are served, found by their exact names;
//! nothing in a request ever becomes a path on the disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::extract::{Path as UrlPath, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use satchel_core::python::packages::{Lock, LockError, PackageLimits};

use crate::refusal::Refusal;
use crate::state::AppState;

/// The name of the lock file, in the folder and as it is served.
pub const LOCK: &str = "pyodide-lock.json";

/// The folder, as it was found at the start.
#[derive(Debug, Default)]
pub struct PackagesFolder {
    /// The lock file; none where there is no folder.
    lock: Option<Vec<u8>>,
    /// Where the files are that it names.
    files: BTreeMap<String, PathBuf>,
}

/// Why a folder of packages cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum PackagesFolderError {
    /// It cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The folder or a file in it.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Its lock file cannot be written.
    #[error("cannot write {path}")]
    NotWritten {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Its lock file is of no use.
    #[error("the packages in {folder} cannot be used")]
    Lock {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: LockError,
    },
}

impl PackagesFolder {
    /// Looks into a folder; none is an empty one.
    pub fn open(folder: Option<&Path>) -> Result<Self, PackagesFolderError> {
        let Some(folder) = folder else { return Ok(Self::default()) };
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| PackagesFolderError::Unreadable { path, source }
        };
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
            let path = entry.map_err(unreadable(folder))?.path();
            if let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| path.is_file()) {
                files.insert(name.to_owned(), path.clone());
            }
        }
        let mut lock = match files.remove(LOCK) {
            Some(path) => {
                let text = std::fs::read(&path).map_err(unreadable(&path))?;
                Lock::parse(&text).map_err(|source| PackagesFolderError::Lock { folder: folder.to_owned(), source })?
            }
            None => Lock::empty(),
        };
        lock.prune(|file_name| files.contains_key(file_name));
        let named: Vec<String> = lock.packages.values().map(|entry| entry.file_name.clone()).collect();
        for (name, path) in files.iter().filter(|(name, _)| name.ends_with(".whl") && !named.contains(name)) {
            let bytes = std::fs::read(path).map_err(unreadable(path))?;
            if let Err(error) = lock.add_wheel(name, &bytes, PackageLimits::default().metadata_bytes) {
                // One bad wheel is no reason to offer none.
                tracing::warn!(wheel = name, %error, "a wheel in the folder of packages is left out");
            }
        }
        files.retain(|name, _| lock.packages.values().any(|entry| entry.file_name == *name));
        let lock = serde_json::to_vec(&lock).expect("a lock file is JSON");
        Ok(Self { lock: Some(lock), files })
    }

    /// How many files are served.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes the lock file into the folder, for a static host to serve as it is. Gives its path.
    pub fn write_lock(&self, folder: &Path) -> Result<PathBuf, PackagesFolderError> {
        let path = folder.join(LOCK);
        match std::fs::write(&path, self.lock.as_deref().unwrap_or_default()) {
            Ok(()) => Ok(path),
            Err(source) => Err(PackagesFolderError::NotWritten { path, source }),
        }
    }
}

/// Answers a file of the folder.
pub async fn file(State(state): State<AppState>, UrlPath(name): UrlPath<String>) -> Response {
    let folder = state.packages();
    let (content_type, bytes) = match (&folder.lock, folder.files.get(&name)) {
        (Some(lock), _) if name == LOCK => ("application/json", lock.clone()),
        // A wheel is some megabytes at most, and asked for once by each device.
        (_, Some(path)) => match tokio::fs::read(path).await {
            Ok(bytes) => ("application/octet-stream", bytes),
            Err(error) => {
                tracing::error!(name, %error, "a file of the folder of packages cannot be read");
                return Refusal::Internal.into_response();
            }
        },
        (Some(_) | None, None) => return Refusal::NotFound.into_response(),
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, Body::from(bytes)).into_response()
}

#[cfg(test)]
mod tests {
    use satchel_core::bundle::archive;

    use super::*;

    fn wheel(name: &str, requires: &str) -> Vec<u8> {
        let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}\n");
        archive::write(&BTreeMap::from([(format!("{name}-1.0.dist-info/METADATA"), metadata.into_bytes())]))
    }

    fn served(folder: &Path) -> (serde_json::Value, Vec<String>) {
        let opened = PackagesFolder::open(Some(folder)).expect("is read");
        let lock = serde_json::from_slice(&opened.lock.expect("there is one")).expect("is JSON");
        (lock, opened.files.into_keys().collect())
    }

    /// R306: the lock file names what is really there.
    #[test]
    fn a_folder_of_wheels_is_enough() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("is writable");
        put("a-1.0-py3-none-any.whl", &wheel("a", "Requires-Dist: b>=1\n"));
        put("b-1.0-py3-none-any.whl", &wheel("b", ""));
        put("c-1.0-cp314-cp314-win_amd64.whl", &wheel("c", ""));
        put("d-1.0-py3-none-any.whl", b"damaged");
        put("secret.txt", b"not a package");
        let (lock, files) = served(folder.path());
        assert_eq!(files, ["a-1.0-py3-none-any.whl", "b-1.0-py3-none-any.whl"]);
        assert_eq!(lock["packages"]["a"]["depends"], serde_json::json!(["b"]));
        assert_eq!(lock["packages"].as_object().map(serde_json::Map::len), Some(2));
    }

    #[test]
    fn the_lock_file_of_a_distribution_is_pruned() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut lock = Lock::empty();
        for name in ["a", "b"] {
            lock.add_wheel(&format!("{name}-1.0-py3-none-any.whl"), &wheel(name, ""), 10_000).expect("is a wheel");
        }
        std::fs::write(folder.path().join(LOCK), serde_json::to_vec(&lock).expect("is JSON")).expect("is writable");
        std::fs::write(folder.path().join("b-1.0-py3-none-any.whl"), wheel("b", "")).expect("is writable");
        let (lock, files) = served(folder.path());
        let opened = PackagesFolder::open(Some(folder.path())).expect("is read");
        let written = opened.write_lock(folder.path()).expect("is writable");
        assert_eq!(std::fs::read(written).ok(), opened.lock, "a static host serves the same");
        assert_eq!(files, ["b-1.0-py3-none-any.whl"]);
        assert_eq!(lock["packages"].as_object().map(serde_json::Map::len), Some(1));
    }

    #[test]
    fn a_folder_that_is_none_is_refused() {
        let error = PackagesFolder::open(Some(Path::new("/nowhere"))).expect_err("is refused");
        assert_eq!(error.to_string(), "cannot read /nowhere");
        assert!(PackagesFolder::open(None).expect("is none").is_empty());
    }
}
