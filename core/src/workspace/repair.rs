//! What can be done about the findings of the check, and what cannot.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::reach::{garbage, live_blobs};
use super::{Finding, Rows, Stored, Trees, WorkspaceError};
use crate::digest::BlobId;
use crate::ids::{ManifestId, MessageId};
use crate::record::{Node, NodeHead, RowKey, RowRef, Table, WorkspaceManifest};
use crate::store::Commit;

/// A plan, to be carried out when the user says so.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    /// Moves heads to sound manifests. It changes nothing where there is nothing to repair.
    pub commit: Commit,
    /// Blobs that nothing needs. None while a tree that is needed cannot be read: what it names is not known, and a copy of it may
    /// still come back from another device.
    pub drop: Vec<BlobId>,
    /// What stays as it is until the user exports or removes it, or another device has a sound copy.
    pub cannot: Vec<Finding>,
}

impl Repair {
    pub(super) fn plan(
        trees: &Trees,
        rows: &Rows,
        blobs: &BTreeMap<BlobId, Stored>,
        findings: &[Finding],
    ) -> Result<Self, WorkspaceError> {
        let drop = match live_blobs(trees, rows) {
            Ok(live) => garbage(blobs.keys().copied(), &live),
            Err(WorkspaceError::Missing(ids)) => return Err(WorkspaceError::Missing(ids)),
            Err(_damaged) => Vec::new(),
        };
        let dropped: BTreeSet<BlobId> = drop.iter().copied().collect();
        let mut repair = Self { drop, ..Self::default() };
        for finding in findings {
            match finding {
                Finding::BrokenHead { row, moves_to: Some(to) } => {
                    repair.commit = move_head(repair.commit, rows, row, to);
                }
                Finding::BrokenBlob { sha256 } if dropped.contains(sha256) => {}
                Finding::BrokenBlob { .. }
                | Finding::BrokenManifest { .. }
                | Finding::BrokenHead { moves_to: None, .. }
                | Finding::LacksBlob { .. }
                | Finding::LacksRow { .. }
                | Finding::Unreadable { .. } => repair.cannot.push(finding.clone()),
            }
        }
        Ok(repair)
    }
}

fn move_head(commit: Commit, rows: &Rows, row: &RowRef, to: &ManifestId) -> Commit {
    let Some(stored) = rows.get(row) else { return commit };
    match stored.clone().record::<NodeHead>(row) {
        Ok(head) => (commit.expect(row.clone(), stored.stamp().cloned()))
            .put(&NodeHead { manifest_id: to.clone(), ..head })
            .delete(row.clone()),
        Err(_unreadable) => commit,
    }
}

/// The states of all chats, to look for one that can stand in for another.
pub(super) struct History<'r> {
    pub(super) manifests: &'r BTreeMap<ManifestId, WorkspaceManifest>,
    pub(super) sound: &'r BTreeMap<&'r ManifestId, &'r WorkspaceManifest>,
    pub(super) heads: &'r [NodeHead],
    pub(super) rows: &'r Rows,
}

impl History<'_> {
    /// The newest sound state before a head: of the manifests it came from, or else of the messages before its own.
    pub(super) fn newest_sound(&self, head: &NodeHead) -> Option<ManifestId> {
        self.sound_ancestor(&head.manifest_id).or_else(|| self.sound_before(head))
    }

    fn sound_ancestor(&self, id: &ManifestId) -> Option<ManifestId> {
        let mut seen = BTreeSet::new();
        let mut next = self.manifests.get(id)?.parent_id.as_ref();
        while let Some(id) = next.filter(|id| seen.insert(*id)) {
            if self.sound.contains_key(id) {
                return Some(id.clone());
            }
            next = self.manifests.get(id)?.parent_id.as_ref();
        }
        None
    }

    fn sound_before(&self, head: &NodeHead) -> Option<ManifestId> {
        let mut seen = BTreeSet::new();
        let mut node = head.message_id.clone();
        while seen.insert(node.clone()) {
            let heads = self.heads.iter().filter(|other| other.chat_id == head.chat_id && other.message_id == node);
            let sound = heads.filter_map(|other| self.sound.get(&other.manifest_id));
            if let Some(newest) = sound.max_by_key(|manifest| (manifest.created_at, &manifest.id)) {
                return Some(newest.id.clone());
            }
            node = self.node_before(&node)?;
        }
        None
    }

    fn node_before(&self, node: &Node) -> Option<Node> {
        let Node::Message(id) = node else { return None };
        let row = RowRef { table: Table::Messages, key: RowKey::one(id.as_str()) };
        match self.rows.get(&row)?.fields.get("parent_id").and_then(Value::as_str) {
            Some(parent) => MessageId::parse(parent).ok().map(Node::Message),
            None => Some(Node::Root),
        }
    }
}
