//! What every request may reach: the names the server goes by, its limits, the app's files and the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::app_files::AppFiles;
use crate::config::Limits;
use crate::database::Database;
use crate::guard::Names;
use crate::packages_folder::PackagesFolder;

/// The server's parts; clones share them.
#[derive(Clone, Debug)]
pub struct AppState {
    parts: Arc<Parts>,
}

#[derive(Debug)]
struct Parts {
    names: Names,
    limits: Limits,
    files: AppFiles,
    packages: PackagesFolder,
    database: Database,
    handled: AtomicU64,
}

impl AppState {
    /// Puts the parts together.
    #[must_use]
    pub fn new(names: Names, limits: Limits, files: AppFiles, packages: PackagesFolder, database: Database) -> Self {
        Self { parts: Arc::new(Parts { names, limits, files, packages, database, handled: AtomicU64::new(0) }) }
    }

    /// The names the server goes by.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.parts.names
    }

    /// How much is let in.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.parts.limits
    }

    /// The app's files.
    #[must_use]
    pub fn files(&self) -> &AppFiles {
        &self.parts.files
    }

    /// The folder of Python packages.
    #[must_use]
    pub fn packages(&self) -> &PackagesFolder {
        &self.parts.packages
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.parts.database
    }

    /// How many requests have come past the guard to a handler.
    #[must_use]
    pub fn handled(&self) -> u64 {
        self.parts.handled.load(Ordering::Relaxed)
    }

    /// Counts a request that came past the guard.
    pub(crate) fn count_handled(&self) {
        self.parts.handled.fetch_add(1, Ordering::Relaxed);
    }
}
