//! Copying the way to a message, with its files, into a chat of its own. Its code arrives when it is first done: it reads every kind of row
//! that belongs to a chat.

use futures_util::future::LocalBoxFuture;
use satchel_core::conversation::{self, ForkSource, leaf_place};
use satchel_core::ids::{ChatId, MessageId};
use satchel_core::record::{Node, ToolCall, WorkspaceManifest};
use satchel_core::store;

use super::chats::{ChatError, OpenChat, apply, heads};
use super::positions;
use super::store::AppStore;
use crate::browser::tab_roles::ChatTurn;
use crate::browser::{clock, random};

/// What forks a chat, once it is here.
#[derive(Clone, Copy, Debug)]
pub struct Forking(fn(AppStore, OpenChat, MessageId) -> LocalBoxFuture<'static, Result<ChatId, ChatError>>);

impl Forking {
    /// The code itself: only the chunk it is in may name it.
    pub(crate) fn here() -> Self {
        Self(|store, open, at| Box::pin(fork(store, open, at)))
    }

    /// Forks a chat at a message; the id of the new one.
    pub(crate) async fn fork(self, store: AppStore, open: OpenChat, at: MessageId) -> Result<ChatId, ChatError> {
        (self.0)(store, open, at).await
    }
}

async fn fork(store: AppStore, open: OpenChat, at: MessageId) -> Result<ChatId, ChatError> {
    let _turn = ChatTurn::wait(open.chat.id.as_str()).await;
    let id = open.chat.id.as_str();
    let heads = heads(&store, &open.chat.id).await?;
    let manifests = store::list_where::<WorkspaceManifest>(&store, "chat_id", id).await?;
    let manifests = manifests.into_iter().flatten().map(|manifest| (manifest.id.clone(), manifest)).collect();
    let calls = store::list_where::<ToolCall>(&store, "chat_id", id).await?;
    let calls: Vec<ToolCall> = calls.into_iter().flatten().collect();
    let source = ForkSource { chat: &open.chat, tree: &open.tree, heads: &heads, manifests: &manifests, calls: &calls };
    let fork = conversation::fork(source, &at, &mut random::uuid_v7, clock::now())?;
    let looked = positions::change(&leaf_place(&fork.chat.id), &Node::Message(fork.leaf));
    apply(store, fork.commit.then(looked)).await?;
    Ok(fork.chat.id)
}
