-- What the devices of an account sync: sealed by them, ordered and kept here. None of it can be read without their key.
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
) STRICT, WITHOUT ROWID;

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
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_changes (
    account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    device TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    digest BLOB NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (account_id, position)
) STRICT;
CREATE UNIQUE INDEX sync_changes_once ON sync_changes (account_id, device, sequence);

CREATE TABLE sync_snapshot_parts (
    account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
    device TEXT NOT NULL,
    position INTEGER NOT NULL,
    part INTEGER NOT NULL,
    digest BLOB NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (account_id, device, position, part)
) STRICT;

CREATE TABLE sync_blobs (
    account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
    name BLOB NOT NULL CHECK (length(name) = 32),
    parts INTEGER NOT NULL,
    -- When something last needed it.
    needed_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_parts (
    account_id TEXT NOT NULL,
    name BLOB NOT NULL,
    part INTEGER NOT NULL,
    digest BLOB NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (account_id, name, part),
    FOREIGN KEY (account_id, name) REFERENCES sync_blobs (account_id, name) ON DELETE CASCADE
) STRICT;

-- Which change, or the snapshot at which position, needs which blob.
CREATE TABLE sync_names (
    account_id TEXT NOT NULL REFERENCES sync_logs (account_id) ON DELETE CASCADE,
    name BLOB NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (account_id, name, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_names_by_position ON sync_names (account_id, position);
