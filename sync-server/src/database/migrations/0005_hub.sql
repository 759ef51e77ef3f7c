-- What an account's hub offers other programs: what its app has published, and what they have changed since.
CREATE TABLE hubs (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    -- As JSON: published, changes, revision and mode.
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
