//! What accounts have published for their hubs.

use rusqlite::{OptionalExtension as _, named_params};
use satchel_core::protocol::HubState;

use super::{AccountId, Database, DatabaseError, now};

impl Database {
    /// What there is of an account's hub. What another version wrote and this one cannot read is nothing: the app publishes it anew.
    pub async fn hub(&self, account: &AccountId) -> Result<HubState, DatabaseError> {
        let account = account.to_string();
        let row: Option<String> = self
            .read(move |connection| {
                let mut statement = connection.prepare("SELECT state FROM hubs WHERE account_id = :account")?;
                statement.query_row(named_params! { ":account": account }, |row| row.get(0)).optional()
            })
            .await?;
        Ok(row.and_then(|state| serde_json::from_str(&state).ok()).unwrap_or_default())
    }

    /// Keeps it.
    pub async fn put_hub(&self, account: &AccountId, state: &HubState) -> Result<(), DatabaseError> {
        let (account, state) =
            (account.to_string(), serde_json::to_string(state).expect("plain data can be written as JSON"));
        self.write(move |transaction| {
            transaction.execute(
                "INSERT INTO hubs (account_id, state, updated_at) VALUES (:account, :state, :now)
                 ON CONFLICT DO UPDATE SET state = :state, updated_at = :now",
                named_params! { ":account": account, ":state": state, ":now": now() },
            )?;
            Ok(())
        })
        .await
    }

    /// Forgets it; one that is not there is forgotten already.
    pub async fn delete_hub(&self, account: &AccountId) -> Result<(), DatabaseError> {
        let account = account.to_string();
        self.write(move |transaction| {
            transaction
                .execute("DELETE FROM hubs WHERE account_id = :account", named_params! { ":account": account })?;
            Ok(())
        })
        .await
    }
}
