//! Chats: listing them, opening one, saying something, and putting one away. Forking one is beside this, in `forking.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use satchel_core::catalog::Selection;
use satchel_core::conversation::{
    self, ConversationError, ConversationLimits, Heads, MessageTree, NewMessage, leaf_place,
};
use satchel_core::ids::{ChatId, MessageId};
use satchel_core::order;
use satchel_core::record::{Chat, Message, Node, NodeHead, Record as _, RowKey, Table, WorkspaceManifest};
use satchel_core::saved::begin_equipped;
use satchel_core::store::{self, Commit, Store as _, StoreError};
use satchel_core::time::Timestamp;
use satchel_core::workspace::{self, Base, NewManifest, Place};

use super::drafts::Written;
use super::errand::ErrandError;
use super::store::AppStore;
use super::{positions, selection, settings, upkeep};
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::ChatTurn;
use crate::browser::{clock, random};

/// Why something was not done to a chat.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChatError {
    #[error(transparent)]
    Refused(#[from] ConversationError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A chat with all that belongs to it, and the place in it that was last looked at.
#[derive(Clone)]
pub(crate) struct OpenChat {
    pub(crate) chat: Chat,
    pub(crate) tree: Arc<MessageTree>,
    pub(crate) leaf: Node,
}

/// The chats of this device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChatList {
    /// Those that were not deleted, the latest first.
    pub(crate) chats: Vec<Chat>,
    /// Those that can be brought back, the last deleted first.
    pub(crate) deleted: Vec<DeletedChat>,
    /// How many rows cannot be read, and are left out.
    pub(crate) unreadable: usize,
}

/// A chat that was deleted and can be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeletedChat {
    pub(crate) chat: Chat,
    /// Until when.
    pub(crate) until: Timestamp,
}

/// Reads the chats.
pub(crate) async fn list(store: AppStore) -> Result<ChatList, StoreError> {
    let (limits, now) = (ConversationLimits::default(), clock::now());
    let mut list = ChatList::default();
    for read in store::list::<Chat>(&store).await? {
        let Ok(chat) = read else {
            list.unreadable += 1;
            continue;
        };
        match conversation::undo_ends(&chat, limits) {
            None => list.chats.push(chat),
            Some(until) if until > now => list.deleted.push(DeletedChat { chat, until }),
            // The next clean-up takes it.
            Some(_over) => {}
        }
    }
    order::sort_by(&mut list.chats, |a, b| (b.modified_at, &b.id).cmp(&(a.modified_at, &a.id)));
    order::sort_by(&mut list.deleted, |a, b| (b.until, &b.chat.id).cmp(&(a.until, &a.chat.id)));
    Ok(list)
}

/// Opens a chat; nothing where there is none of that id, or it was deleted. What was read `before` is not read again: messages never
/// change.
pub(crate) async fn open(
    store: AppStore,
    id: &str,
    before: Option<Arc<MessageTree>>,
) -> Result<Option<OpenChat>, StoreError> {
    let chat: Option<Chat> = store::get(&store, RowKey::one(id)).await?;
    let Some(chat) = chat.filter(|chat| chat.soft_deleted_at.is_none()) else { return Ok(None) };
    let tree = match before {
        Some(before) => read_on(&store, &chat.id, before).await?,
        // One broken row never hides the others; what hung on it is shown at the root.
        None => {
            let messages = store::list_where::<Message>(&store, "chat_id", id).await?;
            Arc::new(MessageTree::new(&chat.id, messages.into_iter().flatten()))
        }
    };
    let remembered: Option<Node> = positions::load(store, &leaf_place(&chat.id)).await?;
    let leaf = tree.active_leaf(remembered.as_ref());
    Ok(Some(OpenChat { chat, tree, leaf }))
}

