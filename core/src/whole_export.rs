//! Whole exports: a chat with everything that belongs to it, or everything there is, as one ZIP (R310).
//!
//! Out: [`pack`] gathers the rows, finds the bytes that they name, and writes the archive piece by piece; equal state gives equal
//! bytes. In: [`Opened::open`] finds the whole archive right before anything is written, [`Opened::contents`] says what is in it, and [`take`]
//! merges it with what is here: bytes first, then all rows in one commit. A refusal or a stop at any step leaves nothing behind but
//! bytes that nothing names, which the clean-up frees.
//!
//! No secret is in an export, since no row has one (I8), and no row that belongs to the device alone.

mod closed;
mod error;
mod gather;
mod layout;
mod limits;
mod line;
mod open;
mod pack;
mod reminder;
mod restrained;
mod take;
#[cfg(test)]
mod tests;

pub use error::{PackError, Refusal, TakeError};
pub use gather::Extent;
pub use layout::{ABOUT_FILE, About, Kind, Lack};
pub use limits::WholeExportLimits;
pub use open::{ChatLine, Contents, Opened, ToolsetLine};
pub use pack::{Packed, Packing, pack};
pub use reminder::{note_export, remind};
pub use take::{Taken, Taking, take};

use crate::bundle::archive;

/// Whether these bytes are a whole export, as far as can be seen without reading it: an archive with a file that says so.
#[must_use]
pub fn is_whole_export(bytes: &[u8]) -> bool {
    let found = || archive::read_one(bytes, &|path| path == ABOUT_FILE, limits::ABOUT_BYTES);
    archive::is_archive(bytes) && matches!(found(), Ok(Some(_)))
}
