//! A workspace as its files by path.

use std::collections::BTreeMap;

use super::trees::Walk;
use super::{Entry, FileEntry, Tree, TreeFault, Trees, WorkspaceError, WorkspacePath};
use crate::digest::BlobId;

/// The files of a workspace by path.
pub type Files = BTreeMap<WorkspacePath, FileEntry>;

/// All files of a workspace.
pub fn flatten(trees: &Trees, root: BlobId) -> Result<Files, WorkspaceError> {
    let mut walk = Walk::over(trees);
    let mut files = Files::new();
    if let Some(tree) = walk.root(root)? {
        collect(&mut walk, root, tree, "", &mut files)?;
    }
    walk.finish(files)
}

/// The file at a path, if there is one. Only the folders on the way are looked at.
pub fn find(trees: &Trees, root: BlobId, path: &WorkspacePath) -> Result<Option<FileEntry>, WorkspaceError> {
    let mut walk = Walk::over(trees);
    let mut tree = walk.root(root)?;
    let mut found = None;
    for name in path.names() {
        found = None;
        match tree.take().and_then(|tree| tree.get(name)) {
            Some(Entry::File(file)) => found = Some(file),
            Some(Entry::Tree(folder)) => tree = walk.folder(folder)?,
            None => break,
        }
    }
    walk.finish(found)
}

/// Adds the files in a tree; `above` is the path of its folder with a slash, or nothing at the top.
pub(super) fn collect<'t>(
    walk: &mut Walk<'t>,
    id: BlobId,
    tree: &'t Tree,
    above: &str,
    files: &mut Files,
) -> Result<(), WorkspaceError> {
    for (name, entry) in tree.entries() {
        match entry {
            Entry::File(file) => {
                files.insert(join(id, above, name)?, file);
            }
            Entry::Tree(folder) => {
                let path = join(id, above, name)?;
                if let Some(tree) = walk.folder(folder)? {
                    collect(walk, folder.sha256, tree, &format!("{path}/"), files)?;
                }
            }
        }
    }
    Ok(())
}

/// The path of a name in a folder. Each name is sound, but the whole may be too long or too deep.
pub(super) fn join(tree: BlobId, above: &str, name: &str) -> Result<WorkspacePath, WorkspaceError> {
    WorkspacePath::parse(format!("{above}{name}"))
        .map_err(|_too_long| WorkspaceError::Damaged { tree, fault: TreeFault::Paths })
}
