//! MCP servers: what accounts have published, what the operator has approved, and the sealed logins.

use std::collections::HashSet;

use rusqlite::{OptionalExtension as _, named_params};
use satchel_core::catalog::ServerKey;
use satchel_core::protocol::{McpDefinition, parse_server_key};

use super::{AccountId, Database, DatabaseError, now};
use crate::mcp::Fingerprint;

/// A definition and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedServer {
    /// The account.
    pub account: AccountId,
    /// Which of its servers.
    pub key: ServerKey,
    /// How it is started or reached.
    pub definition: McpDefinition,
}

impl Database {
    /// What every account has published, by account and key.
    pub async fn mcp_servers(&self) -> Result<Vec<PublishedServer>, DatabaseError> {
        let rows = self.read(|connection| {
            let mut statement =
                connection.prepare("SELECT account_id, key, definition FROM mcp_servers ORDER BY account_id, key")?;
            let rows = statement.query_map([], |row| {
                Ok((AccountId::stored(row.get("account_id")?), row.get::<_, String>("key")?, row.get("definition")?))
            })?;
            rows.collect::<Result<Vec<(AccountId, String, String)>, _>>()
        });
        // What cannot be read was written by another version; the others are still of use.
        let read = |(account, key, definition): (AccountId, String, String)| {
            let read = parse_server_key(&key).ok().zip(serde_json::from_str(&definition).ok());
            if read.is_none() {
                tracing::warn!(server = key, "cannot read what is stored of an MCP server");
            }
            read.map(|(key, definition)| PublishedServer { account, key, definition })
        };
        Ok(rows.await?.into_iter().filter_map(read).collect())
    }

    /// Keeps a definition; whether there was room for it among `most`.
    pub async fn put_mcp_server(
        &self,
        account: &AccountId,
        key: &ServerKey,
        definition: &McpDefinition,
        most: u32,
    ) -> Result<bool, DatabaseError> {
        let (account, key, definition) = (account.to_string(), key.to_string(), as_json(definition));
        self.write(move |transaction| {
            let others: u32 = transaction.query_row(
                "SELECT count(*) FROM mcp_servers WHERE account_id = :account AND key <> :key",
                named_params! { ":account": account, ":key": key },
                |row| row.get(0),
            )?;
            if others >= most {
                return Ok(false);
            }
            transaction.execute(
                "INSERT INTO mcp_servers (account_id, key, definition, updated_at)
                 VALUES (:account, :key, :definition, :now)
                 ON CONFLICT DO UPDATE SET definition = :definition, updated_at = :now",
                named_params! { ":account": account, ":key": key, ":definition": definition, ":now": now() },
            )?;
            Ok(true)
        })
        .await
    }

    /// Removes a definition and its login; one that is not there is removed already.
    pub async fn delete_mcp_server(&self, account: &AccountId, key: &ServerKey) -> Result<(), DatabaseError> {
        let (account, key) = (account.to_string(), key.to_string());
        self.write(move |transaction| {
            for table in ["mcp_servers", "mcp_logins"] {
                transaction.execute(
                    &format!("DELETE FROM {table} WHERE account_id = :account AND key = :key"),
                    named_params! { ":account": account, ":key": key },
                )?;
            }
            Ok(())
        })
        .await
    }

    /// The fingerprints of the approved commands.
    pub async fn mcp_approvals(&self) -> Result<HashSet<Fingerprint>, DatabaseError> {
        let rows = self.approved_rows().await?;
        Ok(rows.into_iter().filter_map(|(fingerprint, _)| Fingerprint::parse(&fingerprint)).collect())
    }

    /// The approved commands themselves, by fingerprint.
    pub async fn mcp_approved(&self) -> Result<Vec<(Fingerprint, McpDefinition)>, DatabaseError> {
        let read = |(fingerprint, definition): (String, String)| {
            Fingerprint::parse(&fingerprint).zip(serde_json::from_str(&definition).ok())
        };
        Ok(self.approved_rows().await?.into_iter().filter_map(read).collect())
    }

