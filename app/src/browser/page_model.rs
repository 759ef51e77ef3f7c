//! Models that run in the page: their files on this device, and llama.cpp that runs them.
//!
//! The files are in the browser's own file system for this site (OPFS), where they can be as large as the disk allows. The page brings
//! them in and lists them; a model runs in the tools' worker, where whoever answers a chat [asks](ask) it.

mod engine;
mod file_system;
mod means;
mod shelf;

pub(crate) use engine::ask;
pub(crate) use means::{Means, means};
pub(crate) use shelf::{Progress, ShelfError, add, delete, list, receive};

/// Where the files of this build are that run a model.
const FOLDER: &str = "/vendor/page-model-";
