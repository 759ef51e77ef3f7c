//! How much room there is, and asking the browser to leave it to us.

pub(crate) use crate::browser::storage::{StorageSummary, persist as ask_to_persist, summary};
