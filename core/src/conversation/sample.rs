//! Small chats for tests: ids and times are counted.

use serde_json::Map;

use crate::digest::BlobId;
use crate::ids::{ChatId, ManifestId, MessageId};
use crate::record::{Chat, Content, ManifestSource, Message, Node, NodeHead, Role, WorkspaceManifest};
use crate::time::Timestamp;

fn uuid(kind: u32, number: u32) -> String {
    format!("0198c5a4-7c1e-7000-{kind:04x}-{number:012x}")
}

pub(super) fn chat_id(number: u32) -> ChatId {
    ChatId::parse(uuid(1, number)).expect("is a UUID")
}

pub(super) fn message_id(number: u32) -> MessageId {
    MessageId::parse(uuid(2, number)).expect("is a UUID")
}

pub(super) fn manifest_id(number: u32) -> ManifestId {
    ManifestId::parse(uuid(3, number)).expect("is a UUID")
}

/// Fresh ids, counted.
pub(super) fn counted() -> impl FnMut() -> String {
    let mut number = 0;
    move || {
        number += 1;
        uuid(9, number)
    }
}

pub(super) fn node(number: u32) -> Node {
    Node::Message(message_id(number))
}

pub(super) fn chat() -> Chat {
    Chat { modified_at: Timestamp::from_millis(2), ..Chat::new(chat_id(1), "Rows", Timestamp::from_millis(1)) }
}

/// Message `number` of chat 1, said in that second.
pub(super) fn message(number: u32, parent: Option<u32>) -> Message {
    Message {
        id: message_id(number),
        chat_id: chat_id(1),
        parent_id: parent.map(message_id),
        role: Role::User,
        content: Content::Text(format!("message {number}")),
        tool_calls: vec![],
        tool_call_id: None,
        metadata: Map::new(),
        created_at: Timestamp::from_millis(u64::from(number) * 1_000),
    }
}

pub(super) fn head(node: Node, manifest: u32) -> NodeHead {
    NodeHead { chat_id: chat_id(1), message_id: node, manifest_id: manifest_id(manifest) }
}

pub(super) fn manifest(number: u32, parent: Option<u32>) -> WorkspaceManifest {
    WorkspaceManifest {
        id: manifest_id(number),
        chat_id: chat_id(1),
        parent_id: parent.map(manifest_id),
        root: BlobId::of(&number.to_be_bytes()),
        created_at: Timestamp::from_millis(u64::from(number) * 1_000),
        source: ManifestSource::Edit,
        source_ref: None,
    }
}
