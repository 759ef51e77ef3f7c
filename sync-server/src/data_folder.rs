//! The data folder: where it is, that it can be written, and that only one server uses it.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::DataFlags;
use crate::config::ConfigError;

/// A data folder that exists.
#[derive(Clone, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

/// Held for as long as a server uses a data folder; the system lets go of it even when the server is killed.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataFolderError {
    /// It cannot be made or written.
    #[error("cannot write to the data folder {path}")]
    NotWritable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another server has it.
    #[error("another satchel server is using the data folder {path}")]
    InUse {
        /// The folder.
        path: PathBuf,
    },
}

/// The folder the operator named, or the place this system keeps such data.
pub fn choose(flags: &DataFlags) -> Result<PathBuf, ConfigError> {
    match &flags.data {
        Some(named) => Ok(named.clone()),
        None => dirs::data_dir().map(|base| base.join("satchel")).ok_or(ConfigError::NoDataFolder),
    }
}

impl DataFolder {
    /// Opens a folder, making it (for its owner only) if it is not there.
    pub fn open(path: &Path) -> Result<Self, DataFolderError> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(path).map_err(|source| not_writable(path, source))?;
        Ok(Self { path: path.to_owned() })
    }

    /// Takes the folder for one server.
    pub fn lock(&self) -> Result<FolderLock, DataFolderError> {
        let path = self.path.join("server.lock");
        let file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(path)
            .map_err(|source| not_writable(&self.path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(FolderLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(DataFolderError::InUse { path: self.path.clone() }),
            Err(TryLockError::Error(source)) => Err(not_writable(&self.path, source)),
        }
    }

    /// Where the database is.
    #[must_use]
    pub fn database_path(&self) -> PathBuf {
        self.path.join("satchel.db")
    }

    /// Where the access token is.
    #[must_use]
    pub fn token_path(&self) -> PathBuf {
        self.path.join("access-token")
    }

    /// Where the vault's key is, unless it comes from the environment.
    #[must_use]
    pub fn vault_key_path(&self) -> PathBuf {
        self.path.join("vault-key")
    }
}

fn not_writable(path: &Path, source: io::Error) -> DataFolderError {
    DataFolderError::NotWritable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_servers_do_not_share_a_folder() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = DataFolder::open(&temporary.path().join("deep/data")).expect("opens");
        let first = folder.lock().expect("locks");
        assert!(matches!(folder.lock(), Err(DataFolderError::InUse { .. })));
        drop(first);
        assert!(folder.lock().is_ok(), "the lock ends with its holder");
    }

    #[test]
    fn a_file_in_the_way_is_said() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("data");
        std::fs::write(&path, "in the way").expect("writes");
        assert!(matches!(DataFolder::open(&path), Err(DataFolderError::NotWritable { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_new_folder_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("data");
        DataFolder::open(&path).expect("opens");
        let mode = std::fs::metadata(&path).expect("is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
