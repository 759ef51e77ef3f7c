//! The states of a chat's files: commits that make a manifest and move the head of its node to it.
//!
//! Every commit expects the head that it replaces to be as it was read, so of two tabs one wins and the other is told; no
//! manifest is lost between them. Where devices left a node several heads, only the one that was built on is replaced (C25).

use std::collections::{BTreeMap, BTreeSet};

use super::tree::write;
use super::{Snapshot, empty_root};
use crate::digest::BlobId;
use crate::ids::{ChatId, ManifestId, ToolCallId};
use crate::record::{ManifestSource, Node, NodeHead, RowRef, ToolCall, WorkspaceManifest};
use crate::store::{Blob, Commit};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// A node of a chat, and the state its files are in.
#[derive(Clone, Debug)]
pub struct Place {
    /// The chat.
    pub chat_id: ChatId,
    /// The node whose head is to move.
    pub node: Node,
    /// The state to start from; none while the chat has no files.
    pub base: Option<Base>,
}

/// A state to start from.
#[derive(Clone, Debug)]
pub struct Base {
    /// The manifest.
    pub manifest: WorkspaceManifest,
    /// The stamp that the node's own head row for it had when it was read; none where the state is that of another node,
    /// such as the message before.
    pub head: Option<Stamp>,
}

/// The name and time of a manifest to be made; both come from outside.
#[derive(Clone, Debug)]
pub struct NewManifest {
    /// A fresh id.
    pub id: ManifestId,
    /// Now.
    pub created_at: Timestamp,
}

/// What changed the files (R040).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The user brought files.
    Upload,
    /// A tool ran.
    ToolRun(ToolCallId),
    /// The user edited files.
    Edit,
}

/// A manifest and the commit that makes it.
#[derive(Clone, Debug)]
pub struct Made {
    /// The manifest, which is its node's head once the commit is applied.
    pub manifest: WorkspaceManifest,
    /// The commit.
    pub commit: Commit,
}

/// Whether a manifest can be replaced without anyone missing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// One head names it and nothing else does.
    OneHead,
    /// Another head, manifest or tool call names it too.
    Named,
}

impl Standing {
    /// Looks for what names a manifest among the rows of its chat.
    #[must_use]
    pub fn of(id: &ManifestId, heads: &[NodeHead], manifests: &[WorkspaceManifest], calls: &[ToolCall]) -> Self {
        let heads = heads.iter().filter(|head| head.manifest_id == *id).count();
        let child = manifests.iter().any(|manifest| manifest.parent_id.as_ref() == Some(id));
        let call =
            calls.iter().any(|call| [&call.pre_manifest_id, &call.post_manifest_id].contains(&&Some(id.clone())));
        if heads > 1 || child || call { Self::Named } else { Self::OneHead }
    }
}

/// The first state of a chat's files: that there are none. It belongs to the top of the tree, so that it is the state of every node
/// that has no other.
#[must_use]
pub fn first(chat_id: &ChatId, new: NewManifest, cause: &Cause) -> Made {
    let (folder, blob) = write(&BTreeMap::new()).expect("no files are not too many");
    let place = Place { chat_id: chat_id.clone(), node: Node::Root, base: None };
    let (source, source_ref) = source_of(&place, cause);
    let manifest = WorkspaceManifest {
        id: new.id,
        chat_id: chat_id.clone(),
        parent_id: None,
        root: folder.sha256,
        created_at: new.created_at,
        source,
        source_ref,
    };
    move_head(&place, manifest, Commit::default().blob(blob))
}

/// Makes the state in a snapshot that of its node: stores the contents and trees, then the manifest, then the head in place of the
/// one it was built on. Gives nothing where nothing changed (R036). Contents that are not given must be stored already.
#[must_use]
pub fn record(place: &Place, snapshot: Snapshot, contents: Vec<Blob>, new: NewManifest, cause: &Cause) -> Option<Made> {
    record_after(place, parent_of(place), snapshot, contents, new, cause)
}

fn record_after(
    place: &Place,
    parent_id: Option<ManifestId>,
    snapshot: Snapshot,
    contents: Vec<Blob>,
    new: NewManifest,
    cause: &Cause,
) -> Option<Made> {
    let base_root = place.base.as_ref().map_or_else(empty_root, |base| base.manifest.root);
    if snapshot.root == base_root {
        return None;
    }
    let (source, source_ref) = source_of(place, cause);
    let NewManifest { id, created_at } = new;
    let (chat_id, root) = (place.chat_id.clone(), snapshot.root);
    let manifest = WorkspaceManifest { id, chat_id, parent_id, root, created_at, source, source_ref };
    let commit = store(snapshot, contents);
    Some(move_head(place, manifest, commit))
}

