//! Ways through the tree: the path to a leaf, the siblings of a message, and the leaf one arrives at.

use super::MessageTree;
use super::tree::age;
use crate::ids::MessageId;
use crate::record::{Message, Node, Role};
use crate::tool_run::is_invoked_by_user;

/// The place of a message among those that answer the same node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Siblings {
    /// Its place, counted from 0.
    pub index: usize,
    /// How many there are, itself included.
    pub count: usize,
    /// The one before it.
    pub previous: Option<MessageId>,
    /// The one after it.
    pub next: Option<MessageId>,
}

impl MessageTree {
    /// The messages from the beginning to a node, which is the last of them. Empty for the root and for a node of another tree.
    #[must_use]
    pub fn path(&self, to: &Node) -> Vec<&Message> {
        let mut path: Vec<&Message> =
            std::iter::successors(self.at(to), |message| self.at(self.parent(&message.id)?)).collect();
        path.reverse();
        path
    }

    /// The place of a message among its siblings.
    #[must_use]
    pub fn siblings(&self, id: &MessageId) -> Option<Siblings> {
        let all = self.children(self.parent(id)?);
        let index = all.iter().position(|sibling| sibling == id)?;
        Some(Siblings {
            index,
            count: all.len(),
            previous: index.checked_sub(1).map(|previous| all[previous].clone()),
            next: all.get(index + 1).cloned(),
        })
    }

    /// Whether a model is in the middle of an answer at a node: what it says below is more of the same one, after calls of tools or
    /// because it was told to go on.
    #[must_use]
    pub fn is_within_answer(&self, node: &Node) -> bool {
        let mut above = std::iter::successors(self.at(node), |message| self.at(self.parent(&message.id)?));
        let said = above.find(|message| message.role != Role::Tool);
        said.is_some_and(|message| message.role == Role::Assistant && !is_invoked_by_user(message))
    }

    /// Where one arrives by switching to a node: the latest leaf at or below it.
    #[must_use]
    pub fn latest_leaf(&self, from: &Node) -> Node {
        let mut open: Vec<&MessageId> = match from {
            Node::Root => self.children(from).iter().collect(),
            Node::Message(id) => vec![id],
        };
        let mut latest: Option<&Message> = None;
        while let Some(next) = open.pop() {
            let below = self.children(&Node::Message(next.clone()));
            open.extend(below);
            let leaf = if below.is_empty() { self.message(next) } else { None };
            latest = latest.into_iter().chain(leaf).max_by_key(|message| age(message));
        }
        latest.map_or_else(|| from.clone(), |leaf| Node::Message(leaf.id.clone()))
    }

    /// The leaf to show: the latest one below where this device was, or the latest of all where that is gone.
    #[must_use]
    pub fn active_leaf(&self, remembered: Option<&Node>) -> Node {
        self.latest_leaf(remembered.filter(|node| self.contains(node)).unwrap_or(&Node::Root))
    }

    /// Where somebody is who was at a leaf when they asked for something: where this branch has gone on since, or still there.
    #[must_use]
    pub fn gone_on(&self, from: &Node, remembered: Option<&Node>) -> Node {
        let leaf = self.active_leaf(remembered);
        let is_on_path = match from {
            Node::Root => true,
            Node::Message(id) => self.path(&leaf).iter().any(|message| message.id == *id),
        };
        if is_on_path { leaf } else { from.clone() }
    }

