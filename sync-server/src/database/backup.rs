//! A copy of the database in one file, taken while a server may be using it.
//!
//! SQLite copies what is there at one moment; writers go on meanwhile. Secrets are left out unless they are asked for, and then they come as they
//! are kept, sealed: the key that opens them is in no backup. What is left out is gone from the copy's unused pages too.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OptionalExtension as _};

use super::{DatabaseError, connect, migrations, sync};

/// Until the next try, when another process is in the way.
const PAUSE: Duration = Duration::from_millis(50);

/// Where everything is that is sealed, and what it was sealed by. Older databases have not all of them.
const SEALED: [&str; 3] = ["secrets", "mcp_logins", "vault_key"];

/// What becomes of the secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupSecrets {
    /// They are not in the copy, and neither is what their key is known by.
    LeftOut,
    /// They are in it, sealed.
    Sealed,
}

/// Why there is no backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// Something is in its place, which may be an older backup.
    #[error("there is already a file at {path}")]
    Exists {
        /// The place.
        path: PathBuf,
    },
    /// There is nothing to copy.
    #[error("there is no database at {path}")]
    Nothing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write the backup {path}")]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// SQLite failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Copies the database `from` into the new file `to`, for its owner only; how many secrets there are. It blocks.
pub fn back_up(from: &Path, to: &Path, secrets: BackupSecrets) -> Result<u32, BackupError> {
    if !from.is_file() {
        return Err(BackupError::Nothing { path: from.to_owned() });
    }
    let not_writable = |source| BackupError::NotWritable { path: to.to_owned(), source };
    if to.try_exists().map_err(not_writable)? {
        return Err(BackupError::Exists { path: to.to_owned() });
    }
    let source = connect(from)?;
    migrations::version(&source)?;
    // Under another name until it is whole, so that a file of the given name is always a backup.
    let mut beside = to.as_os_str().to_owned();
    beside.push(format!(".new-{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let made = create_private(&beside).map_err(not_writable).and_then(|()| {
        let count = copy(&source, &beside, secrets)?;
        fs::rename(&beside, to).map_err(not_writable)?;
        Ok(count)
    });
    if made.is_err() && fs::remove_file(&beside).is_err() {
        tracing::debug!(file = %beside.display(), "nothing to clean up");
    }
    made
}

pub(super) fn create_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn copy(source: &Connection, path: &Path, secrets: BackupSecrets) -> Result<u32, DatabaseError> {
    let mut copy = connect(path)?;
    Backup::new(source, &mut copy)?.run_to_completion(i32::MAX, PAUSE, None)?;
    // One file that stands by itself, without a log beside it.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    let count = count_secrets(&copy)?;
    if secrets == BackupSecrets::LeftOut {
        for table in SEALED {
            if has_table(&copy, table)? {
                copy.execute(&format!("DELETE FROM {table}"), [])?;
            }
        }
    }
    // Whoever puts this copy in the place of the database, by whatever means, begins another life of every log with it: devices then see that
    // the server has gone back, and send what it lacks (F5).
    if has_table(&copy, "sync_logs")? {
        sync::begin_other_lives(&copy)?;
    }
    // What was deleted, now or at any time before, is still in pages that nothing uses.
    copy.execute_batch("VACUUM")?;
    copy.close().map_err(|(_, error)| DatabaseError::from(error))?;
    Ok(count)
}

/// None are in a database from before there was a vault.
fn count_secrets(connection: &Connection) -> Result<u32, rusqlite::Error> {
    if !has_table(connection, "secrets")? {
        return Ok(0);
    }
    connection.query_row("SELECT count(*) FROM secrets", [], |row| row.get(0))
}

fn has_table(connection: &Connection, name: &str) -> Result<bool, rusqlite::Error> {
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    Ok(connection.query_row(table, [name], |_| Ok(())).optional()?.is_some())
}
