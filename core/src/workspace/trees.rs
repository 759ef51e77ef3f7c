//! The folders read so far, and the loop that reads those that are lacking.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::write;
use super::{Folder, Tree, TreeFault, WorkspaceError};
use crate::digest::BlobId;
use crate::store::{Store, StoreError};

/// Trees by name, each checked when it came in. One that could not be read is remembered as such.
#[derive(Clone, Debug, Default)]
pub struct Trees(BTreeMap<BlobId, Result<Tree, TreeFault>>);

/// The root of a workspace without files.
#[must_use]
pub fn empty_root() -> BlobId {
    write(&BTreeMap::new()).expect("no files are not too many").0.sha256
}

impl Trees {
    /// Takes what is stored under a name, or that there is nothing; bytes from storage are not trusted.
    pub fn insert(&mut self, id: BlobId, bytes: Option<&[u8]>) {
        let tree = match bytes {
            None => Err(TreeFault::Absent),
            Some(bytes) if BlobId::of(bytes) != id => Err(TreeFault::Altered),
            Some(bytes) => Tree::parse(bytes),
        };
        self.0.insert(id, tree);
    }

    /// How many were looked at.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a tree was looked at, be it sound or not.
    #[must_use]
    pub fn knows(&self, id: BlobId) -> bool {
        self.0.contains_key(&id)
    }
}

/// One walk over trees, which collects what it lacks instead of stopping at the first.
pub(super) struct Walk<'t> {
    trees: &'t Trees,
    empty: (BlobId, &'t Tree),
    missing: BTreeSet<BlobId>,
}

impl<'t> Walk<'t> {
    pub(super) fn over(trees: &'t Trees) -> Self {
        static EMPTY: Tree = Tree::EMPTY;
        Self { trees, empty: (empty_root(), &EMPTY), missing: BTreeSet::new() }
    }

    /// The tree of a top folder; nothing where it has to be loaded first.
    pub(super) fn root(&mut self, id: BlobId) -> Result<Option<&'t Tree>, WorkspaceError> {
        match self.trees.0.get(&id) {
            Some(Ok(tree)) => Ok(Some(tree)),
            // Known without being stored, so that a chat without files needs no blob.
            _ if id == self.empty.0 => Ok(Some(self.empty.1)),
            Some(Err(fault)) => Err(WorkspaceError::Damaged { tree: id, fault: fault.clone() }),
            None => {
                self.missing.insert(id);
                Ok(None)
            }
        }
    }

    /// The tree of a folder within another; nothing where it has to be loaded first.
    ///
    /// That it holds what the folder above says is checked here, before anything is done with it: this is what keeps
    /// trees that name each other many times from being walked for ever.
    pub(super) fn folder(&mut self, folder: Folder) -> Result<Option<&'t Tree>, WorkspaceError> {
        let tree = self.root(folder.sha256)?;
        if tree.is_some_and(|tree| tree.totals() != folder.totals) {
            return Err(WorkspaceError::Damaged { tree: folder.sha256, fault: TreeFault::Totals });
        }
        Ok(tree)
    }

    /// The result, if nothing was lacking.
    pub(super) fn finish<T>(self, result: T) -> Result<T, WorkspaceError> {
        if self.missing.is_empty() {
            return Ok(result);
        }
        Err(WorkspaceError::Missing(self.missing.into_iter().collect()))
    }
}

/// What [`read`] can fail with.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The workspace cannot be read, or not be changed so.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Does something that needs trees: loads those it lacks from the store and asks again, at most once for each level of folders.
pub async fn read<T>(
    store: &impl Store,
    trees: &mut Trees,
    mut ask: impl FnMut(&Trees) -> Result<T, WorkspaceError>,
) -> Result<T, ReadError> {
    loop {
        match ask(trees) {
            Ok(answer) => return Ok(answer),
            Err(WorkspaceError::Missing(ids)) => {
                for (id, bytes) in ids.iter().zip(store.blobs(&ids).await?) {
                    trees.insert(*id, bytes.as_deref());
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
}
