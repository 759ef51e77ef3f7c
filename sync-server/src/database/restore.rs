//! A backup in the place of the database.
//!
//! The caller holds the data folder, so that no server uses it. The backup is looked at before anything is touched; what was there is kept beside it; and every
//! log begins another life, so that devices see that the server has gone back and send what it lacks (F5).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use super::backup::create_private;
use super::{DatabaseError, connect, migrations, now, sync};

/// Until the next try, when another process is in the way.
const PAUSE: Duration = Duration::from_millis(50);

/// Why nothing was restored. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// There is no such file.
    #[error("there is no backup at {path}")]
    Nothing {
        /// The place.
        path: PathBuf,
    },
    /// The file is not a sound backup.
    #[error("{path} is not a sound backup of Satchel: {reason}")]
    NotABackup {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The data folder cannot be written.
    #[error("cannot put the backup in the place of {path}")]
    NotWritable {
        /// The database.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// SQLite failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Puts a backup in the place of the database; where the one before is now, if there was one. It blocks.
pub fn restore(backup: &Path, database: &Path) -> Result<Option<PathBuf>, RestoreError> {
    if !backup.is_file() {
        return Err(RestoreError::Nothing { path: backup.to_owned() });
    }
    let source = look_at(backup)?;
    let not_writable = |source| RestoreError::NotWritable { path: database.to_owned(), source };
    let new = beside(database, &format!("new-{}", std::process::id()));
    let copied = create_private(&new).map_err(not_writable).and_then(|()| Ok(copy(&source, &new)?));
    if let Err(error) = copied {
        if fs::remove_file(&new).is_err() {
            tracing::debug!(file = %new.display(), "nothing to clean up");
        }
        return Err(error);
    }
    let old = set_aside(database)?;
    fs::rename(&new, database).map_err(not_writable)?;
    Ok(old)
}

/// Opens a backup and sees that it is one, whole.
fn look_at(backup: &Path) -> Result<Connection, RestoreError> {
    let refused = |reason: String| RestoreError::NotABackup { path: backup.to_owned(), reason };
    let looked = Connection::open_with_flags(backup, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
        let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name IN ('accounts', 'access_tokens')";
        let tables: i64 = connection.query_row(tables, [], |row| row.get(0))?;
        Ok((connection, found, tables))
    });
    match looked {
        Ok((connection, found, 2)) if found == "ok" => {
            migrations::version(&connection)?;
            Ok(connection)
        }
        Ok((_, found, 2)) => Err(refused(found)),
        Ok(_) => Err(refused("it is another program's database".into())),
        Err(error) => Err(refused(error.to_string())),
    }
}

fn copy(source: &Connection, path: &Path) -> Result<(), DatabaseError> {
    let mut copy = connect(path)?;
    Backup::new(source, &mut copy)?.run_to_completion(i32::MAX, PAUSE, None)?;
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    migrations::migrate(&mut copy)?;
    sync::begin_other_lives(&copy)?;
    copy.close().map_err(|(_, error)| DatabaseError::from(error))
}

/// Folds a database's log into it, and closes it.
fn fold_log(database: &Path) -> Result<(), DatabaseError> {
    let old = connect(database)?;
    old.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    old.close().map_err(|(_, error)| DatabaseError::from(error))
}

/// Gives the database that is there another name, with its log folded in.
fn set_aside(database: &Path) -> Result<Option<PathBuf>, RestoreError> {
    if !database.is_file() {
        return Ok(None);
    }
    // One that is damaged cannot be folded in; then its log is kept beside it under its own name.
    if fold_log(database).is_err() {
        tracing::warn!("the database that is there cannot be read; it is kept as it is");
    }
    let old = beside(database, &format!("before-restore-{}", now()));
    let not_writable = |source| RestoreError::NotWritable { path: database.to_owned(), source };
    for ending in ["-wal", "-shm"] {
        let (from, to) = (with_ending(database, ending), with_ending(&old, ending));
        if from.exists() {
            fs::rename(from, to).map_err(not_writable)?;
        }
    }
    fs::rename(database, &old).map_err(not_writable)?;
    Ok(Some(old))
}

fn beside(database: &Path, what: &str) -> PathBuf {
    with_ending(database, &format!(".{what}"))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
