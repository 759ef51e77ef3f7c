//! Why a workspace could not be read or changed.

use super::{LimitError, TreeFault};
use crate::digest::BlobId;

/// What the functions over workspaces fail with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// These trees are needed first. Not a failure: [`read`](super::read) loads them and asks again.
    #[error("{} folders have to be loaded first", .0.len())]
    Missing(Vec<BlobId>),
    /// A tree cannot be read.
    #[error("a folder of this workspace is damaged: {fault}; run the storage check in Settings (tree {tree})")]
    Damaged {
        /// The tree.
        tree: BlobId,
        /// What is wrong with it.
        fault: TreeFault,
    },
    /// A path would be a file and a folder at once.
    #[error("{path:?} would be a file and a folder at once; rename or delete one of them")]
    FileAndFolder {
        /// The path.
        path: String,
    },
    /// Two paths differ only by case, which many systems cannot keep apart.
    #[error("{first:?} and {second:?} differ only in upper and lower case; rename one of them")]
    CaseCollision {
        /// The one that sorts first.
        first: String,
        /// The other.
        second: String,
    },
    /// A limit was met.
    #[error(transparent)]
    Limit(#[from] LimitError),
}
