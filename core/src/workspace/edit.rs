//! Making trees: from nothing, or from others by what changed.

use std::collections::{BTreeMap, BTreeSet};

use super::case::collisions;
use super::tree::{MOST_FILES, write};
use super::trees::Walk;
use super::{
    Diff, Entry, FileEntry, Files, Folder, LimitError, Totals, Tree, Trees, WorkspaceError, WorkspaceLimits,
    WorkspacePath, empty_root, files_at,
};
use crate::digest::BlobId;
use crate::store::Blob;

/// What to do to a workspace. First everything to be deleted goes, then what is put is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    puts: Files,
    deletes: BTreeSet<WorkspacePath>,
}

/// The trees of a workspace, as far as they are new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The tree of the top folder.
    pub root: BlobId,
    /// The trees that were not there before, to be stored with the manifest.
    pub trees: Vec<Blob>,
    /// The contents that were put, which must be stored by then.
    pub contents: BTreeSet<BlobId>,
    /// How much there is now.
    pub totals: Totals,
}

impl Changes {
    /// Puts a file, in place of an older one at this path. By-products of Python are left out (C60).
    #[must_use]
    pub fn put(mut self, path: WorkspacePath, file: FileEntry) -> Self {
        if !path.is_left_out() {
            self.puts.insert(path, file);
        }
        self
    }

    /// Deletes a file, or a folder with everything in it. It is no error if there is neither.
    #[must_use]
    pub fn delete(mut self, path: WorkspacePath) -> Self {
        self.deletes.insert(path);
        self
    }

    /// The paths at which something is put.
    pub fn puts(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.puts.keys()
    }

    /// The file that is at a path after these changes, in a workspace that had these files before.
    #[must_use]
    pub fn file_after(&self, path: &WorkspacePath, before: &Files) -> Option<FileEntry> {
        let is_at = |deleted: &WorkspacePath| {
            let below = path.as_str().strip_prefix(deleted.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let gone = || self.deletes.iter().any(is_at);
        self.puts.get(path).or_else(|| before.get(path).filter(|_| !gone())).copied()
    }

    /// The paths at which something is put or deleted.
    pub fn paths(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.puts.keys().chain(&self.deletes)
    }

    /// What takes these changes back, in a workspace that had these files before; those at [`Self::paths`] are enough. What else
    /// was done since stays.
    #[must_use]
    pub fn undo(&self, before: &Files) -> Self {
        let added = self.puts.keys().filter(|path| !before.contains_key(*path));
        let undone = added.fold(Self::default(), |undone, path| undone.delete(path.clone()));
        let gone = self.deletes.iter().flat_map(|path| files_at(before, path));
        let replaced = self.puts.keys().filter_map(|path| before.get_key_value(path));
        gone.chain(replaced).fold(undone, |undone, (path, file)| undone.put(path.clone(), *file))
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.puts.is_empty() && self.deletes.is_empty()
    }
}

impl From<&Diff> for Changes {
    fn from(diff: &Diff) -> Self {
        let changed = diff.changed.iter().map(|(path, change)| (path, &change.after));
        let puts = diff.added.iter().chain(changed);
        let changes = diff.deleted.keys().fold(Self::default(), |changes, path| changes.delete(path.clone()));
        puts.fold(changes, |changes, (path, file)| changes.put(path.clone(), *file))
    }
}

/// Makes the trees of a workspace that consists of these files.
pub fn build(files: &Files, limits: &WorkspaceLimits) -> Result<Snapshot, WorkspaceError> {
    let changes = files.iter().fold(Changes::default(), |changes, (path, file)| changes.put(path.clone(), *file));
    edit(&Trees::default(), empty_root(), &changes, limits)
}

/// Makes the trees of a workspace as it is after these changes. Only the folders on the way to a change are read and written;
/// where nothing changes in effect, the root is the same and there are no new trees (R036).
pub fn edit(
    trees: &Trees,
    root: BlobId,
    changes: &Changes,
    limits: &WorkspaceLimits,
) -> Result<Snapshot, WorkspaceError> {
    for (path, file) in &changes.puts {
        limits.check_file(path, *file)?;
    }
    let mut editor = Editor { walk: Walk::over(trees), written: BTreeMap::new() };
    let before = editor.walk.root(root)?;
    let after = editor.rewrite(before, &Step::of(changes), "")?;
    let Editor { walk, mut written } = editor;
    walk.finish(())?;

    let before = before.expect("nothing was missing");
    let (root, totals) = match after {
        Rewritten::Same => (root, before.totals()),
        Rewritten::Folder(folder) => (folder.sha256, folder.totals),
        Rewritten::Nothing => {
            let (folder, blob) = write(&BTreeMap::new()).expect("no files are not too many");
            written.insert(folder.sha256, blob);
            (folder.sha256, folder.totals)
        }
    };
    limits.check_totals(before.totals(), totals)?;
    let contents = changes.puts.values().map(|file| file.sha256).collect();
    Ok(Snapshot { root, trees: written.into_values().collect(), contents, totals })
}

/// The changes at one name and below it.
#[derive(Default)]
struct Step<'c> {
    delete: bool,
    put: Option<FileEntry>,
    below: BTreeMap<&'c str, Step<'c>>,
}

impl<'c> Step<'c> {
    fn of(changes: &'c Changes) -> Self {
        let mut top = Self::default();
        for path in &changes.deletes {
            top.at(path).delete = true;
        }
        for (path, file) in &changes.puts {
            top.at(path).put = Some(*file);
        }
        top
    }

