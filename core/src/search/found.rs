//! What was found.

use serde::{Deserialize, Serialize};

use super::Passage;
use crate::ids::{ChatId, MessageId};
use crate::record::{Node, Role};
use crate::time::Timestamp;

/// Everything that was found, the best of each kind first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Chats, by their titles.
    pub chats: Group<ChatHit>,
    /// Messages on every branch.
    pub messages: Group<MessageHit>,
    /// Files, by their paths and by what is in them.
    pub files: Group<FileHit>,
    /// Tools.
    pub tools: Group<ToolHit>,
    /// Whether everything has been read; else there may be more.
    pub is_whole: bool,
}

/// What was found of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group<T> {
    /// The best of it.
    pub hits: Vec<T>,
    /// Whether there is more than was wanted.
    pub has_more: bool,
}

/// A chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatHit {
    /// Its id.
    pub id: ChatId,
    /// Its title.
    pub title: Passage,
    /// When something was last said in it.
    pub modified_at: Timestamp,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageHit {
    /// Its chat.
    pub chat: ChatId,
    /// That chat's title.
    pub chat_title: String,
    /// Its id.
    pub id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// When it was said.
    pub said_at: Timestamp,
    /// The place in it.
    pub passage: Passage,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHit {
    /// Its chat.
    pub chat: ChatId,
    /// That chat's title.
    pub chat_title: String,
    /// The end of a branch on which it is.
    pub node: Node,
    /// Its path.
    pub path: Passage,
    /// What it holds there; another branch may have another file of that path.
    pub sha256: crate::digest::BlobId,
    /// The place in it, where its contents were looked into and have the words.
    pub passage: Option<Passage>,
}

/// A tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolHit {
    /// Its whole id.
    pub tool_id: String,
    /// Its name.
    pub name: Passage,
    /// What it belongs to.
    pub group: String,
    /// What it does, or the place in that.
    pub passage: Passage,
}

impl<T> Group<T> {
    /// The best of what was found, in its order.
    pub(super) fn of(hits: impl IntoIterator<Item = T>, wanted: usize) -> Self {
        let wanted = wanted.min(super::Wanted::MOST);
        let mut hits: Vec<T> = hits.into_iter().take(wanted + 1).collect();
        let has_more = hits.len() > wanted;
        hits.truncate(wanted);
        Self { hits, has_more }
    }
}
