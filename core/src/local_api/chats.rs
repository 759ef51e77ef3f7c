//! `/local/chats`: conversations with their trees and calls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::call::Call;
use super::refusal::Refusal;
use super::response::Response;
use super::route::Answer;
use crate::catalog::Selection;
use crate::conversation::{self, OpenChat, OpenError};
use crate::ids::{ChatId, ManifestId};
use crate::record::{Chat, Message, Node, ToolCall};
use crate::store::{self, Store};

/// Answer of `GET /local/chats`.
#[derive(Debug, Serialize)]
struct ChatsBody {
    chats: Vec<Chat>,
    /// Rows that cannot be read, so that nothing is hidden by them (R317).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
}

/// Body of `POST /local/chats`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewChatBody {
    #[serde(default)]
    title: Option<String>,
    /// The tools that it offers its model.
    #[serde(default, rename = "enabledTools")]
    enabled_tools: Option<BTreeMap<String, Vec<String>>>,
}

/// Answer of `GET /local/chats/{id}`.
#[derive(Debug, Serialize)]
struct ChatDetails {
    #[serde(flatten)]
    chat: Chat,
    /// The leaf that is shown on this device: a message, or `root`.
    active_leaf: Node,
    /// All messages of all branches, oldest first; `parent_id` makes them a tree.
    messages: Vec<MessageBody>,
    tool_calls: Vec<ToolCall>,
    /// What of it cannot be read, or does not fit together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
}

/// A message and the state of the files at it.
#[derive(Debug, Serialize)]
struct MessageBody {
    #[serde(flatten)]
    message: Message,
    manifest_id: Option<ManifestId>,
}

/// `GET /local/chats`, the latest first.
pub(super) async fn list<S: Store>(call: Call<'_, S>) -> Answer {
    let mut body = ChatsBody { chats: Vec::new(), broken: Vec::new() };
    for row in store::list::<Chat>(call.store).await? {
        match row {
            Ok(chat) if chat.soft_deleted_at.is_some() => {}
            Ok(chat) => body.chats.push(chat),
            Err(error) => body.broken.push(error.to_string()),
        }
    }
    body.chats.sort_by(|one, other| (other.modified_at, &other.id).cmp(&(one.modified_at, &one.id)));
    Ok(Response::json(200, &body))
}

/// `POST /local/chats`
pub(super) async fn create<S: Store>(call: Call<'_, S>) -> Answer {
    let NewChatBody { title, enabled_tools } = call.json(r#"{"title": "A title"}"#)?;
    let (limits, now) = (call.world.limits.conversation, call.world.now);
    let (mut chat, mut commit) = conversation::create(call.fresh(ChatId::parse), title.as_deref(), limits, now)?;
    if enabled_tools.is_some() {
        let chosen = Selection::of_chat(enabled_tools.as_ref());
        commit = commit.then(conversation::choose_tools(&chat, &chosen));
        chat.enabled_tools = Some(chosen.to_chat());
    }
    call.apply(commit).await?;
    Ok(Response::json(201, &chat))
}

/// `GET /local/chats/{id}`
pub(super) async fn details<S: Store>(call: Call<'_, S>) -> Answer {
    let open = open(&call).await?;
    let mut broken: Vec<String> = open.unreadable.iter().map(ToString::to_string).collect();
    broken.extend(open.tree.faults().iter().map(ToString::to_string));
    let mut tool_calls: Vec<ToolCall> = Vec::new();
    for row in store::list_where(call.store, "chat_id", open.chat.id.as_str()).await? {
        match row {
            Ok(row) => tool_calls.push(row),
            Err(error) => broken.push(error.to_string()),
        }
    }
    tool_calls.sort_by(|one, other| (one.started_at, &one.id).cmp(&(other.started_at, &other.id)));
    let mut messages: Vec<&Message> = open.tree.messages().collect();
    messages.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
    let messages = messages.into_iter().map(|message| {
        let manifest = open.heads.manifest_at(&open.tree, &Node::Message(message.id.clone()));
        MessageBody { message: message.clone(), manifest_id: manifest.cloned() }
    });
    let messages = messages.collect();
    let OpenChat { chat, leaf: active_leaf, .. } = open;
    Ok(Response::json(200, &ChatDetails { chat, active_leaf, messages, tool_calls, broken }))
}

/// The chat that the address names.
pub(super) async fn open<S: Store>(call: &Call<'_, S>) -> Result<OpenChat, Refusal> {
    let id = call.chat_id()?;
    let open = OpenChat::open(call.store, &id).await?;
    open.ok_or_else(|| Refusal::not_found(format!("there is no chat {id}")))
}

/// What is seen of the files of the chat that the address names. An editing session replaces the state it saved last, so that a state which the
/// chat was just read with may be gone: the chat is then read anew, and only what is lacking again is lost.
pub(super) async fn look<S: Store, T>(
    call: &Call<'_, S>,
    look: impl AsyncFn(&OpenChat) -> Result<T, OpenError>,
) -> Result<T, Refusal> {
    match look(&open(call).await?).await {
        Err(OpenError::NoManifest(_)) => Ok(look(&open(call).await?).await?),
        looked => Ok(looked?),
    }
}
