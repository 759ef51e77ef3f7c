//! Which files belong to which message (C25).

use std::collections::BTreeMap;

use super::MessageTree;
use crate::ids::{ChatId, ManifestId, MessageId};
use crate::order;
use crate::record::{Node, NodeHead};

/// The heads of one chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads(BTreeMap<Node, Vec<ManifestId>>);

impl Heads {
    /// The heads of a chat. Rows of other chats are not looked at.
    #[must_use]
    pub fn new(chat: &ChatId, rows: impl IntoIterator<Item = NodeHead>) -> Self {
        let mut heads: BTreeMap<Node, Vec<ManifestId>> = BTreeMap::new();
        for row in rows.into_iter().filter(|row| &row.chat_id == chat) {
            heads.entry(row.message_id).or_default().push(row.manifest_id);
        }
        heads.values_mut().for_each(|manifests| order::sort_by(manifests, Ord::cmp));
        Self(heads)
    }

    /// The heads as rows again.
    #[must_use]
    pub fn rows(&self, chat: &ChatId) -> Vec<NodeHead> {
        let row = |node: &Node, manifest: &ManifestId| NodeHead {
            chat_id: chat.clone(),
            message_id: node.clone(),
            manifest_id: manifest.clone(),
        };
        self.0.iter().flat_map(|(node, manifests)| manifests.iter().map(move |manifest| row(node, manifest))).collect()
    }

    /// The node's own heads, oldest first. More than one came from several devices, and the user chooses.
    #[must_use]
    pub fn own(&self, node: &Node) -> &[ManifestId] {
        self.0.get(node).map_or(&[], Vec::as_slice)
    }

    /// The manifest of a node: its own head, of several the newest, else that of the nearest node before it. None where no files
    /// were ever there.
    #[must_use]
    pub fn manifest_at(&self, tree: &MessageTree, node: &Node) -> Option<&ManifestId> {
        self.all_at(tree, node).last()
    }

    /// The heads of a node, oldest first: its own, else those of the nearest node before it.
    #[must_use]
    pub fn all_at(&self, tree: &MessageTree, node: &Node) -> &[ManifestId] {
        let before = |node: &&Node| match node {
            Node::Root => None,
            // A head may outlive its message; the files of such a node are those of the root.
            Node::Message(id) => Some(tree.parent(id).unwrap_or(&Node::Root)),
        };
        let mut own = std::iter::successors(Some(node), before).map(|node| self.own(node));
        own.find(|own| !own.is_empty()).unwrap_or_default()
    }

    /// The manifest that a retry or an edit of a message starts from (R039): the one before that message.
    #[must_use]
    pub fn manifest_before(&self, tree: &MessageTree, message: &MessageId) -> Option<&ManifestId> {
        self.manifest_at(tree, tree.parent(message)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{chat_id, head, manifest_id, message, message_id, node};
    use super::*;

    fn tree() -> MessageTree {
        let parents = [(1, None), (2, Some(1)), (3, Some(1)), (4, Some(3))];
        MessageTree::new(&chat_id(1), parents.map(|(id, parent)| message(id, parent)))
    }

    fn heads() -> Heads {
        let rows = [head(Node::Root, 1), head(node(2), 3), head(node(2), 2), head(node(4), 4)];
        Heads::new(&chat_id(1), rows)
    }

    /// R016, R037: the leaf says which files are there.
    #[test]
    fn the_files_are_those_of_the_node_or_of_the_nearest_before_it() {
        let check = |node: Node, expected| {
            assert_eq!(heads().manifest_at(&tree(), &node), Some(&manifest_id(expected)), "{node:?}");
        };
        check(Node::Root, 1);
        check(node(1), 1);
        check(node(2), 3);
        check(node(3), 1);
        check(node(4), 4);
        check(node(99), 1);
        assert_eq!(Heads::new(&chat_id(1), []).manifest_at(&tree(), &node(4)), None);
        let other = NodeHead { chat_id: chat_id(2), ..head(Node::Root, 7) };
        assert_eq!(Heads::new(&chat_id(1), [other]).own(&Node::Root), []);
    }

    #[test]
    fn heads_become_rows_again() {
        assert_eq!(Heads::new(&chat_id(1), heads().rows(&chat_id(1))), heads());
    }

    /// C25: heads of several devices are all there to choose from.
    #[test]
    fn several_heads_are_kept() {
        assert_eq!(heads().own(&node(2)), [manifest_id(2), manifest_id(3)]);
        assert_eq!(heads().own(&node(3)), []);
    }

    /// R039
    #[test]
    fn a_retry_starts_from_the_files_before_the_message() {
        assert_eq!(heads().manifest_before(&tree(), &message_id(4)), Some(&manifest_id(1)));
        assert_eq!(heads().manifest_before(&tree(), &message_id(2)), Some(&manifest_id(1)));
        assert_eq!(heads().manifest_before(&tree(), &message_id(99)), None);
    }
}
