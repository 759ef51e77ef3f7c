//! The vault's rows. What is in them is sealed; only [`crate::vault`] can make or open it.

use rusqlite::{OptionalExtension as _, Row, Transaction, named_params};
use satchel_core::protocol::SecretName;

use super::{AccountId, Database, DatabaseError, now};

/// A secret as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRow {
    /// Its name.
    pub name: String,
    /// Nonce, ciphertext and tag.
    pub sealed: Vec<u8>,
    /// When it was first entered, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last entered, likewise.
    pub updated_at: i64,
}

impl Database {
    /// What the vault's key left to be known by; none where no vault was ever opened.
    pub async fn vault_proof(&self) -> Result<Option<Vec<u8>>, DatabaseError> {
        self.read(|connection| {
            connection.query_row("SELECT proof FROM vault_key", [], |row| row.get("proof")).optional()
        })
        .await
    }

    /// Whether any account has a secret, or a login that is sealed like one.
    pub async fn has_secrets(&self) -> Result<bool, DatabaseError> {
        self.read(|connection| {
            let sealed = "SELECT EXISTS (SELECT 1 FROM secrets) OR EXISTS (SELECT 1 FROM mcp_logins)";
            connection.query_row(sealed, [], |row| row.get(0))
        })
        .await
    }

    /// Remembers what the vault's key is to be known by.
    pub async fn put_vault_proof(&self, proof: Vec<u8>) -> Result<(), DatabaseError> {
        self.write(move |transaction| Ok(put_proof(transaction, &proof)?)).await
    }

    /// Removes every secret and every login of every account, and remembers what the next key is to be known by.
    pub async fn forget_secrets(&self, proof: Vec<u8>) -> Result<usize, DatabaseError> {
        self.write(move |transaction| {
            let removed = transaction.execute("DELETE FROM secrets", [])?;
            transaction.execute("DELETE FROM mcp_logins", [])?;
            put_proof(transaction, &proof)?;
            Ok(removed)
        })
        .await
    }

    /// The secrets of an account, by name.
    pub async fn secrets(&self, account: &AccountId) -> Result<Vec<SecretRow>, DatabaseError> {
        let account = account.to_string();
        self.read(move |connection| {
            let mut statement = connection.prepare(
                "SELECT name, sealed, created_at, updated_at FROM secrets WHERE account_id = :account ORDER BY name",
            )?;
            let rows = statement.query_map(named_params! { ":account": account }, secret)?;
            rows.collect()
        })
        .await
    }

    /// One secret of an account.
    pub async fn secret(&self, account: &AccountId, name: &SecretName) -> Result<Option<SecretRow>, DatabaseError> {
        let (account, name) = (account.to_string(), name.to_string());
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name, sealed, created_at, updated_at FROM secrets WHERE account_id = :account AND name = :name",
            )?;
            statement.query_row(named_params! { ":account": account, ":name": name }, secret).optional()
        })
        .await
    }

    /// Keeps a sealed secret; nothing is written, and nothing given back, when it would be one more than `most`.
    pub async fn put_secret(
        &self,
        account: &AccountId,
        name: &SecretName,
        sealed: Vec<u8>,
        most: u32,
    ) -> Result<Option<SecretRow>, DatabaseError> {
        let (account, name) = (account.to_string(), name.to_string());
        self.write(move |transaction| {
            let others: u32 = transaction.query_row(
                "SELECT count(*) FROM secrets WHERE account_id = :account AND name <> :name",
                named_params! { ":account": account, ":name": name },
                |row| row.get(0),
            )?;
            if others >= most {
                return Ok(None);
            }
            let row = transaction.query_row(
                "INSERT INTO secrets (account_id, name, sealed, created_at, updated_at)
                 VALUES (:account, :name, :sealed, :now, :now)
                 ON CONFLICT DO UPDATE SET sealed = :sealed, updated_at = :now
                 RETURNING name, sealed, created_at, updated_at",
                named_params! { ":account": account, ":name": name, ":sealed": sealed, ":now": now() },
                secret,
            )?;
            Ok(Some(row))
        })
        .await
    }

    /// Removes a secret; one that is not there is removed already.
    pub async fn delete_secret(&self, account: &AccountId, name: &SecretName) -> Result<(), DatabaseError> {
        let (account, name) = (account.to_string(), name.to_string());
        self.write(move |transaction| {
            transaction.execute(
                "DELETE FROM secrets WHERE account_id = :account AND name = :name",
                named_params! { ":account": account, ":name": name },
            )?;
            Ok(())
        })
        .await
    }
}

fn put_proof(transaction: &Transaction<'_>, proof: &[u8]) -> Result<(), rusqlite::Error> {
    transaction.execute(
        "INSERT INTO vault_key (only, proof) VALUES (1, :proof) ON CONFLICT DO UPDATE SET proof = :proof",
        named_params! { ":proof": proof },
    )?;
    Ok(())
}

fn secret(row: &Row<'_>) -> Result<SecretRow, rusqlite::Error> {
    Ok(SecretRow {
        name: row.get("name")?,
        sealed: row.get("sealed")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
