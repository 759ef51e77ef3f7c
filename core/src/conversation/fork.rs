//! A fork: the way to one message, copied into a chat of its own.
//!
//! Everything is copied under new ids, manifests included, so that either chat can be deleted without harm to the other. Blobs
//! are not copied: both name the same trees.

use std::collections::BTreeMap;

use super::{ConversationError, Heads, MessageTree};
use crate::ids::{ChatId, ManifestId, MessageId, ToolCallId};
use crate::record::{
    CallStatus, Chat, ForkOrigin, ManifestSource, Message, Node, NodeHead, ToolCall, WorkspaceManifest,
};
use crate::store::Commit;
use crate::time::Timestamp;

/// The chat to fork.
#[derive(Clone, Copy, Debug)]
pub struct ForkSource<'a> {
    /// Its row.
    pub chat: &'a Chat,
    /// Its messages.
    pub tree: &'a MessageTree,
    /// Its heads.
    pub heads: &'a Heads,
    /// Its manifests.
    pub manifests: &'a BTreeMap<ManifestId, WorkspaceManifest>,
    /// Its tool calls.
    pub calls: &'a [ToolCall],
}

/// A new chat, and what has to be written for it.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The new chat.
    pub chat: Chat,
    /// The copy of the message at which it was forked.
    pub leaf: MessageId,
    /// What to write.
    pub commit: Commit,
    /// Manifests that rows of the old chat name but that are not there; the new chat does without them.
    pub lost: Vec<ManifestId>,
}

/// Forks a chat at a message, which becomes the leaf of the new one. `fresh` gives UUIDs.
pub fn fork(
    source: ForkSource<'_>,
    at: &MessageId,
    fresh: &mut impl FnMut() -> String,
    now: Timestamp,
) -> Result<Fork, ConversationError> {
    let path = source.tree.path(&Node::Message(at.clone()));
    if path.is_empty() {
        return Err(ConversationError::NoSuchMessage(at.clone()));
    }
    let chat = Chat {
        id: ChatId::parse(fresh())?,
        title: format!("{} (fork)", source.chat.title),
        created_at: now,
        modified_at: now,
        enabled_tools: source.chat.enabled_tools.clone(),
        equipped: source.chat.equipped.clone(),
        configuring: false,
        model: source.chat.model.clone(),
        max_tool_iterations: source.chat.max_tool_iterations,
        forked_from: Some(ForkOrigin { chat_id: source.chat.id.clone(), message_id: at.clone() }),
        soft_deleted_at: None,
    };
    let mut copying = Copying {
        manifests: source.manifests,
        chat_id: chat.id.clone(),
        now,
        fresh,
        copies: BTreeMap::new(),
        lost: Vec::new(),
        commit: Commit::default().put(&chat),
    };
    copying.heads(source.heads.own(&Node::Root), &Node::Root)?;
    let mut parent_id = None;
    for message in path {
        parent_id = Some(copying.message(message, parent_id, source)?);
    }
    let leaf = parent_id.expect("the path has at least the message it leads to");
    Ok(Fork { chat, leaf, commit: copying.commit, lost: copying.lost })
}

struct Copying<'a, F> {
    manifests: &'a BTreeMap<ManifestId, WorkspaceManifest>,
    chat_id: ChatId,
    now: Timestamp,
    fresh: &'a mut F,
    copies: BTreeMap<ManifestId, ManifestId>,
    lost: Vec<ManifestId>,
    commit: Commit,
}