/// Saves what the user edited. An editing session makes one manifest, however often it saves: where the last save of this session
/// is still the head and nothing else names it, it is replaced by one that starts where the session started.
#[must_use]
pub fn save_edit(
    place: &Place,
    last_save: Option<(&ManifestId, Standing)>,
    snapshot: Snapshot,
    contents: Vec<Blob>,
    new: NewManifest,
) -> Option<Made> {
    let replaced = (place.base.as_ref().filter(|base| base.head.is_some()).map(|base| &base.manifest))
        .filter(|manifest| last_save == Some((&manifest.id, Standing::OneHead)))
        .filter(|manifest| manifest.source == ManifestSource::Edit);
    let parent_id = replaced.map_or_else(|| parent_of(place), |manifest| manifest.parent_id.clone());
    let mut made = record_after(place, parent_id, snapshot, contents, new, &Cause::Edit)?;
    made.commit.deletes.extend(replaced.map(RowRef::of));
    Some(made)
}

/// Begins a branch: its node gets a state of its own, equal to that of the base (R040). `from` is the node the branch
/// starts at. A fork into another chat begins a history of its own, so that either chat can be deleted without the other.
#[must_use]
pub fn branch(place: &Place, from: &Node, new: NewManifest) -> Option<Made> {
    let base = place.base.as_ref()?;
    let manifest = WorkspaceManifest {
        id: new.id,
        chat_id: place.chat_id.clone(),
        parent_id: parent_of(place),
        root: base.manifest.root,
        created_at: new.created_at,
        source: ManifestSource::Branch,
        source_ref: message_of(from),
    };
    Some(move_head(place, manifest, Commit::default()))
}

/// Gives a node the state of another, such as a new message that of the one before. No manifest is made, since nothing changed.
#[must_use]
pub fn inherit(place: &Place) -> Option<Commit> {
    let base = place.base.as_ref()?;
    Some(Commit::default().require(base.manifest.root).put(&head(place, &base.manifest)))
}

/// Takes one of several heads of a node and lets go of the others (C25), whose manifests stay in the history of the chat. It relies
/// on the heads being as they were read; nothing where the chosen one is not among them.
#[must_use]
pub fn choose(chosen: &ManifestId, heads: &[(NodeHead, Option<Stamp>)]) -> Option<Commit> {
    heads.iter().find(|(head, _)| head.manifest_id == *chosen)?;
    Some(heads.iter().fold(Commit::default(), |commit, (head, stamp)| {
        let row = RowRef::of(head);
        let commit = commit.expect(row.clone(), stamp.clone());
        if head.manifest_id == *chosen { commit } else { commit.delete(row) }
    }))
}

/// The manifest before, unless it belongs to another chat.
fn parent_of(place: &Place) -> Option<ManifestId> {
    let base = place.base.as_ref().filter(|base| base.manifest.chat_id == place.chat_id)?;
    Some(base.manifest.id.clone())
}

fn source_of(place: &Place, cause: &Cause) -> (ManifestSource, Option<String>) {
    match cause {
        Cause::Upload => (ManifestSource::UserUpload, message_of(&place.node)),
        Cause::ToolRun(call) => (ManifestSource::ToolRun, Some(call.to_string())),
        Cause::Edit => (ManifestSource::Edit, message_of(&place.node)),
    }
}

fn store(snapshot: Snapshot, contents: Vec<Blob>) -> Commit {
    let given: BTreeSet<BlobId> = contents.iter().map(Blob::id).collect();
    Commit {
        requires: snapshot.contents.difference(&given).copied().collect(),
        blobs: contents.into_iter().chain(snapshot.trees).collect(),
        ..Commit::default()
    }
}

fn move_head(place: &Place, manifest: WorkspaceManifest, commit: Commit) -> Made {
    let mut commit = commit.put(&manifest).put(&head(place, &manifest));
    if let Some(base) = &place.base {
        commit = commit.require(base.manifest.root);
        if let Some(stamp) = &base.head {
            let replaced = RowRef::of(&head(place, &base.manifest));
            commit = commit.expect(replaced.clone(), Some(stamp.clone())).delete(replaced);
        }
    }
    Made { manifest, commit }
}

fn head(place: &Place, manifest: &WorkspaceManifest) -> NodeHead {
    NodeHead { chat_id: place.chat_id.clone(), message_id: place.node.clone(), manifest_id: manifest.id.clone() }
}

fn message_of(node: &Node) -> Option<String> {
    match node {
        Node::Root => None,
        Node::Message(id) => Some(id.to_string()),
    }
}

#[cfg(test)]
mod tests;
