//! What lets two devices hold the same data and agree.
//!
//! So far the clock alone: every row carries its stamps from the first day, so that data written before a device ever syncs
//! can still be merged.

mod clock;

pub use clock::{Stamp, StampError};
