//! What differs between two workspaces.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::files::{collect, join};
use super::trees::Walk;
use super::{Entry, FileEntry, Files, Tree, Trees, WorkspaceError, WorkspacePath};
use crate::digest::BlobId;

/// What differs, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Files that only the second has.
    pub added: Files,
    /// Files that both have, with other contents.
    pub changed: BTreeMap<WorkspacePath, Change>,
    /// Files that only the first has.
    pub deleted: Files,
}

/// The contents of a file in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// In the first.
    pub before: FileEntry,
    /// In the second.
    pub after: FileEntry,
}

impl Diff {
    /// Whether both are the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.deleted.is_empty()
    }
}

/// What has to be done to the first workspace to get the second. Folders that are equal are not looked at, so this costs what
/// differs; it is also what a cage needs to go from one state to another (R033, R038).
pub fn diff(trees: &Trees, before: BlobId, after: BlobId) -> Result<Diff, WorkspaceError> {
    let mut walk = Walk::over(trees);
    let mut diff = Diff::default();
    if before != after
        && let (Some(one), Some(other)) = (walk.root(before)?, walk.root(after)?)
    {
        compare(&mut walk, (before, one), (after, other), "", &mut diff)?;
    }
    walk.finish(diff)
}

fn compare<'t>(
    walk: &mut Walk<'t>,
    before: (BlobId, &'t Tree),
    after: (BlobId, &'t Tree),
    above: &str,
    diff: &mut Diff,
) -> Result<(), WorkspaceError> {
    let names: BTreeSet<&str> = before.1.entries().chain(after.1.entries()).map(|(name, _)| name).collect();
    for name in names {
        let (was, is) = (before.1.get(name), after.1.get(name));
        if was == is {
            continue;
        }
        let path = join(if is.is_some() { after.0 } else { before.0 }, above, name)?;
        match (was, is) {
            (Some(Entry::File(before)), Some(Entry::File(after))) => {
                diff.changed.insert(path, Change { before, after });
            }
            (Some(Entry::Tree(one)), Some(Entry::Tree(other))) => {
                let opened = (walk.folder(one)?, walk.folder(other)?);
                if let (Some(was), Some(is)) = opened {
                    compare(walk, (one.sha256, was), (other.sha256, is), &format!("{path}/"), diff)?;
                }
            }
            (was, is) => {
                all_of(walk, was, &path, &mut diff.deleted)?;
                all_of(walk, is, &path, &mut diff.added)?;
            }
        }
    }
    Ok(())
}

fn all_of(
    walk: &mut Walk<'_>,
    entry: Option<Entry>,
    path: &WorkspacePath,
    files: &mut Files,
) -> Result<(), WorkspaceError> {
    match entry {
        None => {}
        Some(Entry::File(file)) => {
            files.insert(path.clone(), file);
        }
        Some(Entry::Tree(folder)) => {
            if let Some(tree) = walk.folder(folder)? {
                collect(walk, folder.sha256, tree, &format!("{path}/"), files)?;
            }
        }
    }
    Ok(())
}
