//! The object stores, and how a database of an older version becomes one of this version.
//!
//! A step is never edited once it has been released; a change of the schema is a new step at the end.

use idb::{Database, ObjectStoreParams};
use satchel_core::record::Table;

/// The name of the database. `public/early.js` reads the theme from it before the app has started.
pub(crate) const NAME: &str = "satchel";

/// Blobs, keyed by the hexadecimal digits of their digest.
pub(super) const BLOBS: &str = "blobs";
/// Rows that have to be sent, keyed by table and row key; the value is the newest stamp.
pub(super) const OUTBOX: &str = "outbox";
/// The clock.
pub(super) const META: &str = "meta";
/// The wrapping key of this device, which cannot be exported (see `browser::secrets`).
pub(crate) const DEVICE_KEYS: &str = "device_keys";
/// Secrets of this device, wrapped by that key.
pub(crate) const SECRETS: &str = "secrets";

/// One step of the schema, by the version it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub(super) enum Version {
    /// Settings, blobs, the outbox and the clock.
    Foundation = 1,
    /// What stays on the device: drafts, positions, and wrapped secrets.
    DeviceLocal = 2,
}

impl Version {
    /// All steps, oldest first.
    pub(super) const ALL: [Self; 2] = [Self::Foundation, Self::DeviceLocal];

    /// The version this app reads and writes.
    pub(super) const CURRENT: Self = Self::ALL[Self::ALL.len() - 1];

    /// The number IndexedDB knows the step by.
    pub(super) const fn number(self) -> u32 {
        self as u32
    }

    /// Does the step.
    fn upgrade(self, database: &Database) -> Result<(), idb::Error> {
        let names: &[&str] = match self {
            Self::Foundation => &[Table::Settings.name(), BLOBS, OUTBOX, META],
            Self::DeviceLocal => &[Table::Drafts.name(), Table::Positions.name(), DEVICE_KEYS, SECRETS],
        };
        names.iter().try_for_each(|name| {
            database.create_object_store(name, ObjectStoreParams::new())?;
            Ok(())
        })
    }
}

/// Takes a database from the version it has to `target`, inside the transaction that IndexedDB opens for it: either
/// every step is done or the database stays as it was.
pub(super) fn upgrade(database: &Database, from: u32, target: Version) -> Result<(), idb::Error> {
    (Version::ALL.into_iter().filter(|step| step.number() > from && *step <= target))
        .try_for_each(|step| step.upgrade(database))
}
