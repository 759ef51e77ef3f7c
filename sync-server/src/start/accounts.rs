//! `satchel account`, `satchel token` and `satchel device`: what the operator says about accounts and the devices that sync, beside a running
//! server.

use satchel_core::counted::counted;
use satchel_core::ids::{DeviceId, IdError};

use crate::access_token::{self, AccessToken, TokenError};
use crate::cli::{AccountCommand, AccountFlags, DataFlags, DeviceCommand, RevokeFlags, TokenFlags};
use crate::config::ConfigError;
use crate::data_folder::{self, DataFolder, DataFolderError};
use crate::database::{Database, DatabaseError};

/// Longest name of an account, in characters.
const NAME_LENGTH: usize = 64;

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum AccountCommandError {
    /// The name is no name.
    #[error("an account's name has 1 to {NAME_LENGTH} characters, with no line breaks and no spaces at its ends")]
    Name,
    /// The name is taken.
    #[error("there is already an account {0:?}; choose another name")]
    Taken(String),
    /// There is no such account.
    #[error("there is no account {name:?}; there are {}", known.join(", "))]
    NoAccount {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Nobody knows it any more.
    #[error("the token of {0:?} was shown when it was made, and only its hash is kept; --new makes another")]
    NotKept(String),
    /// The access token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The id is no id.
    #[error("that names no device; `satchel device list` shows their ids")]
    Id(#[from] IdError),
    /// There is no such device.
    #[error("there is no device {0}; `satchel device list` shows those there are")]
    NoDevice(DeviceId),
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for an access token")]
    Randomness(#[source] getrandom::Error),
    /// No data folder.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The data folder.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl AccountCommandError {
    /// 2 when the operator asked for something that cannot be, 1 when the machine could not do it.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Name
            | Self::Taken(_)
            | Self::NoAccount { .. }
            | Self::NotKept(_)
            | Self::Id(_)
            | Self::NoDevice(_)
            | Self::Config(_) => 2,
            Self::Token(_) | Self::Randomness(_) | Self::DataFolder(_) | Self::Database(_) => 1,
        }
    }
}

/// Does it; what to say.
pub(super) async fn account(command: &AccountCommand) -> Result<String, AccountCommandError> {
    let AccountCommand::Add(AccountFlags { data, name }) = command;
    let is_name = (1..=NAME_LENGTH).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if !is_name || name.trim() != name {
        return Err(AccountCommandError::Name);
    }
    let token = AccessToken::random().map_err(AccountCommandError::Randomness)?;
    let database = open(data)?;
    // The account of the first start is the first one, also where none has been made yet.
    database.first_account().await?;
    let added = database.add_account(name.clone(), token.hash()).await;
    database.close().await;
    added?.ok_or_else(|| AccountCommandError::Taken(name.clone()))?;
    Ok(token.reveal().to_owned())
}

/// The token of an account, or a new one. That of the first account is kept in a file; of the others only hashes are.
pub(super) async fn token(flags: &TokenFlags) -> Result<String, AccountCommandError> {
    let folder = DataFolder::open(&data_folder::choose(&flags.data)?)?;
    let database = Database::open(&folder.database_path())?;
    let token = token_of(flags, &folder, &database).await;
    database.close().await;
    Ok(token?.reveal().to_owned())
}

async fn token_of(
    TokenFlags { account, new, .. }: &TokenFlags,
    folder: &DataFolder,
    database: &Database,
) -> Result<AccessToken, AccountCommandError> {
    let first = database.first_account().await?;
    match account.as_ref().filter(|name| **name != first.name) {
        None if *new => Ok(access_token::replace(folder, database).await?),
        None => Ok(access_token::current(folder, database).await?),
        Some(name) => {
            let accounts = database.accounts().await?;
            let Some(found) = accounts.iter().find(|account| account.name == *name) else {
                let known = accounts.into_iter().map(|account| account.name).collect();
                return Err(AccountCommandError::NoAccount { name: name.clone(), known });
            };
            if !new {
                return Err(AccountCommandError::NotKept(name.clone()));
            }
            let token = AccessToken::random().map_err(AccountCommandError::Randomness)?;
            let kept_nowhere = || Ok::<_, DatabaseError>(());
            database.replace_token(found.id.clone(), token.hash(), kept_nowhere).await?;
            Ok(token)
        }
    }
}

/// Does it; what to say.
pub(super) async fn device(command: &DeviceCommand) -> Result<String, AccountCommandError> {
    match command {
        DeviceCommand::List(data) => {
            let database = open(data)?;
            let devices = database.sync_devices().await;
            database.close().await;
            let lines = devices?.into_iter().map(|(account, device)| {
                let standing = device.revoked_at.map_or_else(|| "active".to_owned(), |at| format!("revoked {at}"));
                format!(
                    "{}  {account}  {standing}  last seen {}  {}",
                    device.id,
                    device.last_seen,
                    counted(device.sequence, "change")
                )
            });
            let lines: Vec<String> = lines.collect();
            Ok(if lines.is_empty() { "no devices sync".to_owned() } else { lines.join("\n") })
        }
        DeviceCommand::Revoke(RevokeFlags { data, device }) => {
            let device = DeviceId::parse(device.as_str())?;
            let database = open(data)?;
            let known = database.revoke_sync_device(device.clone()).await;
            database.close().await;
            if known? { Ok(format!("{device} is revoked")) } else { Err(AccountCommandError::NoDevice(device)) }
        }
    }
}

fn open(data: &DataFlags) -> Result<Database, AccountCommandError> {
    let folder = DataFolder::open(&data_folder::choose(data)?)?;
    Ok(Database::open(&folder.database_path())?)
}
