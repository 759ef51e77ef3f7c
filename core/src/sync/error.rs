//! Why a round of sync did not come to its end, and what can be done.

use serde::{Deserialize, Serialize};

use crate::counted::counted;
use crate::ids::DeviceId;
use crate::store::StoreError;
use crate::workspace::{ReadError, WorkspaceError};

/// The server was not reached, or did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotReached {
    /// In a sentence's part.
    pub reason: String,
    /// Whether the same again can help.
    pub can_retry: bool,
}

/// Why a round ended.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The device's own store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files of a chat cannot be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The server was not reached.
    #[error("the server cannot be reached: {0}")]
    NotReached(NotReached),
    /// The account has no log yet.
    #[error("this account does not sync yet; begin on one device, then join with the others")]
    NotBegun,
    /// The key is not the account's.
    #[error(
        "this sync code belongs to another account, or the code was changed on another device; enter the code that another device shows"
    )]
    WrongKey,
    /// This device was shut out.
    #[error("this device was revoked on another device; what is on it stays here")]
    Revoked,
    /// Changes of a device are missing between two that are there.
    #[error(
        "changes of device {device} are missing on the server: after {last} came {next}; read everything again, or ask whoever runs the server"
    )]
    Gap {
        /// The device.
        device: DeviceId,
        /// The last that is here.
        last: u64,
        /// The one that came.
        next: u64,
    },
    /// Something sealed does not open.
    #[error(
        "what the server gave does not open with this account's key; ask whoever runs the server to check its disk"
    )]
    Damaged,
    /// The server has found what it keeps to be damaged.
    #[error(
        "a part of what the server keeps of this account is damaged on its disk; a device that has everything puts it right when it next syncs, and if there is none, whoever runs the server can restore a backup"
    )]
    DamagedOnServer,
    /// A newer version of the app wrote a change.
    #[error("another device runs a newer version of Satchel; reload this page to get it, and sync continues")]
    Newer,
    /// Blobs that rows need are not on the server.
    #[error("the server still lacks {}; sync fetches what is missing once a device that has it has synced", counted(*.0, "file"))]
    MissingOnServer(usize),
    /// The account has no room left.
    #[error("the server's limit of {0} bytes for this account is reached")]
    Full(u64),
    /// The log kept changing under the round.
    #[error("other devices were too busy; sync tries again by itself")]
    Busy,
    /// The server said something that makes no sense here.
    #[error("this version does not understand the server's answer: {0}")]
    Unexpected(String),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<NotReached> for SyncError {
    fn from(error: NotReached) -> Self {
        Self::NotReached(error)
    }
}

/// What can be done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WayOn {
    /// Sync tries again by itself.
    Again,
    /// The user enters the sync code.
    EnterCode,
    /// The user begins sync.
    Begin,
    /// The page is loaded again.
    Reload,
    /// Something has to be done elsewhere: on the server, or with the space on this device; then the user tries again.
    Elsewhere,
    /// The user has everything read again.
    ReadAgain,
    /// Nothing; this device is out.
    Nothing,
}

impl SyncError {
    /// What can be done.
    #[must_use]
    pub fn way_on(&self) -> WayOn {
        match self {
            Self::Store(error) if error.can_retry() => WayOn::Again,
            Self::Store(StoreError::MissingBlobs(_))
            | Self::Busy
            | Self::MissingOnServer(_)
            | Self::DamagedOnServer => WayOn::Again,
            Self::Store(_) | Self::Full(_) => WayOn::Elsewhere,
            Self::NotReached(NotReached { can_retry: true, .. }) => WayOn::Again,
            Self::NotReached(_) | Self::Workspace(_) | Self::Unexpected(_) => WayOn::Elsewhere,
            Self::NotBegun => WayOn::Begin,
            Self::WrongKey => WayOn::EnterCode,
            Self::Revoked => WayOn::Nothing,
            Self::Gap { .. } | Self::Damaged => WayOn::ReadAgain,
            Self::Newer => WayOn::Reload,
        }
    }
}

impl From<ReadError> for SyncError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => Self::Store(error),
            ReadError::Workspace(error) => Self::Workspace(error),
        }
    }
}
