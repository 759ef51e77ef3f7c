//! Sync between the devices of an account: what a device asks of the server, and what it is answered.
//!
//! Everything goes by `POST /api/v1/sync`: a head in JSON and sealed bytes beside it, one after the other, each with its length before it. What the head
//! has in clear is what the server must know to order, keep and give out sealed bytes: devices and their numbers, names of blobs that say nothing, and
//! sizes. A refusal has the same shape and a status of its own.

mod frame;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::{BlobId, BlobIdError};
use crate::ids::DeviceId;
use crate::time::Timestamp;

pub use frame::{SyncFrameError, frame_sync, unframe_sync};

/// What the bodies of sync are.
pub const SYNC_CONTENT_TYPE: &str = "application/x-satchel-sync";
/// Most bytes of a blob in one part, before it is sealed.
pub const SYNC_PART_BYTES: usize = 1 << 20;
/// About as many sealed bytes come or go at once.
pub const SYNC_BATCH_BYTES: usize = 4 << 20;
/// Most bytes of one request or answer.
pub const SYNC_BODY_BYTES: usize = 32 << 20;
/// Most things that one request names.
pub const SYNC_NAMES: usize = 200_000;

/// How much an account may have with the rows that it syncs, where its files may have `quota_bytes`: there is always room for the
/// deletions that make room, and for a snapshot in the place of a long log.
#[must_use]
pub fn sync_reserve(quota_bytes: u64) -> u64 {
    quota_bytes.saturating_add(quota_bytes / 8).saturating_add(1 << 20)
}

/// Defines the newtype of 32 bytes that are spelt in hexadecimal digits.
macro_rules! thirty_two_bytes {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(BlobId);

        impl $name {
            /// Takes the bytes.
            #[must_use]
            pub fn new(bytes: [u8; 32]) -> Self {
                Self(BlobId::from_sha256(bytes))
            }

            /// Reads the digits.
            pub fn parse(text: &str) -> Result<Self, BlobIdError> {
                BlobId::parse(text).map(Self)
            }

            /// The bytes.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 32] {
                self.0.as_bytes()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

thirty_two_bytes! {
    /// A blob's name on the wire: a keyed digest of its name on the devices.
    BlobName
}

thirty_two_bytes! {
    /// What the account's key is known by to the server. A device that does not know the key cannot tell it, and is let in nowhere.
    SyncKeyId
}

/// Names one life of an account's log. A server that was restored from a backup, and an account whose key was changed, begin another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SyncEpoch(pub String);

/// The head of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncAsk {
    /// Who asks.
    pub device: DeviceId,
    /// What its key is known by.
    pub key: SyncKeyId,
    /// The life of the log that it knows; none where it wants to learn which it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<SyncEpoch>,
    /// What it wants.
    pub request: SyncRequest,
}

/// What a device wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SyncRequest {
    /// To begin the account's log, with this device's key as the account's, unless it has begun with that key.
    Begin,
    /// To begin the log anew with this device's key as the account's, whatever the key was before: the code of the old one is lost, and
    /// nobody can read what was sealed under it. What was there goes.
    BeginAnew,
    /// To know how things are.
    Status,
    /// The changes after a position.
    Changes {
        /// The last one that it has.
        after: u64,
    },
    /// To add a change, whose sealed bytes are beside.
    Push {
        /// Its number among those of this device, counted from 1.
        sequence: u64,
        /// The blobs that its rows need.
        names: Vec<BlobName>,
    },
    /// To know which of these blobs the server has.
    Have {
        /// The blobs.
        names: Vec<BlobName>,
    },
    /// To store parts of blobs, whose sealed bytes are beside.
    PutParts {
        /// Which ones.
        parts: Vec<BlobPart>,
    },
    /// Parts of blobs. As many come as fit; the others are asked for again.
    GetParts {
        /// Which ones, by name and number.
        parts: Vec<WantedPart>,
    },
    /// The blobs that something needs and the server has not, or not any more.
    Missing,
    /// To store one part of a snapshot, whose sealed bytes are beside.
    PutSnapshotPart {
        /// The last change that is in the snapshot.
        position: u64,
        /// Which part, counted from 0.
        part: u32,
    },
    /// To say of some of the blobs that a snapshot needs that it does, before it is finished: a request names only so many.
    NameSnapshot {
        /// The last change that is in the snapshot.
        position: u64,
        /// The blobs.
        names: Vec<BlobName>,
    },
    /// To put a snapshot in the place of the changes that are in it.
    FinishSnapshot {
        /// The last change that is in it.
        position: u64,
        /// How many parts it has.
        parts: u32,
        /// The blobs that its rows need, but for those that were named before.
        names: Vec<BlobName>,
    },
    /// One part of the snapshot in force.
    SnapshotPart {
        /// The last change that is in it.
        position: u64,
        /// Which part.
        part: u32,
    },
    /// The account's devices.
    Devices,
    /// To be called by the sealed name beside.
    NameDevice,
    /// To shut a device out.
    Revoke {
        /// Which one.
        device: DeviceId,
    },
    /// To begin the log anew under another key. This device has everything that is in it.
    Rotate {
        /// What the new key is known by.
        key: SyncKeyId,
        /// The last change that this device has.
        head: u64,
    },
}

