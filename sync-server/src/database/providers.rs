//! The providers that accounts have added themselves.

use rusqlite::{OptionalExtension as _, named_params};
use satchel_core::protocol::{ProviderName, ProviderSettings};

use super::{AccountId, Database, DatabaseError, now};

impl Database {
    /// The providers of an account, by name.
    pub async fn providers(&self, account: &AccountId) -> Result<Vec<(ProviderName, ProviderSettings)>, DatabaseError> {
        let account = account.to_string();
        let rows = self.read(move |connection| {
            let mut statement =
                connection.prepare("SELECT name, settings FROM providers WHERE account_id = :account ORDER BY name")?;
            let rows = statement.query_map(named_params! { ":account": account }, |row| {
                Ok((row.get::<_, String>("name")?, row.get::<_, String>("settings")?))
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        });
        // What cannot be read was written by another version; the others are still of use.
        let read = |(name, settings): (String, String)| match (ProviderName::parse(&name), parse(&settings)) {
            (Ok(name), Some(settings)) => Some((name, settings)),
            (Ok(_) | Err(_), _) => {
                tracing::warn!(provider = name, "cannot read what is stored of a provider");
                None
            }
        };
        Ok(rows.await?.into_iter().filter_map(read).collect())
    }

    /// One provider of an account.
    pub async fn provider(
        &self,
        account: &AccountId,
        name: &ProviderName,
    ) -> Result<Option<ProviderSettings>, DatabaseError> {
        let (account, name) = (account.to_string(), name.to_string());
        let row: Option<String> = self
            .read(move |connection| {
                let mut statement = connection
                    .prepare_cached("SELECT settings FROM providers WHERE account_id = :account AND name = :name")?;
                statement.query_row(named_params! { ":account": account, ":name": name }, |row| row.get(0)).optional()
            })
            .await?;
        Ok(row.as_deref().and_then(parse))
    }

    /// Keeps a provider; whether there was room for it among `most`.
    pub async fn put_provider(
        &self,
        account: &AccountId,
        name: &ProviderName,
        settings: &ProviderSettings,
        most: u32,
    ) -> Result<bool, DatabaseError> {
        let (account, name) = (account.to_string(), name.to_string());
        let settings = serde_json::to_string(settings).expect("plain data can be written as JSON");
        self.write(move |transaction| {
            let others: u32 = transaction.query_row(
                "SELECT count(*) FROM providers WHERE account_id = :account AND name <> :name",
                named_params! { ":account": account, ":name": name },
                |row| row.get(0),
            )?;
            if others >= most {
                return Ok(false);
            }
            transaction.execute(
                "INSERT INTO providers (account_id, name, settings, updated_at)
                 VALUES (:account, :name, :settings, :now)
                 ON CONFLICT DO UPDATE SET settings = :settings, updated_at = :now",
                named_params! { ":account": account, ":name": name, ":settings": settings, ":now": now() },
            )?;
            Ok(true)
        })
        .await
    }

    /// Removes a provider; one that is not there is removed already.
    pub async fn delete_provider(&self, account: &AccountId, name: &ProviderName) -> Result<(), DatabaseError> {
        let (account, name) = (account.to_string(), name.to_string());
        self.write(move |transaction| {
            transaction.execute(
                "DELETE FROM providers WHERE account_id = :account AND name = :name",
                named_params! { ":account": account, ":name": name },
            )?;
            Ok(())
        })
        .await
    }
}

fn parse(settings: &str) -> Option<ProviderSettings> {
    serde_json::from_str(settings).ok()
}
