//! The messages of a chat as a tree, whatever state the rows are in.

use std::collections::BTreeMap;

use crate::ids::{ChatId, MessageId};
use crate::order;
use crate::record::{Message, Node};

/// The tree of one chat. Every message of the chat is in it exactly once.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageTree {
    messages: BTreeMap<MessageId, Message>,
    /// Where each message hangs, which for a broken one is the root.
    parents: BTreeMap<MessageId, Node>,
    /// What hangs where, oldest first.
    children: BTreeMap<Node, Vec<MessageId>>,
    faults: Vec<TreeFault>,
}

/// Something broken in a tree. The message is shown at the root.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeFault {
    /// What it answers is not there.
    #[error("the message {message} replies to {parent}, which is not in this chat; it is shown as a first message")]
    MissingParent {
        /// The message.
        message: MessageId,
        /// What it answers.
        parent: MessageId,
    },
    /// It answers one of its own answers.
    #[error("the message {message} replies to one of its own replies; it is shown as a first message")]
    Cycle {
        /// The message.
        message: MessageId,
    },
}

impl TreeFault {
    /// The message that is shown at the root.
    #[must_use]
    pub fn message(&self) -> &MessageId {
        match self {
            Self::MissingParent { message, .. } | Self::Cycle { message } => message,
        }
    }
}

impl MessageTree {
    /// The tree of a chat. Rows of other chats are not looked at.
    #[must_use]
    pub fn new(chat: &ChatId, rows: impl IntoIterator<Item = Message>) -> Self {
        let mut messages: BTreeMap<MessageId, Message> = BTreeMap::new();
        messages.extend(rows.into_iter().filter(|row| &row.chat_id == chat).map(|row| (row.id.clone(), row)));
        let mut faults = Vec::new();
        let mut parents: BTreeMap<MessageId, Node> = BTreeMap::new();
        for (id, message) in &messages {
            let parent = match &message.parent_id {
                None => Node::Root,
                Some(parent) if messages.contains_key(parent) => Node::Message(parent.clone()),
                Some(parent) => {
                    faults.push(TreeFault::MissingParent { message: id.clone(), parent: parent.clone() });
                    Node::Root
                }
            };
            parents.insert(id.clone(), parent);
        }
        for message in first_of_cycles(&messages, &parents) {
            parents.insert(message.clone(), Node::Root);
            faults.push(TreeFault::Cycle { message });
        }
        let mut children: BTreeMap<Node, Vec<MessageId>> = BTreeMap::new();
        let mut in_order: Vec<&Message> = messages.values().collect();
        order::sort_by(&mut in_order, |a, b| age(a).cmp(&age(b)));
        for message in in_order {
            children.entry(parents[&message.id].clone()).or_default().push(message.id.clone());
        }
        Self { messages, parents, children, faults }
    }

    /// A message of this chat.
    #[must_use]
    pub fn message(&self, id: &MessageId) -> Option<&Message> {
        self.messages.get(id)
    }

    /// All messages, sorted by id.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.values()
    }

    /// Whether the node is in this tree; the root always is.
    #[must_use]
    pub fn contains(&self, node: &Node) -> bool {
        match node {
            Node::Root => true,
            Node::Message(id) => self.messages.contains_key(id),
        }
    }

    /// Where a message hangs.
    #[must_use]
    pub fn parent(&self, id: &MessageId) -> Option<&Node> {
        self.parents.get(id)
    }

    /// What answers a node, oldest first.
    #[must_use]
    pub fn children(&self, node: &Node) -> &[MessageId] {
        self.children.get(node).map_or(&[], Vec::as_slice)
    }

    /// What is broken.
    #[must_use]
    pub fn faults(&self) -> &[TreeFault] {
        &self.faults
    }
}

/// What messages are sorted by: when they were said, and for equal times their id, so that the order is always the same.
pub(super) fn age(message: &Message) -> (crate::time::Timestamp, &MessageId) {
    (message.created_at, &message.id)
}

