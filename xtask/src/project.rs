//! Where this clone is, and where its tools are kept.

use std::path::{Path, PathBuf};

use crate::cache::{self, Cache};
use crate::trouble;

/// The clone the command runs in, with the cache that all clones share.
#[derive(Debug)]
pub(crate) struct Project {
    root: PathBuf,
    cache: Cache,
}

/// The surroundings are not usable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectError {
    #[error(transparent)]
    Cache(#[from] cache::CacheError),
}

impl ProjectError {
    /// One sentence on what to do next.
    pub(crate) fn remedy(&self) -> String {
        trouble::advice(&crate::full_text(self), cache::REMEDY)
    }
}

impl Project {
    /// This clone, found from where xtask was compiled.
    pub(crate) fn locate() -> Result<Self, ProjectError> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder inside the clone");
        Ok(Self { root: root.to_path_buf(), cache: Cache::locate()? })
    }

    /// The top of the clone.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of tools and large downloads.
    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Cargo's output folder.
    pub(crate) fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// Where xtask keeps what it makes for itself: logs, marks of finished builds, compressed files.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.target().join("xtask")
    }

    /// The static app.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The npm packages, as a link into the cache.
    pub(crate) fn node_modules(&self) -> PathBuf {
        self.root.join("tests/node_modules")
    }
}
