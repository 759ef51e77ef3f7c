//! What a built-in tool sees of a workspace, and what it does to it.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::near::near;
use super::{BuiltinLimits, Failure};
use crate::digest::BlobId;
use crate::store::{Blob, Store};
use crate::time::Timestamp;
use crate::workspace::{Changes, ContentKind, FileEntry, Files, WorkspacePath, files_at};

/// The files of a workspace before a call, and what the call does to them. Contents are read when they are asked for, one file at a time,
/// and are told only after they were found to be those their name stands for.
pub struct View<'a, S> {
    store: &'a S,
    pub(super) files: &'a Files,
    pub(super) limits: &'a BuiltinLimits,
    /// The time, for what could take long.
    pub(super) now: &'a dyn Fn() -> Timestamp,
    changes: Changes,
    contents: Vec<Blob>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// Its result, an object.
    pub result: Value,
    /// What to do to the files.
    pub changes: Changes,
    /// The contents that the changes name and that may be new.
    pub contents: Vec<Blob>,
}

/// Reads the arguments of a tool.
pub(super) fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    serde_json::from_value(arguments).map_err(|error| Failure::Arguments(error.to_string()))
}

impl<'a, S: Store> View<'a, S> {
    /// A view of these files, whose contents are in the store.
    #[must_use]
    pub fn new(store: &'a S, files: &'a Files, limits: &'a BuiltinLimits, now: &'a dyn Fn() -> Timestamp) -> Self {
        Self { store, files, limits, now, changes: Changes::default(), contents: Vec::new() }
    }

    pub(super) fn done(self, result: Value) -> Done {
        Done { result, changes: self.changes, contents: self.contents }
    }

    /// The file at a path.
    pub(super) fn file(&self, path: &WorkspacePath) -> Result<FileEntry, Failure> {
        if let Some(file) = self.files.get(path) {
            return Ok(*file);
        }
        let files = files_at(self.files, path).count();
        Err(if files > 0 { Failure::IsFolder { path: path.clone(), files } } else { self.not_found(path) })
    }

    /// That there is nothing at a path, with the names of what may have been meant.
    pub(super) fn not_found(&self, path: &WorkspacePath) -> Failure {
        Failure::NotFound {
            path: path.clone(),
            near: near(path.as_str(), self.files.keys().map(WorkspacePath::as_str)),
        }
    }

    /// The bytes of a file.
    pub(super) async fn bytes(&self, path: &WorkspacePath, file: FileEntry) -> Result<Vec<u8>, Failure> {
        let found = self.store.blob(file.sha256).await?;
        found.filter(|bytes| BlobId::of(bytes) == file.sha256).ok_or_else(|| Failure::Damaged(path.clone()))
    }

    /// The text of a file that is worked on whole.
    pub(super) async fn text(&self, path: &WorkspacePath) -> Result<String, Failure> {
        let file = self.file(path)?;
        let limit = self.limits.text_bytes;
        if file.size > limit {
            return Err(Failure::TooLarge { path: path.clone(), size: file.size, limit });
        }
        let bytes = self.bytes(path, file).await?;
        let kind = match ContentKind::of(path, &bytes) {
            ContentKind::Text | ContentKind::DrawnText(_) => {
                return Ok(String::from_utf8(bytes).expect("a text is UTF-8"));
            }
            ContentKind::Picture(media_type) => media_type,
            ContentKind::Bytes => "binary",
        };
        Err(Failure::NotText { path: path.clone(), kind, size: file.size })
    }

    /// Puts a file with this content.
    pub(super) fn put(&mut self, path: WorkspacePath, content: impl Into<Vec<u8>>) -> Result<FileEntry, Failure> {
        if path.is_left_out() {
            return Err(Failure::LeftOut(path));
        }
        let blob = Blob::new(content.into());
        let file = FileEntry { sha256: blob.id(), size: blob.bytes().len() as u64 };
        self.contents.push(blob);
        self.change(|changes| changes.put(path, file));
        Ok(file)
    }

    /// Changes the files by name alone.
    pub(super) fn change(&mut self, change: impl FnOnce(Changes) -> Changes) {
        self.changes = change(std::mem::take(&mut self.changes));
    }

    /// How many entries a list may have, where so many are asked for.
    pub(super) fn entries(&self, asked: Option<usize>) -> usize {
        asked.unwrap_or(self.limits.usual_entries).min(self.limits.most_entries)
    }
}

/// A path that is left out, empty or `.` is the top folder; one slash at the end is no harm.
pub(super) fn folder(path: Option<&str>) -> Result<Option<WorkspacePath>, Failure> {
    let path = path.unwrap_or_default();
    let path = relative(path.strip_suffix('/').unwrap_or(path));
    if matches!(path, "" | "." | "/workspace") {
        return Ok(None);
    }
    Ok(Some(WorkspacePath::parse(path)?))
}

/// The path of a file.
pub(super) fn path(text: &str) -> Result<WorkspacePath, Failure> {
    Ok(WorkspacePath::parse(relative(text))?)
}

/// A model often writes a path as it would in a shell, from `./` or from the folder that Python sees.
fn relative(path: &str) -> &str {
    path.strip_prefix("./").or_else(|| path.strip_prefix("/workspace/")).unwrap_or(path)
}

/// Whether a file is in a folder, at any depth; every file is in the top folder.
pub(super) fn is_in(path: &WorkspacePath, folder: Option<&WorkspacePath>) -> bool {
    let Some(folder) = folder else { return true };
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

/// The path below a folder.
pub(super) fn below<'p>(path: &'p WorkspacePath, folder: Option<&WorkspacePath>) -> &'p str {
    match folder {
        None => path.as_str(),
        Some(folder) => path.as_str().strip_prefix(folder.as_str()).map_or(path.as_str(), |rest| &rest[1..]),
    }
}
