//! `satchel account` and `satchel device`: what the operator says about accounts and the devices that sync, beside a running server.

use satchel_core::counted::counted;
use satchel_core::ids::{DeviceId, IdError};

use crate::access_token::AccessToken;
use crate::cli::{AccountCommand, AccountFlags, DataFlags, DeviceCommand, RevokeFlags};
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
            Self::Name | Self::Taken(_) | Self::Id(_) | Self::NoDevice(_) | Self::Config(_) => 2,
            Self::Randomness(_) | Self::DataFolder(_) | Self::Database(_) => 1,
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