/// A chat as it is now, for who waited for its turn: what was asked for at a leaf that was answered meanwhile is meant for the end of
/// that branch.
pub(super) async fn caught_up(store: &AppStore, open: &OpenChat) -> Result<OpenChat, StoreError> {
    let tree = read_on(store, &open.chat.id, open.tree.clone()).await?;
    let remembered: Option<Node> = positions::load(store.clone(), &leaf_place(&open.chat.id)).await?;
    let leaf = tree.gone_on(&open.leaf, remembered.as_ref());
    Ok(OpenChat { chat: open.chat.clone(), tree, leaf })
}

/// The tree of a chat as it is now, with what is new in it. Where nothing is, it is the same one.
async fn read_on(store: &AppStore, chat: &ChatId, before: Arc<MessageTree>) -> Result<Arc<MessageTree>, StoreError> {
    let keys = store.row_keys_where(Table::Messages, "chat_id", chat.as_str()).await?;
    let (mut kept, mut fresh) = (BTreeSet::new(), Vec::new());
    for key in keys {
        match MessageId::parse(key.to_string()) {
            Ok(id) if before.message(&id).is_some() => drop(kept.insert(id)),
            // Few: an answer, or the results of its calls. A row that cannot be read is tried anew.
            Ok(_) | Err(_) => fresh.extend(store::get::<Message>(store, key).await.ok().flatten()),
        }
    }
    if fresh.is_empty() && kept.len() == before.messages().count() {
        return Ok(before);
    }
    let known = before.messages().filter(|message| kept.contains(&message.id)).cloned();
    Ok(Arc::new(MessageTree::new(chat, known.chain(fresh))))
}

/// Held by who begins a chat, until the page is at it: what comes meanwhile belongs to that chat.
pub(crate) async fn turn_of_new() -> ChatTurn {
    ChatTurn::wait("new").await
}

/// Begins a chat with its first message.
pub(crate) async fn begin(store: AppStore, written: &Written) -> Result<(ChatId, MessageId), ChatError> {
    let limits = settings::limits(&store).await?.conversation();
    let (chat, created) = create_with_tools(&store, limits).await?;
    let (tree, heads) = (MessageTree::new(&chat.id, []), Heads::new(&chat.id, []));
    let new = message(Node::Root, written);
    let id = new.id.clone();
    let said = conversation::say(&chat, &tree, &heads, new, limits, clock::now())?;
    apply(store, without_draft(created.then(said), written)).await?;
    Ok((chat.id, id))
}

/// A new chat with the tools that were last chosen (R173). It gets its title with its first message.
async fn create_with_tools(store: &AppStore, limits: ConversationLimits) -> Result<(Chat, Commit), ChatError> {
    let (mut chat, mut created) = conversation::create(random::chat_id(), None, limits, clock::now())?;
    if let Some(last) = selection::last() {
        let chosen = Selection::of_chat(Some(&last));
        created = created.then(conversation::choose_tools(&chat, &chosen));
        chat.enabled_tools = Some(chosen.to_chat());
    }
    // Or with the saved toolset that is equipped for the next chat (C16).
    let equipped = begin_equipped(store, chat.clone()).await?;
    if equipped != chat {
        created = created.then(Commit::default().change(&chat, &equipped));
    }
    Ok((equipped, created))
}

/// Makes a chat without messages, for files that come before the first word.
pub(crate) async fn create(store: AppStore) -> Result<OpenChat, ChatError> {
    let (chat, created) = create_with_tools(&store, ConversationLimits::default()).await?;
    apply(store, created).await?;
    let tree = Arc::new(MessageTree::new(&chat.id, []));
    Ok(OpenChat { chat, tree, leaf: Node::Root })
}

