//! The server's database: one SQLite file, one writer, one reader. The only user of rusqlite.
//!
//! Writes go through one thread, each in a transaction of its own, so that no two ever wait for each other's lock; reads
//! have a connection beside it and, with a write-ahead log, never wait for a write. What is asked of it lives in files by
//! subject ([`Database::token_standing`] and its neighbours in `accounts`); no SQL is written anywhere else.

mod accounts;
mod backup;
mod connection_thread;
mod mcp;
mod migrations;
mod providers;
mod secrets;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use accounts::{Account, AccountId, TokenStanding};
pub use backup::{BackupError, BackupSecrets, back_up};
use connection_thread::ConnectionThread;
pub use mcp::PublishedServer;
pub use secrets::SecretRow;

/// How long a write waits for another process (`satchel token --new` beside a running server).
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Page cache of each connection, in KiB.
const CACHE_KIB: i64 = 512;

/// A handle to the database; clones share it.
#[derive(Clone, Debug)]
pub struct Database {
    writer: ConnectionThread,
    reader: ConnectionThread,
}

/// Why the database did not do it.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// Written by a newer program.
    #[error("the database has version {found}, and this program knows versions up to {known}")]
    Newer {
        /// What the file says.
        found: u32,
        /// What this program can read.
        known: u32,
    },
    /// The file cannot be opened.
    #[error("cannot open the database {path}")]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// SQLite failed.
    #[error("the database failed")]
    Sqlite(#[from] rusqlite::Error),
    /// The system gave no thread.
    #[error("no thread for the database")]
    Thread(#[source] std::io::Error),
    /// The database is closed, or its thread died.
    #[error("the database is closed")]
    Closed,
}

impl Database {
    /// Opens the file, making and migrating it as needed. It blocks; servers call it once, at the start.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        let mut connection = connect(path)?;
        // Before anything is changed, the journal mode included.
        migrations::version(&connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        migrations::migrate(&mut connection)?;

        let reader = connect(path)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(Self {
            writer: ConnectionThread::start("database-writer", connection)?,
            reader: ConnectionThread::start("database-reader", reader)?,
        })
    }

    /// Closes both connections, which folds the write-ahead log into the file.
    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    /// Runs a query beside the writer.
    async fn read<T, Q>(&self, query: Q) -> Result<T, DatabaseError>
    where
        T: Send + 'static,
        Q: FnOnce(&Connection) -> Result<T, rusqlite::Error> + Send + 'static,
    {
        Ok(self.reader.run(|connection| query(connection)).await??)
    }

    /// Runs a change in a transaction; when it fails, nothing of it stays.
    async fn write<T, E, C>(&self, change: C) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
        C: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    {
        let outcome = self.writer.run(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(DatabaseError::from)?;
            let value = change(&transaction)?;
            transaction.commit().map_err(DatabaseError::from)?;
            Ok(value)
        });
        outcome.await?
    }
}

fn connect(path: &Path) -> Result<Connection, DatabaseError> {
    let open = || {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        Ok(connection)
    };
    open().map_err(|source| DatabaseError::Open { path: path.to_owned(), source })
}

/// Now, in milliseconds since 1970. A clock before that reads as 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_connections_are_set_up_for_safety() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::open(&folder.path().join("satchel.db")).expect("opens");
        let settings = database.write(|transaction| {
            let read = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0));
            Ok::<_, DatabaseError>((read("journal_mode")?, read("synchronous")?, read("foreign_keys")?))
        });
        assert_eq!(settings.await.expect("reads"), ("wal".to_owned().into(), 2.into(), 1.into()));
    }

    #[tokio::test]
    async fn the_reader_cannot_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::open(&folder.path().join("satchel.db")).expect("opens");
        let outcome = database.read(|connection| connection.execute("DELETE FROM accounts", [])).await;
        assert!(matches!(outcome, Err(DatabaseError::Sqlite(_))));
    }

    #[test]
    fn a_newer_database_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("satchel.db");
        let newer = Connection::open(&path).expect("opens");
        newer.pragma_update(None, "user_version", 1000).expect("updates");
        drop(newer);
        let before = std::fs::read(&path).expect("reads");
        assert!(matches!(Database::open(&path), Err(DatabaseError::Newer { found: 1000, .. })));
        assert_eq!(std::fs::read(&path).expect("reads"), before);
    }

    #[test]
    fn a_file_that_is_no_database_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("satchel.db");
        std::fs::write(&path, "a diary, and not a short one at all: ".repeat(100)).expect("writes");
        assert!(Database::open(&path).is_err());
    }

    #[tokio::test]
    async fn a_closed_database_refuses() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("satchel.db");
        let database = Database::open(&path).expect("opens");
        database.close().await;
        assert!(matches!(database.first_account().await, Err(DatabaseError::Closed)));
        assert!(!folder.path().join("satchel.db-wal").exists(), "the log is folded in");
    }
}
