//! One state of a chat's files.

use serde::{Deserialize, Serialize};

use super::{Record, RowKey, Table};
use crate::digest::BlobId;
use crate::ids::{ChatId, ManifestId, MessageId};
use crate::time::Timestamp;

/// A row of `workspace_manifests`. It never changes; it names a tree, which names the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceManifest {
    /// Its id.
    pub id: ManifestId,
    /// The chat.
    pub chat_id: ChatId,
    /// The state it came from.
    pub parent_id: Option<ManifestId>,
    /// The tree of the top folder.
    pub root: BlobId,
    /// When it came to be.
    pub created_at: Timestamp,
    /// What made it.
    pub source: ManifestSource,
    /// The message or the tool call that made it.
    pub source_ref: Option<String>,
}

/// What made a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ManifestSource {
    /// The user brought files.
    UserUpload,
    /// A tool ran.
    ToolRun,
    /// A branch began.
    Branch,
    /// The user edited files.
    Edit,
}

/// A row of `node_heads`: the files of a message are those of its head (C25). Several heads of one node come from
/// several devices and are all kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeHead {
    /// The chat.
    pub chat_id: ChatId,
    /// The node.
    pub message_id: Node,
    /// The manifest.
    pub manifest_id: ManifestId,
}

/// A place in a chat's tree that has files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Node {
    /// Before the first message.
    Root,
    /// A message.
    Message(MessageId),
}

impl Node {
    /// The node as it is stored: `root`, or the message's id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Root => "root",
            Self::Message(id) => id.as_str(),
        }
    }
}

impl TryFrom<String> for Node {
    type Error = crate::ids::IdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text == "root" { Ok(Self::Root) } else { MessageId::parse(text).map(Self::Message) }
    }
}

impl From<Node> for String {
    fn from(node: Node) -> Self {
        node.as_str().to_owned()
    }
}

impl Record for WorkspaceManifest {
    const TABLE: Table = Table::WorkspaceManifests;

    fn key(&self) -> RowKey {
        RowKey::one(self.id.as_str())
    }
}

impl Record for NodeHead {
    const TABLE: Table = Table::NodeHeads;

    fn key(&self) -> RowKey {
        RowKey::of([self.chat_id.as_str(), self.message_id.as_str(), self.manifest_id.as_str()])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chat_id() -> ChatId {
        ChatId::parse("0198c5a4-7c1e-7000-8000-0000000000c1").expect("is a UUID")
    }

    fn manifest_id() -> ManifestId {
        ManifestId::parse("0198c5a4-7c1e-7000-8000-0000000000f1").expect("is a UUID")
    }

    /// R014
    #[test]
    fn as_stored() {
        let manifest = WorkspaceManifest {
            id: manifest_id(),
            chat_id: chat_id(),
            parent_id: None,
            root: BlobId::of(b"tree"),
            created_at: Timestamp::from_millis(1_000),
            source: ManifestSource::ToolRun,
            source_ref: Some("0198c5a4-7c1e-7000-8000-0000000000e1".into()),
        };
        insta::assert_json_snapshot!(manifest, @r#"
        {
          "id": "0198c5a4-7c1e-7000-8000-0000000000f1",
          "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "parent_id": null,
          "root": "dc9c5edb8b2d479e697b4b0b8ab874f32b325138598ce9e7b759eb8292110622",
          "created_at": "1970-01-01T00:00:01.000Z",
          "source": "tool_run",
          "source_ref": "0198c5a4-7c1e-7000-8000-0000000000e1"
        }
        "#);
    }

    /// R014, R040
    #[test]
    fn every_source_has_its_word() {
        use ManifestSource::{Branch, Edit, ToolRun, UserUpload};
        let words = serde_json::to_value([UserUpload, ToolRun, Branch, Edit]).expect("serialises");
        assert_eq!(words, json!(["user_upload", "tool_run", "branch", "edit"]));
    }

    /// R016, C25: every node has heads of its own, the place before the first message too.
    #[test]
    fn heads_as_stored() {
        let head = NodeHead { chat_id: chat_id(), message_id: Node::Root, manifest_id: manifest_id() };
        insta::assert_json_snapshot!(head, @r#"
        {
          "chat_id": "0198c5a4-7c1e-7000-8000-0000000000c1",
          "message_id": "root",
          "manifest_id": "0198c5a4-7c1e-7000-8000-0000000000f1"
        }
        "#);
        let id = MessageId::parse("0198c5a4-7c1e-7000-8000-0000000000b1").expect("is a UUID");
        let of_message = NodeHead { message_id: Node::Message(id.clone()), ..head };
        assert_eq!(serde_json::to_value(&of_message).expect("serialises")["message_id"], json!(id));
        assert_eq!(serde_json::from_value::<Node>(json!("root")).expect("is read"), Node::Root);
        assert!(serde_json::from_value::<Node>(json!("leaf")).is_err());
    }
}
