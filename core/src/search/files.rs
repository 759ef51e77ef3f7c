//! The files at the ends of a chat's branches.
//!
//! Of every branch the last state counts: what a file was in between is history, and the pane of files has a view of that.

use std::collections::{BTreeMap, BTreeSet};

use super::library::{ChatEntry, Library, Shelves, Text};
use super::reading::rows_of;
use crate::digest::BlobId;
use crate::ids::{ChatId, ManifestId};
use crate::record::{Node, RowKey, RowRef, WorkspaceManifest};
use crate::store::{Store, StoreError};
use crate::workspace::{Files, ReadError, Trees, flatten, read};

/// A file at the end of a branch.
pub(super) struct FileAt {
    pub(super) path: String,
    /// The number of its path as a text.
    pub(super) name: u32,
    pub(super) sha256: BlobId,
    /// The number of its contents as a text, where they were looked into.
    pub(super) content: Option<u32>,
    /// The end of the branch, of several the latest.
    pub(super) node: Node,
}

/// So many branches of a chat are looked at, the latest first.
const MOST_BRANCHES: usize = 50;
/// So many contents are read at once.
const AT_ONCE: usize = 16;

impl Library {
    /// Reads the files of the chats in which a branch ends with another state than before.
    pub(super) async fn read_files(&self, store: &impl Store) -> Result<(), StoreError> {
        let changed = self.shelves.borrow().changed_states();
        let mut trees = Trees::default();
        for (chat, states) in changed {
            let rows: Vec<RowRef> =
                states.iter().map(|(_, id)| RowRef::to::<WorkspaceManifest>(RowKey::one(id.as_str()))).collect();
            let mut found: BTreeMap<(String, BlobId), (Node, u64)> = BTreeMap::new();
            for ((node, _), (row, stored)) in states.iter().zip(rows.iter().zip(rows_of(store, &rows).await?)) {
                let Some(manifest) = stored.and_then(|stored| stored.record::<WorkspaceManifest>(row).ok()) else {
                    continue;
                };
                let files: Files = match read(store, &mut trees, |trees| flatten(trees, manifest.root)).await {
                    Ok(files) => files,
                    // The storage check tells of it; here the other states go on.
                    Err(ReadError::Workspace(_)) => continue,
                    Err(ReadError::Store(error)) => return Err(error),
                };
                for (path, file) in files {
                    found.entry((path.to_string(), file.sha256)).or_insert((node.clone(), file.size));
                }
            }
            self.read_contents(store, found.iter().map(|((_, id), (_, size))| (*id, *size))).await?;
            self.shelves.borrow_mut().take_files(&chat, states, found, self.limits.files);
        }
        Ok(())
    }

    /// Looks into the contents that are texts, new and not too large, as long as there is room.
    async fn read_contents(
        &self,
        store: &impl Store,
        contents: impl Iterator<Item = (BlobId, u64)>,
    ) -> Result<(), StoreError> {
        let mut unread = Vec::new();
        {
            let mut shelves = self.shelves.borrow_mut();
            for (id, size) in contents {
                let is_wanted = size > 0 && size <= self.limits.content_bytes && !shelves.contents.contains_key(&id);
                if is_wanted && shelves.contents_bytes + size <= self.limits.contents_bytes {
                    shelves.contents_bytes += size;
                    shelves.contents.insert(id, None);
                    unread.push(id);
                }
            }
        }
        for ids in unread.chunks(AT_ONCE) {
            let found = store.blobs(ids).await?;
            let mut shelves = self.shelves.borrow_mut();
            for (id, bytes) in ids.iter().zip(found) {
                let sound = bytes.filter(|bytes| !bytes.contains(&0) && BlobId::of(bytes) == *id);
                if let Some(text) = sound.and_then(|bytes| String::from_utf8(bytes).ok()) {
                    let number = shelves.add(&text, Text::Part, text.len());
                    shelves.contents.insert(*id, Some(number));
                }
            }
        }
        Ok(())
    }
}

impl Shelves {
    /// The states at the ends of each chat's branches, of those chats where they are not what they were; the latest chats first.
    fn changed_states(&self) -> Vec<(ChatId, Vec<(Node, ManifestId)>)> {
        let mut chats: Vec<(&ChatId, &ChatEntry)> = self.chats.iter().collect();
        chats.sort_by_key(|(_, chat)| std::cmp::Reverse(chat.modified_at));
        let states = chats.into_iter().map(|(id, chat)| (id, chat, self.states_of(chat)));
        states.filter(|(_, chat, states)| chat.states != *states).map(|(id, _, states)| (id.clone(), states)).collect()
    }

    fn states_of(&self, chat: &ChatEntry) -> Vec<(Node, ManifestId)> {
        if chat.heads.is_empty() {
            return Vec::new();
        }
        let mut heads: BTreeMap<&Node, &ManifestId> = BTreeMap::new();
        for head in &chat.heads {
            // Of several that devices left, the newest is shown (C25).
            let newest = heads.entry(&head.message_id).or_insert(&head.manifest_id);
            *newest = (*newest).max(&head.manifest_id);
        }
        let messages = || chat.messages.iter().filter_map(|number| self.message(*number));
        let answered: BTreeSet<&str> =
            messages().filter_map(|message| Some(message.parent.as_ref()?.as_str())).collect();
        let mut leaves: Vec<_> = messages().filter(|message| !answered.contains(message.id.as_str())).collect();
        leaves.sort_by_key(|message| std::cmp::Reverse((message.said_at, &message.id)));
        let mut states: Vec<(Node, ManifestId)> = Vec::new();
        let mut add = |node: Node, state: &ManifestId| {
            if states.iter().all(|(_, other)| other != state) {
                states.push((node, state.clone()));
            }
        };
        for leaf in leaves.iter().take(MOST_BRANCHES) {
            let above = std::iter::successors(Some(*leaf), |message| {
                self.message(*self.messages.get(message.parent.as_ref()?.as_str())?)
            });
            // Whatever the rows say, a way up is no longer than the chat.
            let nodes =
                above.take(chat.messages.len()).map(|message| Node::Message(message.id.clone())).chain([Node::Root]);
            if let Some(state) = nodes.into_iter().find_map(|node| heads.get(&node).copied()) {
                add(Node::Message(leaf.id.clone()), state);
            }
        }
        if leaves.is_empty()
            && let Some(state) = heads.get(&Node::Root)
        {
            add(Node::Root, state);
        }
        states
    }

    fn take_files(
        &mut self,
        chat: &ChatId,
        states: Vec<(Node, ManifestId)>,
        found: BTreeMap<(String, BlobId), (Node, u64)>,
        most: usize,
    ) {
        let others: usize = self.chats.iter().filter(|(id, _)| *id != chat).map(|(_, chat)| chat.files.len()).sum();
        let mut files = Vec::with_capacity(found.len());
        for ((path, sha256), (node, _)) in found.into_iter().take(most.saturating_sub(others)) {
            let name = match self.names.get(&path) {
                Some(name) => *name,
                None => {
                    let name = self.add(&path, Text::Part, path.len());
                    self.names.insert(path.clone(), name);
                    name
                }
            };
            files.push(FileAt { path, name, sha256, content: self.contents.get(&sha256).copied().flatten(), node });
        }
        if let Some(entry) = self.chats.get_mut(chat) {
            entry.states = states;
            entry.files = files;
        }
    }
}
