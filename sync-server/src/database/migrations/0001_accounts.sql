-- Accounts and their access tokens. Times are milliseconds since 1970, UTC.

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Only hashes: the token itself is known to its owner. A replaced one stays for a while, so that it can be told from a wrong one.
CREATE TABLE access_tokens (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    replaced_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX access_tokens_in_force ON access_tokens (account_id) WHERE replaced_at IS NULL;
