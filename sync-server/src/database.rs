//! The server's database: one SQLite file, one writer, and readers beside it. The only user of rusqlite.
//!
//! Writes go through one thread, so that no two ever wait for each other's lock, and those that wait together are committed together; reads
//! have connections beside it and, with a write-ahead log, never wait for a write. What is asked of it lives in files by
//! subject ([`Database::token_standing`] and its neighbours in `accounts`); no SQL is written anywhere else.

mod accounts;
mod backup;
mod connection_thread;
mod hub;
mod mcp;
mod migrations;
mod providers;
mod restore;
mod secrets;
mod sync;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, Transaction};

pub use accounts::{Account, AccountId, TokenStanding};
pub use backup::{BackupError, BackupSecrets, back_up};
use connection_thread::ConnectionThread;
pub use mcp::PublishedServer;
pub use restore::{RestoreError, restore};
pub use secrets::SecretRow;

/// How long a write waits for another process (`satchel token --new` beside a running server).
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Prepared statements that each connection keeps.
const STATEMENTS: usize = 64;
/// Page cache of each connection, in KiB.
const CACHE_KIB: i64 = 512;

/// A handle to the database; clones share it.
#[derive(Clone, Debug)]
pub struct Database {
    writer: ConnectionThread,
    reader: ConnectionThread,
    /// For [`Database::glance`]; none once the database is closed.
    nearby: Arc<Mutex<Option<Connection>>>,
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
    /// The commit failed, as on a full disk.
    #[error("the database could not write to its disk")]
    NotCommitted,
    /// The file is damaged.
    #[error("the database is damaged: {0}")]
    Damaged(String),
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

        let reader = || {
            let reader = connect(path)?;
            reader.pragma_update(None, "query_only", true)?;
            Ok::<_, DatabaseError>(reader)
        };
        Ok(Self {
            writer: ConnectionThread::start("database-writer", connection)?,
            reader: ConnectionThread::start("database-reader", reader()?)?,
            nearby: Arc::new(Mutex::new(Some(reader()?))),
        })
    }

    /// Closes all connections, which folds the write-ahead log into the file.
    pub async fn close(&self) {
        drop(self.nearby.lock().unwrap_or_else(PoisonError::into_inner).take());
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

    /// Runs a query for a row or two right here. Every request needs one for its token, and another thread would take longer to be told of it than this takes: with a
    /// write-ahead log it waits for no write.
    fn glance<T>(&self, query: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>) -> Result<T, DatabaseError> {
        let nearby = self.nearby.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(query(nearby.as_ref().ok_or(DatabaseError::Closed)?)?)
    }

    /// Whether the file is sound; what SQLite found if not. It reads all of it.
    pub async fn check(&self) -> Result<(), DatabaseError> {
        let found = self
            .read(|connection| connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0)));
        match found.await?.as_str() {
            "ok" => Ok(()),
            found => Err(DatabaseError::Damaged(found.to_owned())),
        }
    }

    /// Runs a change; when it fails, nothing of it stays.
    async fn write<T, E, C>(&self, change: C) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
        C: FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    {
        self.writer.change(change).await
    }
}

fn connect(path: &Path) -> Result<Connection, DatabaseError> {
    let open = || {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
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
        let delete = |connection: &Connection| connection.execute("DELETE FROM accounts", []);
        assert!(matches!(database.read(delete).await, Err(DatabaseError::Sqlite(_))));
        assert!(matches!(database.glance(delete), Err(DatabaseError::Sqlite(_))));
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
        assert!(matches!(database.glance(|_| Ok(())), Err(DatabaseError::Closed)));
        assert!(!folder.path().join("satchel.db-wal").exists(), "the log is folded in");
    }
}
