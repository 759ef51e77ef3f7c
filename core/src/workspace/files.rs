//! A workspace as its files by path.

use std::collections::{BTreeMap, BTreeSet};

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
    let found = match entry_at(&mut walk, root, path)? {
        Some(Entry::File(file)) => Some(file),
        Some(Entry::Tree(_)) | None => None,
    };
    walk.finish(found)
}

/// The files at some paths: a file itself, or everything in a folder. Only the folders on the way there and those below are
/// looked at, so it costs what is asked for and not what is there.
pub fn gather<'p>(
    trees: &Trees,
    root: BlobId,
    paths: impl IntoIterator<Item = &'p WorkspacePath>,
) -> Result<Files, WorkspaceError> {
    let mut walk = Walk::over(trees);
    let mut files = Files::new();
    for path in paths {
        match entry_at(&mut walk, root, path)? {
            Some(Entry::File(file)) => {
                files.insert(path.clone(), file);
            }
            Some(Entry::Tree(folder)) => {
                if let Some(tree) = walk.folder(folder)? {
                    collect(&mut walk, folder.sha256, tree, &format!("{path}/"), &mut files)?;
                }
            }
            None => {}
        }
    }
    walk.finish(files)
}

/// The names of files and folders in the folder that a path is in, in lower case.
pub fn names_beside(trees: &Trees, root: BlobId, path: &WorkspacePath) -> Result<BTreeSet<String>, WorkspaceError> {
    let mut walk = Walk::over(trees);
    let folder = folder_of(&mut walk, root, path)?;
    let names = folder.into_iter().flat_map(Tree::entries).map(|(name, _)| name.to_lowercase()).collect();
    walk.finish(names)
}

/// The folder that a path is in; nothing where there is none, or where it has to be loaded first.
fn folder_of<'t>(walk: &mut Walk<'t>, root: BlobId, path: &WorkspacePath) -> Result<Option<&'t Tree>, WorkspaceError> {
    let mut tree = walk.root(root)?;
    let mut names = path.names();
    names.next_back();
    for name in names {
        tree = match tree.and_then(|tree| tree.get(name)) {
            Some(Entry::Tree(folder)) => walk.folder(folder)?,
            Some(Entry::File(_)) | None => None,
        };
    }
    Ok(tree)
}

fn entry_at(walk: &mut Walk<'_>, root: BlobId, path: &WorkspacePath) -> Result<Option<Entry>, WorkspaceError> {
    Ok(folder_of(walk, root, path)?.and_then(|tree| tree.get(path.name())))
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