/// The oldest message of every cycle: cut there, the cycle becomes a branch that begins with it.
fn first_of_cycles(messages: &BTreeMap<MessageId, Message>, parents: &BTreeMap<MessageId, Node>) -> Vec<MessageId> {
    // The walk on which each message was first met. Every message is met once, so all walks together are linear.
    let mut walks: BTreeMap<&MessageId, usize> = BTreeMap::new();
    let mut first = Vec::new();
    for (walk, start) in messages.keys().enumerate() {
        let mut at = start;
        let closes = loop {
            match walks.get(at) {
                Some(met) => break *met == walk,
                None => walks.insert(at, walk),
            };
            match &parents[at] {
                Node::Root => break false,
                Node::Message(parent) => at = parent,
            }
        };
        if closes {
            let around = std::iter::successors(Some(at), |id| match &parents[*id] {
                Node::Root => None,
                Node::Message(parent) => Some(parent).filter(|parent| *parent != at),
            });
            first.extend(around.min_by_key(|id| age(&messages[*id])).cloned());
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    use super::super::sample::{chat_id, message, message_id};
    use super::*;
    use crate::time::Timestamp;

    fn tree(parents: &[(u32, Option<u32>)]) -> MessageTree {
        MessageTree::new(&chat_id(1), parents.iter().map(|(id, parent)| message(*id, *parent)))
    }

    fn ids(numbers: &[u32]) -> Vec<MessageId> {
        numbers.iter().copied().map(message_id).collect()
    }

    /// R309: siblings in the order in which they were said, and by id where that is the same moment.
    #[test]
    fn children_are_sorted_by_age() {
        let mut late = message(2, Some(1));
        late.created_at = Timestamp::from_millis(9_000);
        let mut same = message(5, Some(1));
        same.created_at = message(4, None).created_at;
        let tree =
            MessageTree::new(&chat_id(1), [late, same, message(4, Some(1)), message(1, None), message(3, Some(1))]);
        assert_eq!(tree.children(&Node::Root), ids(&[1]));
        assert_eq!(tree.children(&Node::Message(message_id(1))), ids(&[3, 4, 5, 2]));
        assert_eq!(tree.parent(&message_id(3)), Some(&Node::Message(message_id(1))));
        assert_eq!(tree.faults(), []);
    }

    #[test]
    fn rows_of_other_chats_are_not_looked_at() {
        let mut other = message(2, None);
        other.chat_id = chat_id(2);
        let tree = MessageTree::new(&chat_id(1), [message(1, None), other]);
        assert_eq!(tree.messages().count(), 1);
    }

    /// R317
    #[test]
    fn an_orphan_is_shown_at_the_root_and_reported() {
        let tree = tree(&[(1, None), (3, Some(2)), (4, Some(3))]);
        assert_eq!(tree.children(&Node::Root), ids(&[1, 3]));
        assert_eq!(tree.faults(), [TreeFault::MissingParent { message: message_id(3), parent: message_id(2) }]);
        insta::assert_snapshot!(tree.faults()[0], @"the message 0198c5a4-7c1e-7000-0002-000000000003 replies to 0198c5a4-7c1e-7000-0002-000000000002, which is not in this chat; it is shown as a first message");
    }

    /// R317
    #[test]
    fn a_cycle_is_cut_at_its_oldest_message() {
        let cycle = |message| TreeFault::Cycle { message: message_id(message) };
        let tree_1 = tree(&[(1, Some(1))]);
        assert_eq!((tree_1.children(&Node::Root), tree_1.faults()), (&ids(&[1])[..], &[cycle(1)][..]));
        let tree_2 = tree(&[
            (1, Some(4)),
            (2, Some(5)),
            (3, Some(2)),
            (5, Some(3)),
            (4, None),
            (6, Some(5)),
            (7, Some(8)),
            (8, Some(7)),
        ]);
        assert_eq!(tree_2.faults(), [cycle(2), cycle(7)]);
        assert_eq!(tree_2.children(&Node::Root), ids(&[2, 4, 7]));
        assert_eq!(tree_2.children(&Node::Message(message_id(5))), ids(&[6]));
    }

    proptest! {
        /// R317: whatever the parents are, every message is below the root, once.
        #[test]
        fn every_message_is_reached_once(parents in prop::collection::vec(prop::option::of(0..14_u32), 0..12)) {
            let rows = (0..).zip(parents.iter()).map(|(id, parent)| message(id, *parent));
            let tree = MessageTree::new(&chat_id(1), rows);
            let (mut open, mut met) = (tree.children(&Node::Root).to_vec(), Vec::new());
            while let Some(next) = open.pop() {
                open.extend_from_slice(tree.children(&Node::Message(next.clone())));
                met.push(next);
                prop_assert!(met.len() <= parents.len());
            }
            met.sort();
            prop_assert_eq!(met, tree.messages().map(|message| message.id.clone()).collect::<Vec<_>>());
            let broken = tree.faults().iter().all(|fault| tree.parent(fault.message()) == Some(&Node::Root));
            prop_assert!(broken);
        }
    }
}
