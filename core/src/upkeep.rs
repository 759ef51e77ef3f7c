//! The upkeep of what is stored: freeing what nobody can bring back any more, mending what is broken, and saying what takes how much
//! room (R311).
//!
//! All of it works on a living store, while other tabs go on writing. What it decides from one reading is therefore always checked
//! again by the commit that does it.

mod clean_up;
mod mend;
#[cfg(test)]
mod sample;
mod usage;

pub use clean_up::{Cleaned, UndoLimits, clean_up, purge_deleted_chat};
pub use mend::{Mended, export, mend, remove};
pub use usage::{Amount, Usage, usage};
