//! Accounts and the hashes of their access tokens.

use std::fmt;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, named_params};
use uuid::Uuid;

use super::{Database, DatabaseError, now};
use crate::access_token::TokenHash;

/// Replaced tokens that are remembered per account; older ones are simply unknown.
const REPLACED_KEPT: i64 = 16;

/// Name of the account that the first start makes.
const FIRST_ACCOUNT_NAME: &str = "me";

/// Id of an account, a UUID.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(String);

/// Who a token belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Stable id.
    pub id: AccountId,
    /// The operator's name for it.
    pub name: String,
}

/// What the database knows about a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenStanding {
    /// In force, and whose.
    Current(Account),
    /// It was in force once.
    Replaced,
    /// Never heard of.
    Unknown,
}

impl AccountId {
    /// The id that a row has.
    pub(crate) fn stored(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Database {
    /// The oldest account; made when there is none yet.
    pub async fn first_account(&self) -> Result<Account, DatabaseError> {
        self.write(|transaction| {
            if let Some(account) = oldest(transaction)? {
                return Ok(account);
            }
            let account = Account { id: AccountId(Uuid::now_v7().to_string()), name: FIRST_ACCOUNT_NAME.to_owned() };
            transaction.execute(
                "INSERT INTO accounts (id, name, created_at) VALUES (:id, :name, :created_at)",
                named_params! { ":id": account.id.0, ":name": account.name, ":created_at": now() },
            )?;
            Ok(account)
        })
        .await
    }

    /// Every account, the oldest first.
    pub async fn accounts(&self) -> Result<Vec<Account>, DatabaseError> {
        self.read(|connection| {
            let mut statement = connection.prepare("SELECT id, name FROM accounts ORDER BY created_at, id")?;
            let rows = statement.query_map([], account)?;
            rows.collect()
        })
        .await
    }

    /// Makes an account of this name with its token; nothing where there is one of the name.
    pub async fn add_account(&self, name: String, hash: TokenHash) -> Result<Option<Account>, DatabaseError> {
        self.write(move |transaction| {
            let taken = "SELECT EXISTS (SELECT 1 FROM accounts WHERE name = ?1)";
            if transaction.query_row(taken, [&name], |row| row.get(0))? {
                return Ok(None);
            }
            let account = Account { id: AccountId(Uuid::now_v7().to_string()), name };
            transaction.execute(
                "INSERT INTO accounts (id, name, created_at) VALUES (:id, :name, :created_at)",
                named_params! { ":id": account.id.0, ":name": account.name, ":created_at": now() },
            )?;
            replace(transaction, &account.id, &hash)?;
            Ok(Some(account))
        })
        .await
    }

    /// What is known about a token, by its hash.
    pub fn token_standing(&self, hash: &TokenHash) -> Result<TokenStanding, DatabaseError> {
        self.glance(|connection| standing(connection, hash))
    }

    /// Whether a token was ever made.
    pub async fn has_token(&self) -> Result<bool, DatabaseError> {
        self.read(|connection| {
            connection.query_row("SELECT EXISTS (SELECT 1 FROM access_tokens)", [], |row| row.get(0))
        })
        .await
    }

    /// Puts a new token in force and ends the one before; `keep` runs inside the transaction, and its failure undoes it.
    pub async fn replace_token<E, K>(&self, account: AccountId, hash: TokenHash, keep: K) -> Result<(), E>
    where
        E: From<DatabaseError> + Send + 'static,
        K: FnOnce() -> Result<(), E> + Send + 'static,
    {
        self.write(move |transaction| {
            replace(transaction, &account, &hash).map_err(DatabaseError::from)?;
            keep()
        })
        .await
    }
}

fn oldest(connection: &Connection) -> Result<Option<Account>, rusqlite::Error> {
    connection.query_row("SELECT id, name FROM accounts ORDER BY created_at, id LIMIT 1", [], account).optional()
}

/// Every stored hash is compared, each in constant time; there are few of them.
fn standing(connection: &Connection, hash: &TokenHash) -> Result<TokenStanding, rusqlite::Error> {
    let mut statement = connection.prepare_cached(
        "SELECT accounts.id, accounts.name, access_tokens.hash, access_tokens.replaced_at
         FROM access_tokens JOIN accounts ON accounts.id = access_tokens.account_id",
    )?;
    let mut rows = statement.query([])?;
    let mut standing = TokenStanding::Unknown;
    while let Some(row) = rows.next()? {
        let stored: Vec<u8> = row.get("hash")?;
        if hash.matches(&stored) {
            standing = match row.get::<_, Option<i64>>("replaced_at")? {
                None => TokenStanding::Current(account(row)?),
                Some(_) => TokenStanding::Replaced,
            };
        }
    }
    Ok(standing)
}

fn replace(transaction: &Transaction<'_>, account: &AccountId, hash: &TokenHash) -> Result<(), rusqlite::Error> {
    let now = now();
    transaction.execute(
        "UPDATE access_tokens SET replaced_at = :now WHERE account_id = :account AND replaced_at IS NULL",
        named_params! { ":now": now, ":account": account.0 },
    )?;
    transaction.execute(
        "INSERT INTO access_tokens (hash, account_id, created_at) VALUES (:hash, :account, :now)",
        named_params! { ":hash": hash.as_bytes(), ":account": account.0, ":now": now },
    )?;
    transaction.execute(
        "DELETE FROM access_tokens WHERE hash IN (
             SELECT hash FROM access_tokens WHERE account_id = :account AND replaced_at IS NOT NULL
             ORDER BY replaced_at DESC LIMIT -1 OFFSET :kept)",
        named_params! { ":account": account.0, ":kept": REPLACED_KEPT },
    )?;
    Ok(())
}

fn account(row: &Row<'_>) -> Result<Account, rusqlite::Error> {
    Ok(Account { id: AccountId(row.get("id")?), name: row.get("name")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_token::AccessToken;

    fn open(folder: &tempfile::TempDir) -> Database {
        Database::open(&folder.path().join("satchel.db")).expect("opens")
    }

    async fn put_in_force(database: &Database, token: &AccessToken) {
        let account = database.first_account().await.expect("an account");
        database.replace_token(account.id, token.hash(), || Ok::<_, DatabaseError>(())).await.expect("replaces");
    }

    #[tokio::test]
    async fn one_account_is_made_at_the_first_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = open(&folder).first_account().await.expect("made");
        assert_eq!(first.name, "me");
        assert_eq!(Uuid::parse_str(&first.id.0).expect("a UUID").get_version_num(), 7);
        assert_eq!(open(&folder).first_account().await.expect("found"), first);
    }

    #[tokio::test]
    async fn a_token_is_unknown_then_current_then_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = open(&folder);
        let (old, new) = (AccessToken::random().expect("randomness"), AccessToken::random().expect("randomness"));
        assert_eq!(database.token_standing(&old.hash()).expect("answers"), TokenStanding::Unknown);

        put_in_force(&database, &old).await;
        let account = database.first_account().await.expect("an account");
        assert_eq!(database.token_standing(&old.hash()).expect("answers"), TokenStanding::Current(account));

        // By another process, as `satchel token --new` does beside a running server.
        put_in_force(&open(&folder), &new).await;
        assert_eq!(database.token_standing(&old.hash()).expect("answers"), TokenStanding::Replaced);
    }

    #[tokio::test]
    async fn only_the_last_replaced_tokens_are_remembered() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = open(&folder);
        for _ in 0..REPLACED_KEPT + 5 {
            put_in_force(&database, &AccessToken::random().expect("randomness")).await;
        }
        let count = |connection: &Connection| {
            connection.query_row("SELECT count(*) FROM access_tokens", [], |row| row.get::<_, i64>(0))
        };
        assert_eq!(database.read(count).await.expect("counts"), REPLACED_KEPT + 1);
    }
}