    async fn approved_rows(&self) -> Result<Vec<(String, String)>, DatabaseError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare("SELECT fingerprint, definition FROM mcp_approvals ORDER BY fingerprint")?;
            let rows = statement.query_map([], |row| Ok((row.get("fingerprint")?, row.get("definition")?)))?;
            rows.collect()
        })
        .await
    }

    /// Approves a command. The fingerprint is made here, from what is approved, and from nothing else.
    pub async fn approve_mcp(&self, definition: &McpDefinition) -> Result<Option<Fingerprint>, DatabaseError> {
        let Some(fingerprint) = Fingerprint::of(definition) else { return Ok(None) };
        let (text, definition) = (fingerprint.to_string(), as_json(definition));
        self.write(move |transaction| {
            transaction.execute(
                "INSERT INTO mcp_approvals (fingerprint, definition, approved_at)
                 VALUES (:fingerprint, :definition, :now) ON CONFLICT DO NOTHING",
                named_params! { ":fingerprint": text, ":definition": definition, ":now": now() },
            )?;
            Ok::<_, DatabaseError>(())
        })
        .await?;
        Ok(Some(fingerprint))
    }

    /// Takes an approval back; whether there was one.
    pub async fn revoke_mcp(&self, fingerprint: &Fingerprint) -> Result<bool, DatabaseError> {
        let fingerprint = fingerprint.to_string();
        self.write(move |transaction| {
            let removed = transaction.execute(
                "DELETE FROM mcp_approvals WHERE fingerprint = :fingerprint",
                named_params! { ":fingerprint": fingerprint },
            )?;
            Ok(removed > 0)
        })
        .await
    }

    /// A number that changes with every change that any process makes.
    pub async fn data_version(&self) -> Result<i64, DatabaseError> {
        self.read(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0))).await
    }

    /// A sealed login.
    pub async fn mcp_login(&self, account: &AccountId, key: &ServerKey) -> Result<Option<Vec<u8>>, DatabaseError> {
        let (account, key) = (account.to_string(), key.to_string());
        self.read(move |connection| {
            let mut statement =
                connection.prepare("SELECT sealed FROM mcp_logins WHERE account_id = :account AND key = :key")?;
            statement.query_row(named_params! { ":account": account, ":key": key }, |row| row.get("sealed")).optional()
        })
        .await
    }

    /// Keeps a sealed login, or removes it.
    pub async fn put_mcp_login(
        &self,
        account: &AccountId,
        key: &ServerKey,
        sealed: Option<Vec<u8>>,
    ) -> Result<(), DatabaseError> {
        let (account, key) = (account.to_string(), key.to_string());
        self.write(move |transaction| {
            match sealed {
                Some(sealed) => transaction.execute(
                    "INSERT INTO mcp_logins (account_id, key, sealed, updated_at) VALUES (:account, :key, :sealed, :now)
                     ON CONFLICT DO UPDATE SET sealed = :sealed, updated_at = :now",
                    named_params! { ":account": account, ":key": key, ":sealed": sealed, ":now": now() },
                )?,
                None => transaction.execute(
                    "DELETE FROM mcp_logins WHERE account_id = :account AND key = :key",
                    named_params! { ":account": account, ":key": key },
                )?,
            };
            Ok(())
        })
        .await
    }
}

fn as_json(definition: &McpDefinition) -> String {
    serde_json::to_string(definition).expect("plain data can be written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(argument: &str) -> McpDefinition {
        serde_json::from_value(serde_json::json!({"command": "npx", "args": [argument]})).expect("reads")
    }

    #[tokio::test]
    async fn what_is_published_is_found_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::open(&folder.path().join("satchel.db")).expect("opens");
        let account = database.first_account().await.expect("an account").id;
        let key = parse_server_key("web~search").expect("a key");
        assert!(database.put_mcp_server(&account, &key, &definition("a"), 1).await.expect("writes"));
        assert!(database.put_mcp_server(&account, &key, &definition("b"), 1).await.expect("writes"), "it is replaced");
        let second = parse_server_key("web~more").expect("a key");
        assert!(!database.put_mcp_server(&account, &second, &definition("c"), 1).await.expect("answers"));
        let expected = PublishedServer { account: account.clone(), key: key.clone(), definition: definition("b") };
        assert_eq!(database.mcp_servers().await.expect("reads"), [expected]);

        database.put_mcp_login(&account, &key, Some(vec![1])).await.expect("writes");
        database.delete_mcp_server(&account, &key).await.expect("deletes");
        assert_eq!(database.mcp_servers().await.expect("reads"), []);
        assert_eq!(database.mcp_login(&account, &key).await.expect("reads"), None);
    }

    /// C39: another process approves beside a running server.
    #[tokio::test]
    async fn an_approval_by_another_process_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("satchel.db");
        let (server, beside) = (Database::open(&path).expect("opens"), Database::open(&path).expect("opens"));
        let before = server.data_version().await.expect("reads");
        let fingerprint = beside.approve_mcp(&definition("a")).await.expect("writes").expect("a command");
        assert_ne!(server.data_version().await.expect("reads"), before);
        assert_eq!(server.mcp_approvals().await.expect("reads"), [fingerprint.clone()].into());
        assert!(beside.revoke_mcp(&fingerprint).await.expect("writes"));
        assert!(!beside.revoke_mcp(&fingerprint).await.expect("answers"));
        assert_eq!(server.mcp_approved().await.expect("reads"), []);
    }
}
