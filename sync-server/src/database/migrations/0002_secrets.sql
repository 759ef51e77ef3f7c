-- The vault. Times are milliseconds since 1970, UTC.

-- What the vault's key seals of nothing, so that another key is noticed before anything is written with it.
CREATE TABLE vault_key (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    proof BLOB NOT NULL
) STRICT;

-- A value is sealed with XChaCha20-Poly1305: 24 bytes of nonce, then the ciphertext with its tag.
CREATE TABLE secrets (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;