/// One part of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlobPart {
    /// The blob.
    pub name: BlobName,
    /// Which part, counted from 0.
    pub part: u32,
    /// Of how many.
    pub parts: u32,
}

/// A part that is wanted; how many there are is not known before the first came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WantedPart {
    /// The blob.
    pub name: BlobName,
    /// Which part, counted from 0.
    pub part: u32,
}

/// The head of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SyncAnswer {
    /// How things are.
    Status(SyncStatus),
    /// Changes, whose sealed bytes are beside.
    Changes {
        /// The changes, in their order.
        changes: Vec<SyncChange>,
        /// The last one there is.
        head: u64,
    },
    /// The change is kept.
    Pushed {
        /// Its place in the log.
        position: u64,
    },
    /// Which blobs are there.
    Have {
        /// Those that are there whole.
        complete: Vec<BlobName>,
        /// The parts that are there of others.
        partly: Vec<BlobPart>,
    },
    /// Parts of blobs, whose sealed bytes are beside.
    Parts {
        /// Which ones.
        parts: Vec<BlobPart>,
        /// Wanted ones that are not there.
        absent: Vec<BlobName>,
    },
    /// Blobs that are needed and not there.
    Missing {
        /// Their names.
        names: Vec<BlobName>,
    },
    /// A part of the snapshot; its sealed bytes are beside.
    SnapshotPart,
    /// The devices.
    Devices {
        /// All that ever were.
        devices: Vec<SyncDevice>,
    },
    /// It is done.
    Done,
    /// Refused (409): the account has no log yet.
    NotBegun,
    /// Refused (403): the key is not the account's.
    WrongKey,
    /// Refused (403): the device was shut out.
    Revoked,
    /// Refused (409): the log is not the one that the device knows.
    OtherEpoch {
        /// The one there is.
        epoch: SyncEpoch,
    },
    /// Refused (409): it names blobs that are not there.
    MissingBlobs {
        /// Their names.
        names: Vec<BlobName>,
    },
    /// Refused (409): another number is due.
    OutOfSequence {
        /// The last one of this device.
        last: u64,
    },
    /// Refused (409): what comes first is in a snapshot.
    SnapshotFirst {
        /// Which one.
        snapshot: SyncSnapshot,
    },
    /// Refused (409): the log has gone on, or the snapshot is another one by now.
    NotCurrent,
    /// Refused (500): what was asked for is damaged on the server's disk. A snapshot of a device that has everything takes its place.
    Damaged,
    /// Refused (507): there is no room left for the account.
    Full {
        /// How much it may have.
        quota_bytes: u64,
    },
    /// Refused (400): what was asked makes no sense.
    BadRequest {
        /// Why.
        message: String,
    },
}

/// How things are for a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyncStatus {
    /// The life of the log.
    pub epoch: SyncEpoch,
    /// The last change.
    pub head: u64,
    /// The number of this device's last change.
    pub sequence: u64,
    /// The snapshot, if there is one.
    pub snapshot: Option<SyncSnapshot>,
    /// How many changes are not in it.
    pub log_changes: u64,
    /// Their bytes.
    pub log_bytes: u64,
    /// How many blobs are needed and not there.
    pub missing: u32,
    /// Whether a change or the snapshot was found damaged on the server's disk, and nothing has taken its place yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
    /// What the account has stored.
    pub used_bytes: u64,
    /// What it may store.
    pub quota_bytes: u64,
}

/// A snapshot: everything up to a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncSnapshot {
    /// The device that made it.
    pub device: DeviceId,
    /// The last change that is in it.
    pub position: u64,
    /// How many parts it has.
    pub parts: u32,
}

/// A change in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncChange {
    /// Its place in the log.
    pub position: u64,
    /// The device that made it.
    pub device: DeviceId,
    /// Its number among those of the device.
    pub sequence: u64,
}

/// A device of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncDevice {
    /// Its id.
    pub id: DeviceId,
    /// What it calls itself, sealed, in Base64.
    pub sealed_name: Option<String>,
    /// When it first came.
    pub first_seen: Timestamp,
    /// When it last came.
    pub last_seen: Timestamp,
    /// How many changes it has made.
    pub sequence: u64,
    /// When it was shut out.
    pub revoked_at: Option<Timestamp>,
}

impl SyncAnswer {
    /// The status that the answer is sent with.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Status(_)
            | Self::Changes { .. }
            | Self::Pushed { .. }
            | Self::Have { .. }
            | Self::Parts { .. }
            | Self::Missing { .. }
            | Self::SnapshotPart
            | Self::Devices { .. }
            | Self::Done => 200,
            Self::BadRequest { .. } => 400,
            Self::WrongKey | Self::Revoked => 403,
            Self::NotBegun
            | Self::OtherEpoch { .. }
            | Self::MissingBlobs { .. }
            | Self::OutOfSequence { .. }
            | Self::SnapshotFirst { .. }
            | Self::NotCurrent => 409,
            Self::Damaged => 500,
            Self::Full { .. } => 507,
        }
    }
}

#[cfg(test)]
mod tests;
