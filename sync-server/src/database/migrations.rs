//! The numbered steps from an empty file to today's tables.
//!
//! A step that was released is never edited; a change is a new step at the end. The number of steps done is the database's
//! `user_version`.

use rusqlite::{Connection, TransactionBehavior};

use super::DatabaseError;

/// Step n+1 leads from version n to version n+1.
const STEPS: &[&str] = &[
    include_str!("migrations/0001_accounts.sql"),
    include_str!("migrations/0002_secrets.sql"),
    include_str!("migrations/0003_providers.sql"),
    include_str!("migrations/0004_mcp.sql"),
    include_str!("migrations/0005_hub.sql"),
    include_str!("migrations/0006_sync.sql"),
    include_str!("migrations/0007_sync_damage.sql"),
];

/// The version after the last step.
const LATEST: u32 = STEPS.len() as u32;

/// Brings a database to today's version, each step in a transaction of its own; refuses one from the future.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), DatabaseError> {
    while version(connection)? < LATEST {
        // Taken before the version is read again: another process may be at the same work.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = version(&transaction)?;
        if let Some(step) = STEPS.get(done as usize) {
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", done + 1)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// How many steps a database has behind it; an error when it has more than this program knows.
pub(super) fn version(connection: &Connection) -> Result<u32, DatabaseError> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > LATEST {
        return Err(DatabaseError::Newer { found, known: LATEST });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(connection: &Connection) -> String {
        let mut statement =
            connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").expect("prepares");
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).expect("queries");
        rows.collect::<Result<Vec<_>, _>>().expect("reads").join("\n")
    }

    /// I9: a changed snapshot here means that a released step was edited or a new one was added.
    #[test]
    fn the_schema_is_this() {
        let mut connection = Connection::open_in_memory().expect("opens");
        migrate(&mut connection).expect("migrates");
        insta::assert_snapshot!(schema(&connection), @"
        CREATE TABLE access_tokens (
            hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
            account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            replaced_at INTEGER
        ) STRICT, WITHOUT ROWID
        CREATE UNIQUE INDEX access_tokens_in_force ON access_tokens (account_id) WHERE replaced_at IS NULL
        CREATE TABLE accounts (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT
        CREATE TABLE hubs (
            account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
            -- As JSON: published, changes, revision and mode.
            state TEXT NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        CREATE TABLE mcp_approvals (
            fingerprint TEXT NOT NULL PRIMARY KEY CHECK (length(fingerprint) = 64),
            -- What was approved, for the operator to read.
            definition TEXT NOT NULL,
            approved_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        CREATE TABLE mcp_logins (
            account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            key TEXT NOT NULL,
            sealed BLOB NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, key)
        ) STRICT, WITHOUT ROWID
        CREATE TABLE mcp_servers (
            account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            key TEXT NOT NULL,
            -- As JSON: command, args, env and cwd, or url, transport and headers.
            definition TEXT NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, key)
        ) STRICT, WITHOUT ROWID
        CREATE TABLE providers (
            account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            -- What the account has set, as JSON: base_url, format, models, secret.
            settings TEXT NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, name)
        ) STRICT, WITHOUT ROWID
        CREATE TABLE secrets (
            account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            sealed BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, name)
        ) STRICT, WITHOUT ROWID
        CREATE TABLE sync_blobs (
            account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
            name BLOB NOT NULL CHECK (length(name) = 32),
            parts INTEGER NOT NULL,
            -- When something last needed it.
            needed_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, name)
        ) STRICT, WITHOUT ROWID
        CREATE TABLE sync_changes (
            account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            device TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            digest BLOB NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (account_id, position)
        ) STRICT
        CREATE UNIQUE INDEX sync_changes_once ON sync_changes (account_id, device, sequence)
        CREATE TABLE sync_devices (
            account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            -- The number of its last change.
            sequence INTEGER NOT NULL,
            sealed_name BLOB,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            revoked_at INTEGER,
            PRIMARY KEY (account_id, device)
        ) STRICT, WITHOUT ROWID
        CREATE TABLE sync_logs (
            account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
            -- What the account's key is known by.
            key_id BLOB NOT NULL CHECK (length(key_id) = 32),
            -- Another one for every life of the log.
            epoch TEXT NOT NULL,
            head INTEGER NOT NULL,
            snapshot_device TEXT,
            snapshot_position INTEGER,
            snapshot_parts INTEGER,
            used_bytes INTEGER NOT NULL
        , damaged_at INTEGER) STRICT, WITHOUT ROWID
        CREATE TABLE sync_names (
            account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
            name BLOB NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (account_id, name, position)
        ) STRICT, WITHOUT ROWID
        CREATE INDEX sync_names_by_position ON sync_names (account_id, position)
        CREATE TABLE sync_parts (
            account_id TEXT NOT NULL,
            name BLOB NOT NULL,
            part INTEGER NOT NULL,
            digest BLOB NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (account_id, name, part),
            FOREIGN KEY (account_id, name) REFERENCES sync_blobs (account_id, name) ON DELETE CASCADE
        ) STRICT
        CREATE TABLE sync_snapshot_parts (
            account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
            device TEXT NOT NULL,
            position INTEGER NOT NULL,
            part INTEGER NOT NULL,
            digest BLOB NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (account_id, device, position, part)
        ) STRICT
        CREATE TABLE vault_key (
            only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
            proof BLOB NOT NULL
        ) STRICT
        ");
    }

    /// A row that a program at some step left: its table, and its columns with their values as SQL.
    type Left = (&'static str, &'static str, &'static str);

    /// What each step could hold that those before it could not, spelled out. A new step brings rows of its own; these are never changed.
    const LEFT: [&[Left]; STEPS.len()] = [
        &[
            ("accounts", "id, name, created_at", "'0198c5a4-7c1e-7000-8000-000000000001', 'me', 1"),
            (
                "access_tokens",
                "hash, account_id, created_at, replaced_at",
                "zeroblob(32), '0198c5a4-7c1e-7000-8000-000000000001', 2, 3",
            ),
            (
                "access_tokens",
                "hash, account_id, created_at, replaced_at",
                "x'0101010101010101010101010101010101010101010101010101010101010101', \
                 '0198c5a4-7c1e-7000-8000-000000000001', 3, NULL",
            ),
        ],
        &[
            ("vault_key", "only, proof", "1, x'00ff'"),
            (
                "secrets",
                "account_id, name, sealed, created_at, updated_at",
                "'0198c5a4-7c1e-7000-8000-000000000001', 'openai', x'c0ffee00', 4, 5",
            ),
        ],
        &[(
            "providers",
            "account_id, name, settings, updated_at",
            "'0198c5a4-7c1e-7000-8000-000000000001', 'mine', '{\"base_url\":\"https://models.example.com/v1\"}', 6",
        )],
        &[
            (
                "mcp_servers",
                "account_id, key, definition, updated_at",
                "'0198c5a4-7c1e-7000-8000-000000000001', 'a~b', '{\"command\":\"npx\"}', 7",
            ),
            (
                "mcp_approvals",
                "fingerprint, definition, approved_at",
                "'0000000000000000000000000000000000000000000000000000000000000000', '{\"command\":\"npx\"}', 8",
            ),
            (
                "mcp_logins",
                "account_id, key, sealed, updated_at",
                "'0198c5a4-7c1e-7000-8000-000000000001', 'a~b', x'c0ffee01', 9",
            ),
        ],
        &[(
            "hubs",
            "account_id, state, updated_at",
            "'0198c5a4-7c1e-7000-8000-000000000001', \
             '{\"published\":null,\"changes\":[],\"revision\":0,\"mode\":\"working\"}', 10",
        )],
        &[
            (
                "sync_logs",
                "account_id, key_id, epoch, head, snapshot_device, snapshot_position, snapshot_parts, used_bytes",
                "'0198c5a4-7c1e-7000-8000-000000000001', zeroblob(32), 'e', 2, \
                 '0198c5a4-7c1e-7000-8000-0000000000d1', 1, 1, 12",
            ),
            (
                "sync_devices",
                "account_id, device, sequence, sealed_name, first_seen, last_seen, revoked_at",
                "'0198c5a4-7c1e-7000-8000-000000000001', '0198c5a4-7c1e-7000-8000-0000000000d1', 2, x'c0', 1, 2, NULL",
            ),
            (
                "sync_changes",
                "account_id, position, device, sequence, digest, sealed",
                "'0198c5a4-7c1e-7000-8000-000000000001', 2, '0198c5a4-7c1e-7000-8000-0000000000d1', 2, zeroblob(32), x'c0ffee02'",
            ),
            (
                "sync_snapshot_parts",
                "account_id, device, position, part, digest, sealed",
                "'0198c5a4-7c1e-7000-8000-000000000001', '0198c5a4-7c1e-7000-8000-0000000000d1', 1, 0, zeroblob(32), x'c0ffee03'",
            ),
            (
                "sync_blobs",
                "account_id, name, parts, needed_at",
                "'0198c5a4-7c1e-7000-8000-000000000001', zeroblob(32), 1, 10",
            ),
            (
                "sync_parts",
                "account_id, name, part, digest, sealed",
                "'0198c5a4-7c1e-7000-8000-000000000001', zeroblob(32), 0, zeroblob(32), x'c0ffee04'",
            ),
            ("sync_names", "account_id, name, position", "'0198c5a4-7c1e-7000-8000-000000000001', zeroblob(32), 2"),
        ],
        &[
            ("accounts", "id, name, created_at", "'0198c5a4-7c1e-7000-8000-000000000002', 'you', 11"),
            (
                "sync_logs",
                "account_id, key_id, epoch, head, used_bytes, damaged_at",
                "'0198c5a4-7c1e-7000-8000-000000000002', zeroblob(32), 'f', 1, 4, 12",
            ),
        ],
    ];

    /// I9: whatever step an older program was at, what it left is there, unchanged, after all the others.
    #[test]
    fn older_data_comes_along() {
        for done in 1..=LATEST {
            let mut connection = Connection::open_in_memory().expect("opens");
            connection.pragma_update(None, "foreign_keys", true).expect("updates");
            let steps = done as usize;
            let left = || LEFT[..steps].iter().copied().flatten();
            for step in &STEPS[..steps] {
                connection.execute_batch(step).expect("is done");
            }
            connection.pragma_update(None, "user_version", done).expect("updates");
            for (table, columns, values) in left() {
                connection.execute(&format!("INSERT INTO {table} ({columns}) VALUES ({values})"), []).expect("fills");
            }
            migrate(&mut connection).expect("migrates");
            assert_eq!(version(&connection).expect("reads"), LATEST);
            for (table, columns, values) in left() {
                let same = format!("SELECT count(*) FROM {table} WHERE ({columns}) IS ({values})");
                let found: u32 = connection.query_row(&same, [], |row| row.get(0)).expect("counts");
                assert_eq!(found, 1, "{table} from step {done}: {values}");
            }
        }
    }

    /// A table that no row of before goes through would not be noticed above.
    #[test]
    fn every_table_has_old_rows() {
        let mut connection = Connection::open_in_memory().expect("opens");
        migrate(&mut connection).expect("migrates");
        let mut tables =
            connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").expect("prepares");
        let tables: Result<Vec<String>, _> = tables.query_map([], |row| row.get(0)).expect("queries").collect();
        let has = |table: &String| LEFT.iter().copied().flatten().any(|(of, _, _)| of == table);
        assert_eq!(tables.expect("reads").into_iter().filter(|table| !has(table)).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut connection = Connection::open_in_memory().expect("opens");
        migrate(&mut connection).expect("migrates");
        let before = schema(&connection);
        migrate(&mut connection).expect("migrates again");
        assert_eq!(schema(&connection), before);
        assert_eq!(version(&connection).expect("reads"), LATEST);
    }

    #[test]
    fn a_newer_database_is_refused() {
        let mut connection = Connection::open_in_memory().expect("opens");
        connection.pragma_update(None, "user_version", LATEST + 1).expect("updates");
        assert!(matches!(migrate(&mut connection), Err(DatabaseError::Newer { .. })));
    }
}