/// Says something below a node of a chat, and looks there. The heads are read now, since files may have changed after the chat was
/// opened.
pub(crate) async fn say(
    store: AppStore,
    open: &OpenChat,
    parent: Node,
    written: &Written,
) -> Result<MessageId, ChatError> {
    let _turn = ChatTurn::wait(open.chat.id.as_str()).await;
    let heads = heads(&store, &open.chat.id).await?;
    let begins_branch = !open.tree.children(&parent).is_empty();
    let new = message(parent.clone(), written);
    let id = new.id.clone();
    let (limits, now) = (settings::limits(&store).await?.conversation(), clock::now());
    let base = match heads.manifest_at(&open.tree, &parent).filter(|_| begins_branch) {
        Some(manifest) => store::get::<WorkspaceManifest>(&store, RowKey::one(manifest.as_str())).await?,
        None => None,
    };
    let place = Place {
        chat_id: open.chat.id.clone(),
        node: Node::Message(id.clone()),
        base: base.map(|manifest| Base { manifest, head: None }),
    };
    let commit = match workspace::branch(&place, &parent, NewManifest { id: random::manifest_id(), created_at: now }) {
        // A branch begins with a state of its own, and so does not take the head of the node before (R040).
        Some(branch) => {
            let none = Heads::new(&open.chat.id, []);
            conversation::say(&open.chat, &open.tree, &none, new, limits, now)?.then(branch.commit)
        }
        None => conversation::say(&open.chat, &open.tree, &heads, new, limits, now)?,
    };
    // In the same commit: who is told that it failed may say it again.
    let looked = positions::change(&leaf_place(&open.chat.id), &Node::Message(id.clone()));
    apply(store, without_draft(commit.then(looked), written)).await?;
    Ok(id)
}

/// The draft goes together with what makes it a message, so that it is never lost and never there twice.
fn without_draft(commit: Commit, written: &Written) -> Commit {
    written.draft.iter().cloned().fold(commit, Commit::delete)
}

pub(super) async fn heads(store: &AppStore, chat: &ChatId) -> Result<Heads, StoreError> {
    let rows = store::list_where::<NodeHead>(store, "chat_id", chat.as_str()).await?;
    Ok(Heads::new(chat, rows.into_iter().flatten()))
}

/// Remembers, on this device, which branch of a chat was last looked at.
pub(crate) async fn look_at(store: AppStore, chat: &ChatId, leaf: &Node) -> Result<(), StoreError> {
    positions::save(store, &leaf_place(chat), leaf).await
}

/// Gives a chat another title.
pub(crate) async fn rename(store: AppStore, chat: &Chat, title: &str) -> Result<(), ChatError> {
    let commit = conversation::rename(chat, title, ConversationLimits::default())?;
    Ok(apply(store, commit).await?)
}

/// Deletes a chat, so that it can be brought back.
pub(crate) async fn delete(store: AppStore, chat: &Chat) -> Result<(), StoreError> {
    apply(store, conversation::soft_delete(chat, clock::now())).await
}

/// Brings a deleted chat back.
pub(crate) async fn restore(store: AppStore, chat: &Chat) -> Result<(), StoreError> {
    let deleted: Option<Chat> = store::get(&store, chat.key()).await?;
    match deleted {
        Some(deleted) => apply(store, conversation::restore(&deleted)).await,
        None => Ok(()),
    }
}

/// Deletes a deleted chat for good, now.
pub(crate) async fn purge(chat: &Chat) -> Result<(), ErrandError> {
    upkeep::purge(chat.id.clone()).await?;
    tab_news::tell(Topic::Chats);
    Ok(())
}

/// Calls back when something in a chat was changed elsewhere.
pub(crate) fn on_news(callback: impl Fn() + 'static) {
    tab_news::on(Topic::Chats, callback);
}

pub(super) async fn apply(store: AppStore, commit: Commit) -> Result<(), StoreError> {
    store.apply(commit, clock::now()).await?;
    tab_news::tell(Topic::Chats);
    Ok(())
}

fn message(parent: Node, Written { text, attachments, .. }: &Written) -> NewMessage {
    let content = conversation::content_of(text, attachments);
    NewMessage { id: random::message_id(), parent, content, attachments: attachments.clone() }
}
