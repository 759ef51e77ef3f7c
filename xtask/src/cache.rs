//! The cache folder: tools and large downloads, pinned by version in their names and shared by all clones.
//!
//! Two clones may set up at the same time, so whoever writes holds the lock, and a thing appears under its final name
//! only when it is complete: a killed set-up leaves nothing that looks finished.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::report;

/// The folder itself; it may not exist yet.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// Held while the cache is written; given back when dropped or when the process dies.
#[derive(Debug)]
#[must_use]
pub(crate) struct CacheLock {
    _file: File,
}

/// What to do when the cache cannot be used, unless the disk is full.
pub(crate) const REMEDY: &str = "set SATCHEL_CACHE to a folder that can be written, then run the same command again";

/// The cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    #[error("no cache folder: none of SATCHEL_CACHE, XDG_CACHE_HOME and HOME is set")]
    Nowhere,
    #[error("the cache folder {} cannot be written", .folder.display())]
    NotWritable { folder: PathBuf, source: io::Error },
}

impl Cache {
    /// The folder that the environment names; nothing is created.
    pub(crate) fn locate() -> Result<Self, CacheError> {
        Self::from_environment(|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
    }

    fn from_environment(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<Self, CacheError> {
        let folder = if let Some(folder) = variable("SATCHEL_CACHE") {
            std::path::absolute(&folder).map_err(|source| CacheError::NotWritable { folder, source })?
        } else if let Some(caches) = variable("XDG_CACHE_HOME") {
            caches.join("satchel")
        } else if let Some(home) = variable("HOME") {
            let caches = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
            home.join(caches).join("satchel")
        } else {
            return Err(CacheError::Nowhere);
        };
        Ok(Self { folder })
    }

    /// The folder's path.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a tool of one exact version lives.
    pub(crate) fn tool(&self, name: &str, version: &str) -> PathBuf {
        self.folder.join("tools").join(format!("{name}-{version}"))
    }

    /// Compressed copies of files that do not change with the sources.
    pub(crate) fn compressed(&self) -> PathBuf {
        self.folder.join("brotli")
    }

    /// Where the output of an installation is written.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.folder.join("log").join(format!("{name}.log"))
    }

    /// An empty folder to install into. Call only with the lock held: what an earlier, killed set-up left is removed.
    pub(crate) fn fresh_folder(&self, name: &str) -> Result<PathBuf, CacheError> {
        let folder = self.partial(name);
        let prepare = || {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)
        };
        prepare().map_err(|source| self.not_writable(source))?;
        Ok(folder)
    }

    /// A folder for work that may be taken up again after a killed set-up.
    pub(crate) fn partial(&self, name: &str) -> PathBuf {
        self.folder.join("partial").join(name)
    }

    /// Gives a finished folder its final name.
    pub(crate) fn publish(&self, finished: &Path, place: &Path) -> Result<(), CacheError> {
        let publish = || {
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            if place.exists() {
                fs::remove_dir_all(place)?;
            }
            fs::rename(finished, place)
        };
        publish().map_err(|source| self.not_writable(source))
    }

    /// Waits until no other process writes.
    pub(crate) fn lock(&self) -> Result<CacheLock, CacheError> {
        let lock = || {
            fs::create_dir_all(&self.folder)?;
            let file = File::create(self.folder.join("lock"))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    report::note("another set-up is at work in the same cache; waiting for it");
                    file.lock()?;
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            Ok(CacheLock { _file: file })
        };
        lock().map_err(|source| self.not_writable(source))
    }

    fn not_writable(&self, source: io::Error) -> CacheError {
        CacheError::NotWritable { folder: self.folder.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(variables: &[(&str, &str)]) -> Option<PathBuf> {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| PathBuf::from(value));
        Cache::from_environment(find).ok().map(|cache| cache.folder)
    }

    #[test]
    fn the_nearest_variable_decides() {
        let all = [("SATCHEL_CACHE", "/a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")];
        let at_home = if cfg!(target_os = "macos") { "/c/Library/Caches/satchel" } else { "/c/.cache/satchel" };
        assert_eq!(folder(&all), Some("/a".into()));
        assert_eq!(folder(&all[1..]), Some("/b/satchel".into()));
        assert_eq!(folder(&all[2..]), Some(at_home.into()));
        assert_eq!(folder(&[]), None);
    }

    #[test]
    fn a_folder_is_published_whole_and_replaces_an_older_one() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache { folder: home.path().join("cache") };
        let _lock = cache.lock().expect("nobody else holds it");
        let place = cache.tool("hammer", "1.0");
        for content in ["first", "second"] {
            let fresh = cache.fresh_folder("hammer").expect("the folder is writable");
            fs::write(fresh.join("hammer"), content).expect("the folder is writable");
            cache.publish(&fresh, &place).expect("the folder is writable");
            assert_eq!(fs::read_to_string(place.join("hammer")).expect("it was published"), content);
            assert!(!fresh.exists());
        }
    }

    #[test]
    fn what_a_killed_set_up_left_is_removed() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache { folder: home.path().to_path_buf() };
        let left = cache.fresh_folder("hammer").expect("the folder is writable");
        fs::write(left.join("half"), "").expect("the folder is writable");
        let fresh = cache.fresh_folder("hammer").expect("the folder is writable");
        assert_eq!(fs::read_dir(fresh).expect("it exists").count(), 0);
    }

    #[test]
    fn the_lock_excludes_a_second_holder() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache { folder: home.path().to_path_buf() };
        let lock = cache.lock().expect("nobody else holds it");
        let second = File::create(home.path().join("lock")).expect("the folder is writable");
        assert!(matches!(second.try_lock(), Err(TryLockError::WouldBlock)));
        drop(lock);
        second.try_lock().expect("it was given back");
    }
}
