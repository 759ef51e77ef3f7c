//! What the tests of this module share: short ways to write files, ids and stores.

use std::collections::BTreeMap;

use super::{FileEntry, Files, Rows, Snapshot, Trees, WorkspaceError, WorkspaceLimits, WorkspacePath, build};
use crate::at_once::at_once;
use crate::digest::BlobId;
use crate::ids::{ChatId, DeviceId, ManifestId, MessageId, ToolCallId};
use crate::record::{RowRef, Table};
use crate::store::{Blob, Commit, MemoryStore, Store as _};
use crate::sync::Stamp;
use crate::time::Timestamp;

pub(super) const LIMITS: WorkspaceLimits = WorkspaceLimits { file_bytes: 1_000, workspace_bytes: 10_000, files: 1_000 };

pub(super) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).expect("is a path")
}

pub(super) fn file(content: &str) -> FileEntry {
    FileEntry { sha256: BlobId::of(content.as_bytes()), size: content.len() as u64 }
}

/// Files from paths and contents.
pub(super) fn files(contents: &[(&str, &str)]) -> Files {
    contents.iter().map(|(at, content)| (path(at), file(content))).collect()
}

/// The blobs of those contents.
pub(super) fn contents(contents: &[(&str, &str)]) -> Vec<Blob> {
    contents.iter().map(|(_, content)| Blob::new(content.as_bytes().to_vec())).collect()
}

pub(super) fn built(files: &Files) -> Snapshot {
    build(files, &LIMITS).expect("are proper files")
}

/// Takes the trees of snapshots, as if they had been loaded.
pub(super) fn trees(snapshots: &[&Snapshot]) -> Trees {
    let mut trees = Trees::default();
    for blob in snapshots.iter().flat_map(|snapshot| &snapshot.trees) {
        trees.insert(blob.id(), Some(blob.bytes()));
    }
    trees
}

macro_rules! numbered {
    ($($name:ident -> $id:ident)*) => {
        $(
            pub(super) fn $name(number: u32) -> $id {
                $id::parse(format!("00000000-0000-7000-8000-{number:012}")).expect("is a UUID")
            }
        )*
    };
}
numbered! { chat_id -> ChatId message_id -> MessageId manifest_id -> ManifestId call_id -> ToolCallId }

/// A store with handy ways to look into it.
pub(super) struct TestStore(pub(super) MemoryStore);

impl TestStore {
    pub(super) fn new() -> Self {
        let device = DeviceId::parse("00000000-0000-7000-8000-000000000000").expect("is a UUID");
        Self(MemoryStore::new(device))
    }

    pub(super) fn apply(&self, commit: Commit) -> Stamp {
        at_once(self.0.apply(commit, Timestamp::from_millis(1))).expect("the commit fits")
    }

    pub(super) fn rows(&self) -> Rows {
        let mut rows = Rows::new();
        for table in Table::ALL {
            let stored = at_once(self.0.rows(table)).expect("memory does not fail");
            rows.extend(stored.into_iter().map(|(key, stored)| (RowRef { table, key }, stored)));
        }
        rows
    }

    /// Asks with the trees that are stored.
    pub(super) fn read<T>(&self, ask: impl FnMut(&Trees) -> Result<T, WorkspaceError>) -> Result<T, super::ReadError> {
        at_once(super::read(&self.0, &mut Trees::default(), ask))
    }

    /// The contents of files, as a cage would be given them.
    pub(super) fn materialise(&self, root: BlobId) -> BTreeMap<String, Vec<u8>> {
        let files = self.read(|trees| super::flatten(trees, root)).expect("the workspace is sound");
        let bytes =
            |file: FileEntry| at_once(self.0.blob(file.sha256)).expect("memory does not fail").expect("is stored");
        files.into_iter().map(|(path, file)| (path.into(), bytes(file))).collect()
    }
}