    fn at(&mut self, path: &'c WorkspacePath) -> &mut Self {
        path.names().fold(self, |step, name| step.below.entry(name).or_default())
    }
}

/// What became of a folder.
enum Rewritten {
    Same,
    Folder(Folder),
    Nothing,
}

struct Editor<'t> {
    walk: Walk<'t>,
    written: BTreeMap<BlobId, Blob>,
}

impl<'t> Editor<'t> {
    /// Applies the steps below one folder; no tree means that there is no such folder yet, or that it has to be loaded first, in
    /// which case the result will not be used.
    fn rewrite(&mut self, tree: Option<&'t Tree>, step: &Step<'_>, above: &str) -> Result<Rewritten, WorkspaceError> {
        let mut entries: BTreeMap<&str, Entry> = tree.map(|tree| tree.entries().collect()).unwrap_or_default();
        // Sorted, as the steps are.
        let mut added = Vec::new();
        for (name, step) in &step.below {
            let was = entries.get(name).copied();
            match self.entry(was, step, &format!("{above}{name}"))? {
                Some(entry) => {
                    entries.insert(name, entry);
                    if was.is_none() {
                        added.push(*name);
                    }
                }
                None => {
                    entries.remove(name);
                }
            }
        }
        if tree.is_some_and(|tree| tree.entries().eq(entries.iter().map(|(name, entry)| (*name, *entry)))) {
            return Ok(Rewritten::Same);
        }
        if entries.is_empty() {
            return Ok(Rewritten::Nothing);
        }
        refuse_case_collision(&entries, &added, above)?;
        let too_many = LimitError::Files { files: MOST_FILES + 1, limit: MOST_FILES };
        let (folder, blob) = write(&entries).ok_or(too_many)?;
        self.written.insert(folder.sha256, blob);
        Ok(Rewritten::Folder(folder))
    }

    fn entry(&mut self, was: Option<Entry>, step: &Step<'_>, path: &str) -> Result<Option<Entry>, WorkspaceError> {
        let was = was.filter(|_| !step.delete);
        let conflict = || WorkspaceError::FileAndFolder { path: path.to_owned() };
        let below = match was {
            _ if step.below.is_empty() => match was {
                Some(Entry::Tree(folder)) => Some(folder),
                Some(Entry::File(_)) | None => None,
            },
            Some(Entry::Tree(folder)) => {
                let tree = self.walk.folder(folder)?;
                match self.rewrite(tree, step, &format!("{path}/"))? {
                    Rewritten::Same => Some(folder),
                    Rewritten::Folder(folder) => Some(folder),
                    Rewritten::Nothing => None,
                }
            }
            Some(Entry::File(_)) | None => match self.rewrite(None, step, &format!("{path}/"))? {
                Rewritten::Folder(folder) => Some(folder),
                Rewritten::Same | Rewritten::Nothing => None,
            },
        };
        let file = step.put.or(match was {
            Some(Entry::File(file)) => Some(file),
            Some(Entry::Tree(_)) | None => None,
        });
        match (file, below) {
            (Some(_), Some(_)) => Err(conflict()),
            (Some(file), None) => Ok(Some(Entry::File(file))),
            (None, folder) => Ok(folder.map(Entry::Tree)),
        }
    }
}

/// Refuses new names that differ from another one of their folder by case only. Names that are there already are left in peace:
/// what counts as the same letter changes with the version of Unicode, and stored trees do not.
fn refuse_case_collision(entries: &BTreeMap<&str, Entry>, added: &[&str], above: &str) -> Result<(), WorkspaceError> {
    if added.is_empty() {
        return Ok(());
    }
    let is_new = |name: &str| added.binary_search(&name).is_ok();
    match collisions(entries.keys().copied()).find(|(one, other)| is_new(one) || is_new(other)) {
        None => Ok(()),
        Some((one, other)) => {
            let [first, second] = [one, other].map(|name| format!("{above}{name}"));
            Err(WorkspaceError::CaseCollision { first, second })
        }
    }
}

#[cfg(test)]
mod tests;
