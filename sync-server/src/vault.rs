//! The vault: an account's secrets, sealed in the database (I8).
//!
//! From the app it is written to and never read: a value goes in, and from then on only the server uses it, for what the account asks
//! of it. Each value is sealed under the vault's key and bound to its account and its name, so that a row that was moved or changed is
//! found out when it is opened. The key is not in the database: it is in a file beside it, or in the server's environment.

pub mod api;
mod key;
mod seal;
mod secret;

use satchel_core::catalog::ServerKey;
use satchel_core::protocol::{SecretName, SecretSummary};
use satchel_core::time::Timestamp;

use crate::data_folder::DataFolder;
use crate::database::{AccountId, Database, DatabaseError, SecretRow};
use key::VaultKey;

pub use key::{KEY_VARIABLE, KeyError};
pub use secret::Secret;

/// Largest value, in bytes.
const VALUE_BYTES: usize = 16 * 1024;
/// Most secrets of one account.
const MOST: u32 = 256;

/// The opened vault; clones share it.
#[derive(Clone, Debug)]
pub struct Vault {
    database: Database,
    key: VaultKey,
}

/// Where a login is good: a server of an account, at one address. Of a server that is at another address by now, it is not (it would be sent
/// to whoever is there).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginPlace<'a> {
    /// The account.
    pub account: &'a AccountId,
    /// Which of its servers.
    pub key: &'a ServerKey,
    /// The address that the server has, whole.
    pub address: &'a str,
}

/// Why the vault does not open.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The key itself.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// There are secrets, and no key for them.
    #[error(
        "secrets are stored, and the key that opens them is missing: there is no file {path} and no {KEY_VARIABLE}"
    )]
    NoKey {
        /// Where the key should be.
        path: std::path::PathBuf,
    },
    /// There are secrets, and another key sealed them.
    #[error("secrets are stored, and the key in {place} is not the one that opens them")]
    WrongKey {
        /// The file or the variable that the key came from.
        place: String,
    },
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Why a secret was not kept.
#[derive(Debug, thiserror::Error)]
pub enum PutError {
    /// There is nothing in it.
    #[error("the secret is empty; delete it to remove it")]
    Empty,
    /// It is larger than a secret can be.
    #[error("the secret is longer than {VALUE_BYTES} bytes")]
    TooLong,
    /// The account has as many as it may.
    #[error("there are already {MOST} secrets; remove one you no longer need")]
    TooMany,
    /// The system gave no random bytes.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Why a secret cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It was damaged, or belongs to another account or name.
    #[error("the stored secret is damaged")]
    Damaged,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl Vault {
    /// Opens the vault of a data folder that this server has taken. A first start makes the key.
    ///
    /// As long as there are secrets, only their own key opens it, and nothing is written with another. `environment` is what
    /// [`KEY_VARIABLE`] says; it comes before the file.
    pub async fn open(
        folder: &DataFolder,
        database: &Database,
        environment: Option<String>,
    ) -> Result<Self, VaultError> {
        let found = key::find(folder, environment)?;
        let proof = database.vault_proof().await?;
        let proven = |key: &VaultKey| proof.as_deref().is_some_and(|proof| seal::is_proof(key, proof));
        if database.has_secrets().await? {
            let Some(found) = found else { return Err(VaultError::NoKey { path: folder.vault_key_path() }) };
            if !proven(&found.key) {
                return Err(VaultError::WrongKey { place: found.place });
            }
            return Ok(Self { database: database.clone(), key: found.key });
        }
        let key = match found {
            Some(found) => found.key,
            None => key::make(folder)?,
        };
        if !proven(&key) {
            database.put_vault_proof(seal::proof(&key)?).await?;
        }
        Ok(Self { database: database.clone(), key })
    }

    /// For when the key is lost: removes every secret and begins anew, with the key that is there or a new one; how many were removed.
    pub async fn forget(
        folder: &DataFolder,
        database: &Database,
        environment: Option<String>,
    ) -> Result<usize, VaultError> {
        let in_file = environment.is_none();
        let key = match key::find(folder, environment) {
            Ok(Some(found)) => found.key,
            Ok(None) => key::make(folder)?,
            // A file that holds no key is of no use to anyone; a variable is the operator's to put right.
            Err(KeyError::NotAKey { .. }) if in_file => key::make(folder)?,
            Err(error) => return Err(error.into()),
        };
        Ok(database.forget_secrets(seal::proof(&key)?).await?)
    }

    /// What is there, by name.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<SecretSummary>, DatabaseError> {
        let rows = self.database.secrets(account).await?;
        // A row whose name cannot be one is of no use: nobody could name it.
        let summary = |row: &SecretRow| Some(self.summary(account, SecretName::parse(&row.name).ok()?, row));
        Ok(rows.iter().filter_map(summary).collect())
    }

