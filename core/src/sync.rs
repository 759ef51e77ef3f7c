//! What lets two devices hold the same data and agree, through a server that cannot read it.
//!
//! Every row carries the stamps of its fields from the first day, so that data written before a device ever syncs can still be merged
//! ([`merge`]). What leaves the device is sealed under keys that only the devices have ([`SyncKeys`], made of the [`AccountKey`] behind the sync
//! code). A [`Round`] sends and receives; the [`Driver`] says when there is one.

mod clock;
mod merge;

mod code;
mod payload;
mod seal;

mod account;
mod driver;
mod error;
mod kept_key;
mod round;
mod state;

#[cfg(any(test, feature = "contract"))]
pub mod contract;
#[cfg(any(test, feature = "contract"))]
pub mod simulator;

pub use account::{DeviceEntry, Membership};
pub use clock::{Stamp, StampError};
pub use code::{AccountKey, CodeError, CodePicture};
pub use driver::{Driver, DriverEffect, DriverEvent, DriverView, RoundNumber, RoundOutcome};
pub use error::{NotReached, SyncError, WayOn};
pub use kept_key::KeptKey;
pub use merge::{Incoming, Theirs, merge};
pub use round::{Progress, Round, SyncLimits, SyncServer, Synced};
pub use seal::{Binding, NotOpened, SEAL_BYTES, SyncKeys};
pub use state::SyncState;
