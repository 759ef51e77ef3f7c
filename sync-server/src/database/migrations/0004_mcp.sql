-- MCP servers. Times are milliseconds since 1970, UTC.

-- What accounts have published; secrets in it are placeholders.
CREATE TABLE mcp_servers (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    -- As JSON: command, args, env and cwd, or url, transport and headers.
    definition TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;

-- The commands that the operator has approved, whoever publishes them.
CREATE TABLE mcp_approvals (
    fingerprint TEXT NOT NULL PRIMARY KEY CHECK (length(fingerprint) = 64),
    -- What was approved, for the operator to read.
    definition TEXT NOT NULL,
    approved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a login at an MCP server gave, sealed like a secret.
CREATE TABLE mcp_logins (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    sealed BLOB NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;
