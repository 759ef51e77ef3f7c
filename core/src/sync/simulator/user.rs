//! What people do on a device: chats, messages, files, settings; and deleting them.

use serde_json::Map;

use super::random::Random;
use crate::at_once::at_once;
use crate::ids::{ChatId, ManifestId, MessageId};
use crate::record::{
    Chat, Content, ManifestSource, Message, Node, NodeHead, Role, RowKey, RowRef, Setting, Table, WorkspaceManifest,
};
use crate::store::{Blob, Commit, MemoryStore, Store as _, list, list_where};
use crate::sync::Stamp;
use crate::time::Timestamp;
use crate::upkeep::{UndoLimits, clean_up};
use crate::workspace::{FileEntry, Files, WorkspaceLimits, WorkspacePath, all_rows, build, purge_chat};

/// A field that the store has acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Acknowledged {
    pub(super) row: RowRef,
    pub(super) field: String,
    pub(super) stamp: Stamp,
    pub(super) value: serde_json::Value,
}

/// Does something on a device; what the store has acknowledged of it.
pub(super) fn act(store: &MemoryStore, random: &mut Random, now: Timestamp) -> Vec<Acknowledged> {
    let chats: Vec<Chat> =
        at_once(list(store)).expect("reads").into_iter().map(|chat| chat.expect("is a chat")).collect();
    let chat = random.pick(&chats).cloned();
    let commit = match (random.below(16), chat) {
        (0..=2, _) => Commit::default().put(&setting(random)),
        (3, _) => Commit::default().delete(RowRef::of(&setting(random))),
        (4, _) | (_, None) => new_chat(random, now),
        (5..=6, Some(chat)) => {
            let title = format!("title {}", random.below(1000));
            Commit::default().change(&chat, &Chat { title, modified_at: now, ..chat.clone() })
        }
        (7, Some(chat)) => {
            let max_tool_iterations = Some(1 + random.below(9) as u32);
            Commit::default().change(&chat, &Chat { max_tool_iterations, ..chat.clone() })
        }
        (8..=10, Some(chat)) => Commit::default().put(&message(&chat, random, now)),
        (11..=13, Some(chat)) => files(store, &chat, random, now),
        (14, Some(chat)) if random.one_in(3) => purge_chat(&chat.id, &at_once(all_rows(store)).expect("reads")),
        (14, Some(chat)) => {
            let found = at_once(list_where::<Message>(store, "chat_id", chat.id.as_str())).expect("reads");
            let found: Vec<Message> = found.into_iter().filter_map(Result::ok).collect();
            random.pick(&found).map_or_else(Commit::default, |message| Commit::default().delete(RowRef::of(message)))
        }
        (_, Some(_)) => {
            at_once(clean_up(store, UndoLimits::default(), now)).expect("cleans up");
            Commit::default()
        }
    };
    let touched: Vec<RowRef> = commit.puts.iter().map(|put| put.row.clone()).collect();
    let stamp = at_once(store.apply(commit, now)).expect("applies");
    let stored = at_once(store.stored(&touched)).expect("reads");
    let mut acknowledged = Vec::new();
    for (row, stored) in touched.into_iter().zip(stored) {
        let stored = stored.expect("was put");
        for (field, _) in stored.stamps.iter().filter(|(_, written)| **written == stamp) {
            let (field, value) = (field.clone(), stored.fields[field].clone());
            acknowledged.push(Acknowledged { row: row.clone(), field, stamp: stamp.clone(), value });
        }
    }
    acknowledged
}

fn setting(random: &mut Random) -> Setting {
    Setting { key: format!("setting {}", random.below(4)), value: random.below(100).into() }
}

fn new_chat(random: &mut Random, now: Timestamp) -> Commit {
    let id = ChatId::parse(random.uuid(0xc)).expect("is a UUID");
    let chat = Chat::new(id, format!("title {}", random.below(1000)), now);
    let message = message(&chat, random, now);
    Commit::default().put(&chat).put(&message)
}

fn message(chat: &Chat, random: &mut Random, now: Timestamp) -> Message {
    Message {
        id: MessageId::parse(random.uuid(0xb)).expect("is a UUID"),
        chat_id: chat.id.clone(),
        parent_id: None,
        role: Role::User,
        content: Content::Text(format!("message {}", random.next())),
        tool_calls: Vec::new(),
        tool_call_id: None,
        metadata: Map::new(),
        created_at: now,
    }
}

/// A new state of a chat's files in the place of one of its heads; on several devices at once this leaves several heads.
fn files(store: &MemoryStore, chat: &Chat, random: &mut Random, now: Timestamp) -> Commit {
    let contents: Vec<String> = (0..=random.below(4)).map(|_| "x".repeat(random.below(90) as usize)).collect();
    let entry =
        |text: &String| FileEntry { sha256: crate::digest::BlobId::of(text.as_bytes()), size: text.len() as u64 };
    let path = |at: usize| WorkspacePath::parse(format!("folder/deep/{at}.txt")).expect("is a path");
    let files: Files = contents.iter().enumerate().map(|(at, text)| (path(at), entry(text))).collect();
    let snapshot = build(&files, &WorkspaceLimits::default()).expect("are proper files");
    let manifest = WorkspaceManifest {
        id: ManifestId::parse(random.uuid(0xf)).expect("is a UUID"),
        chat_id: chat.id.clone(),
        parent_id: None,
        root: snapshot.root,
        created_at: now,
        source: ManifestSource::Edit,
        source_ref: None,
    };
    let head = |manifest_id| NodeHead { chat_id: chat.id.clone(), message_id: Node::Root, manifest_id };
    let heads = at_once(list_where::<NodeHead>(store, "chat_id", chat.id.as_str())).expect("reads");
    let replaced: Vec<NodeHead> = heads.into_iter().filter_map(Result::ok).collect();
    let mut commit = Commit::default().put(&manifest).put(&head(manifest.id.clone()));
    if let Some(old) = random.pick(&replaced) {
        let manifest = RowRef { table: Table::WorkspaceManifests, key: RowKey::one(old.manifest_id.as_str()) };
        commit = commit.delete(RowRef::of(old)).delete(manifest);
    }
    let blobs = contents.into_iter().map(|text| Blob::new(text.into_bytes())).chain(snapshot.trees);
    blobs.fold(commit, Commit::blob)
}