impl<F: FnMut() -> String> Copying<'_, F> {
    fn message(
        &mut self,
        message: &Message,
        parent_id: Option<MessageId>,
        source: ForkSource<'_>,
    ) -> Result<MessageId, ConversationError> {
        let id = MessageId::parse((self.fresh)())?;
        self.put(&Message { id: id.clone(), chat_id: self.chat_id.clone(), parent_id, ..message.clone() });
        let node = Node::Message(id.clone());
        self.heads(source.heads.own(&Node::Message(message.id.clone())), &node)?;
        for call in source.calls.iter().filter(|call| call.message_id.as_ref() == Some(&message.id)) {
            self.call(call, &id)?;
        }
        Ok(id)
    }

    fn heads(&mut self, heads: &[ManifestId], node: &Node) -> Result<(), ConversationError> {
        for head in heads {
            if let Some(manifest_id) = self.manifest(head, node)? {
                self.put(&NodeHead { chat_id: self.chat_id.clone(), message_id: node.clone(), manifest_id });
            }
        }
        Ok(())
    }

    /// Copies a call that has ended; one that still runs belongs to the old chat alone.
    fn call(&mut self, call: &ToolCall, message: &MessageId) -> Result<(), ConversationError> {
        match call.status {
            CallStatus::Pending | CallStatus::Running => return Ok(()),
            CallStatus::Success | CallStatus::Error => {}
        }
        let node = Node::Message(message.clone());
        let mut manifest = |id: &Option<ManifestId>| match id {
            Some(id) => self.manifest(id, &node),
            None => Ok(None),
        };
        let copy = ToolCall {
            pre_manifest_id: manifest(&call.pre_manifest_id)?,
            post_manifest_id: manifest(&call.post_manifest_id)?,
            id: ToolCallId::parse((self.fresh)())?,
            chat_id: self.chat_id.clone(),
            message_id: Some(message.clone()),
            ..call.clone()
        };
        self.put(&copy);
        Ok(())
    }

    /// The copy of a manifest, made when it is first asked for.
    fn manifest(&mut self, id: &ManifestId, node: &Node) -> Result<Option<ManifestId>, ConversationError> {
        if let Some(copy) = self.copies.get(id) {
            return Ok(Some(copy.clone()));
        }
        let Some(manifest) = self.manifests.get(id) else {
            if !self.lost.contains(id) {
                self.lost.push(id.clone());
            }
            return Ok(None);
        };
        let copy = WorkspaceManifest {
            id: ManifestId::parse((self.fresh)())?,
            chat_id: self.chat_id.clone(),
            parent_id: manifest.parent_id.as_ref().and_then(|parent| self.copies.get(parent)).cloned(),
            root: manifest.root,
            created_at: self.now,
            source: ManifestSource::Branch,
            source_ref: match node {
                Node::Root => None,
                Node::Message(message) => Some(message.to_string()),
            },
        };
        self.put(&copy);
        self.commit.requires.push(manifest.root);
        self.copies.insert(id.clone(), copy.id.clone());
        Ok(Some(copy.id))
    }

    fn put<R: crate::record::Record>(&mut self, record: &R) {
        self.commit = std::mem::take(&mut self.commit).put(record);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::sample::{chat, chat_id, counted, head, manifest, manifest_id, message, message_id, node};
    use super::*;
    use crate::store::Put;

    fn call(number: u32, status: CallStatus, pre: u32, post: u32) -> ToolCall {
        ToolCall {
            id: ToolCallId::parse(format!("0198c5a4-7c1e-7000-0004-{number:012x}")).expect("is a UUID"),
            call_id: Some("call_1".into()),
            chat_id: chat_id(1),
            message_id: Some(message_id(3)),
            tool_id: "mine:show".into(),
            package: None,
            args: json!({}),
            result: Some(json!({"rows": 1})),
            render_plan: None,
            status,
            error: None,
            error_kind: None,
            started_at: Timestamp::from_millis(3_000),
            finished_at: None,
            pre_manifest_id: Some(manifest_id(pre)),
            post_manifest_id: Some(manifest_id(post)),
            traceback: None,
            output: None,
            displays: Vec::new(),
            notes: Vec::new(),
            spilled: None,
            result_files: Vec::new(),
        }
    }

    /// 1 ─ 2
    ///   └ 3 ─ 4
    fn forked(at: MessageId) -> Result<Fork, ConversationError> {
        let parents = [(1, None), (2, Some(1)), (3, Some(1)), (4, Some(3))];
        let tree = MessageTree::new(&chat_id(1), parents.map(|(id, parent)| message(id, parent)));
        let rows = [head(Node::Root, 1), head(node(2), 2), head(node(3), 3), head(node(3), 9), head(node(4), 4)];
        let manifests = [manifest(1, None), manifest(2, Some(1)), manifest(3, Some(1)), manifest(4, Some(3))];
        let source = ForkSource {
            chat: &chat(),
            tree: &tree,
            heads: &Heads::new(&chat_id(1), rows),
            manifests: &manifests.into_iter().map(|row| (row.id.clone(), row)).collect(),
            calls: &[call(1, CallStatus::Success, 1, 3), call(2, CallStatus::Running, 3, 3)],
        };
        fork(source, &at, &mut counted(), Timestamp::from_millis(60_000))
    }

    fn rows(puts: &[Put]) -> String {
        let shorten = |text: String| text.replace("0198c5a4-7c1e-7000-", "").replace("00000000000", "");
        let sorted = |put: &Put| json!(put.fields.iter().collect::<BTreeMap<_, _>>());
        puts.iter().map(|put| shorten(format!("{} {}\n", put.row, sorted(put)))).collect()
    }

    /// R309, R040: the way to the node with its files, under new ids, the source of every manifest a branch.
    #[test]
    fn a_fork_is_a_chat_of_its_own() {
        let fork = forked(message_id(3)).expect("is there");
        insta::assert_snapshot!(rows(&fork.commit.puts), @r#"
        chats/0009-1 {"configuring":false,"created_at":"1970-01-01T00:01:00.000Z","enabledTools":null,"equipped":null,"forked_from":{"chat_id":"0001-1","message_id":"0002-3"},"id":"0009-1","max_tool_iterations":null,"model":null,"modified_at":"1970-01-01T00:01:00.000Z","soft_deleted_at":null,"title":"Rows (fork)"}
        workspace_manifests/0009-2 {"chat_id":"0009-1","created_at":"1970-01-01T00:01:00.000Z","id":"0009-2","parent_id":null,"root":"b40711a88c7039756fb8a73827eabe2c0fe5a0346ca7e0a104adc0fc764f528d","source":"branch","source_ref":null}
        node_heads/0009-1/root/0009-2 {"chat_id":"0009-1","manifest_id":"0009-2","message_id":"root"}
        messages/0009-3 {"chat_id":"0009-1","content":"message 1","created_at":"1970-01-01T00:00:01.000Z","id":"0009-3","parent_id":null,"role":"user"}
        messages/0009-4 {"chat_id":"0009-1","content":"message 3","created_at":"1970-01-01T00:00:03.000Z","id":"0009-4","parent_id":"0009-3","role":"user"}
        workspace_manifests/0009-5 {"chat_id":"0009-1","created_at":"1970-01-01T00:01:00.000Z","id":"0009-5","parent_id":"0009-2","root":"88185d128d9922e0e6bcd32b07b6c7f20f27968eab447a1d8d1cdf250f79f7d3","source":"branch","source_ref":"0009-4"}
        node_heads/0009-1/0009-4/0009-5 {"chat_id":"0009-1","manifest_id":"0009-5","message_id":"0009-4"}
        tool_calls/0009-6 {"args":{},"call_id":"call_1","chat_id":"0009-1","displays":[],"error":null,"error_kind":null,"finished_at":null,"id":"0009-6","message_id":"0009-4","notes":[],"output":null,"post_manifest_id":"0009-5","pre_manifest_id":"0009-2","render_plan":null,"result":{"rows":1},"spilled":null,"started_at":"1970-01-01T00:00:03.000Z","status":"success","tool_id":"mine:show","traceback":null}
        "#);
        assert_eq!(fork.commit.requires, [manifest(1, None).root, manifest(3, None).root]);
        assert_eq!(fork.commit.deletes, []);
        assert_eq!(fork.lost, [manifest_id(9)]);
    }

    /// R309: the fork reads back as a tree with the same files at the same places.
    #[test]
    fn the_fork_has_the_same_shape() {
        let fork = forked(message_id(4)).expect("is there");
        fn read<R: crate::record::Record>(fork: &Fork) -> Vec<R> {
            let puts = fork.commit.puts.iter().filter(|put| put.row.table == R::TABLE);
            puts.map(|put| serde_json::from_value(json!(put.fields)).expect("is a row")).collect()
        }
        let tree = MessageTree::new(&fork.chat.id, read(&fork));
        let heads = Heads::new(&fork.chat.id, read(&fork));
        let leaf = Node::Message(fork.leaf.clone());
        assert_eq!((tree.active_leaf(None), tree.faults()), (leaf.clone(), &[][..]));
        let said: Vec<_> = tree.path(&leaf).into_iter().map(|message| message.content.clone()).collect();
        assert_eq!(said, [1, 3, 4].map(|number| message(number, None).content));
        let manifests: BTreeMap<ManifestId, WorkspaceManifest> =
            read::<WorkspaceManifest>(&fork).into_iter().map(|row| (row.id.clone(), row)).collect();
        let roots: Vec<_> = (tree.path(&leaf).into_iter())
            .map(|message| heads.manifest_at(&tree, &Node::Message(message.id.clone())).expect("has files"))
            .map(|manifest| manifests[manifest].root)
            .collect();
        assert_eq!(roots, [1, 3, 4].map(|number| manifest(number, None).root));
    }

    #[test]
    fn a_fork_needs_its_message() {
        assert_eq!(forked(message_id(99)).expect_err("is not there"), ConversationError::NoSuchMessage(message_id(99)));
    }
}
