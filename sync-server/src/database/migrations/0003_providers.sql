-- Sources of models that accounts have added themselves; those of the operator are in satchel.toml.

CREATE TABLE providers (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- What the account has set, as JSON: base_url, format, models, secret.
    settings TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;