    fn at(&self, node: &Node) -> Option<&Message> {
        match node {
            Node::Root => None,
            Node::Message(id) => self.message(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::sample::{chat_id, message, message_id, node};
    use super::*;

    /// 1 ─ 2 ─ 4
    ///   └ 3 ─ 5 ─ 7
    ///       └ 6
    fn tree() -> MessageTree {
        let parents = [(1, None), (2, Some(1)), (3, Some(1)), (4, Some(2)), (5, Some(3)), (6, Some(3)), (7, Some(5))];
        MessageTree::new(&chat_id(1), parents.map(|(id, parent)| message(id, parent)))
    }

    /// R309
    #[test]
    fn the_path_leads_from_the_beginning() {
        let check = |to: Node, expected: &[u32]| {
            let found: Vec<MessageId> = tree().path(&to).into_iter().map(|message| message.id.clone()).collect();
            assert_eq!(found, expected.iter().copied().map(message_id).collect::<Vec<_>>());
        };
        check(node(7), &[1, 3, 5, 7]);
        check(node(4), &[1, 2, 4]);
        check(Node::Root, &[]);
        check(node(99), &[]);
    }

    /// R309
    #[test]
    fn siblings_know_their_place() {
        let tree = tree();
        let second = Siblings { index: 1, count: 2, previous: Some(message_id(2)), next: None };
        assert_eq!(tree.siblings(&message_id(3)), Some(second));
        assert_eq!(tree.siblings(&message_id(1)), Some(Siblings { index: 0, count: 1, previous: None, next: None }));
        assert_eq!(tree.siblings(&message_id(99)), None);
    }

    /// R200: an answer with rounds of calls is one answer. A call made by hand is none, and what the user says ends one.
    #[test]
    fn an_answer_goes_on_after_its_calls() {
        let said = |number: u32, role| Message { role, ..message(number, number.checked_sub(1).filter(|id| *id > 0)) };
        let by_hand =
            Message { metadata: Map::from_iter([("invoked_by".into(), json!("user"))]), ..said(7, Role::Assistant) };
        let roles = [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant, Role::User];
        let rows = (1..).zip(roles).map(|(number, role)| said(number, role));
        let tree = MessageTree::new(&chat_id(1), rows.chain([by_hand, said(8, Role::Tool)]));
        let within: Vec<u32> = (1..=9).filter(|number| tree.is_within_answer(&node(*number))).collect();
        assert_eq!(within, [2, 3, 4, 5]);
        assert!(!tree.is_within_answer(&Node::Root));
    }

    /// R016, R309: the leaf of this device, and the leaf that switching leads to.
    #[test]
    fn switching_leads_to_the_latest_leaf() {
        let tree = tree();
        assert_eq!(tree.latest_leaf(&node(2)), node(4));
        assert_eq!(tree.latest_leaf(&node(3)), node(7));
        assert_eq!(tree.latest_leaf(&node(6)), node(6));
        assert_eq!(tree.active_leaf(None), node(7));
        assert_eq!(tree.active_leaf(Some(&node(2))), node(4));
        assert_eq!(tree.active_leaf(Some(&node(99))), node(7));
        assert_eq!(tree.active_leaf(Some(&Node::Root)), node(7));
        assert_eq!(MessageTree::new(&chat_id(1), []).active_leaf(None), Node::Root);
    }

    /// C25: what is asked for while its branch goes on is meant for the end of that branch, and never for another one.
    #[test]
    fn a_branch_goes_on_under_who_looks_at_it() {
        let tree = tree();
        assert_eq!(tree.gone_on(&node(5), Some(&node(7))), node(7));
        assert_eq!(tree.gone_on(&node(7), Some(&node(7))), node(7));
        assert_eq!(tree.gone_on(&node(4), Some(&node(7))), node(4));
        assert_eq!(tree.gone_on(&Node::Root, Some(&node(4))), node(4));
        assert_eq!(MessageTree::new(&chat_id(1), []).gone_on(&Node::Root, None), Node::Root);
    }

    /// A chat of one long branch needs no deep stack.
    #[test]
    fn a_long_chat_is_no_problem() {
        let rows = (1..=20_000).map(|id| message(id, (id > 1).then(|| id - 1)));
        let tree = MessageTree::new(&chat_id(1), rows);
        assert_eq!(tree.active_leaf(None), node(20_000));
        assert_eq!(tree.path(&node(20_000)).len(), 20_000);
    }
}