    /// Keeps a secret, in place of the one of the same name.
    pub async fn put(&self, account: &AccountId, name: &SecretName, value: &Secret) -> Result<SecretSummary, PutError> {
        if value.reveal().is_empty() {
            return Err(PutError::Empty);
        }
        if value.reveal().len() > VALUE_BYTES {
            return Err(PutError::TooLong);
        }
        let sealed = seal::seal(&self.key, &binding(account, name.as_str()), value.reveal().as_bytes())?;
        let row = self.database.put_secret(account, name, sealed, MOST).await?.ok_or(PutError::TooMany)?;
        Ok(self.summary(account, name.clone(), &row))
    }

    /// A secret, for the server's own use; nothing where there is none of this name.
    pub async fn get(&self, account: &AccountId, name: &SecretName) -> Result<Option<Secret>, OpenError> {
        let Some(row) = self.database.secret(account, name).await? else { return Ok(None) };
        match self.opened(account, &row) {
            Some(secret) => Ok(Some(secret)),
            None => Err(OpenError::Damaged),
        }
    }

    /// Removes a secret.
    pub async fn delete(&self, account: &AccountId, name: &SecretName) -> Result<(), DatabaseError> {
        self.database.delete_secret(account, name).await
    }

    /// What a login at an MCP server gave; nothing where there is none, where it is of another address, or where it cannot be opened any more.
    pub async fn login(&self, place: &LoginPlace<'_>) -> Result<Option<Secret>, DatabaseError> {
        let Some(sealed) = self.database.mcp_login(place.account, place.key).await? else { return Ok(None) };
        Ok(seal::open(&self.key, &place.binding(), &sealed).and_then(Secret::from_utf8))
    }

    /// Keeps what a login gave, in place of what was there; nothing removes it.
    pub async fn put_login(&self, place: &LoginPlace<'_>, value: Option<&Secret>) -> Result<(), PutError> {
        let seal = |value: &Secret| seal::seal(&self.key, &place.binding(), value.reveal().as_bytes());
        let sealed = value.map(seal).transpose()?;
        Ok(self.database.put_mcp_login(place.account, place.key, sealed).await?)
    }

    fn opened(&self, account: &AccountId, row: &SecretRow) -> Option<Secret> {
        seal::open(&self.key, &binding(account, &row.name), &row.sealed).and_then(Secret::from_utf8)
    }

    fn summary(&self, account: &AccountId, name: SecretName, row: &SecretRow) -> SecretSummary {
        let moment = |millis: i64| Timestamp::from_millis(u64::try_from(millis).unwrap_or_default());
        SecretSummary {
            name,
            has_value: self.opened(account, row).is_some(),
            created_at: moment(row.created_at),
            updated_at: moment(row.updated_at),
        }
    }
}

impl LoginPlace<'_> {
    /// What a sealed login is bound to; no secret is. Neither an id nor a key has a zero in it.
    fn binding(&self) -> Vec<u8> {
        let Self { account, key, address } = self;
        format!("satchel mcp login 2\0{account}\0{key}\0{address}").into_bytes()
    }
}

/// What a sealed value is bound to. An account's id never has a zero in it, so no two pairs give the same bytes.
fn binding(account: &AccountId, name: &str) -> Vec<u8> {
    format!("satchel secret 1\0{account}\0{name}").into_bytes()
}
