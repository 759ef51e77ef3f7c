//! F2: whatever is being done, and at whichever operation of the store the device stops, there is afterwards the old state or the new
//! one, and it is sound.
//!
//! The operations are those of [`Store`]. That a commit itself is whole or not at all is each store's own promise: the contract
//! shows it for the refusals, and `cargo xtask faults stop` for every request of the browser's database.

use std::cell::Cell;

use serde_json::json;

use super::chats::{message, message_id};
use super::{Device, MANIFEST, text, zip};
use crate::at_once::at_once;
use crate::conversation::{self, ConversationLimits, Heads, MessageTree, NewMessage, leaf_place};
use crate::digest::BlobId;
use crate::ids::ManifestId;
use crate::record::{Chat, Content, Message, Node, NodeHead, Position, RowKey, Table, WorkspaceManifest};
use crate::store::stopping::{Moment, Stopping};
use crate::store::{self, Commit, OutboxEntry, Store, StoreError, StoredRow};
use crate::time::Timestamp;
use crate::workspace::{self, Base, NewManifest, Place};

/// All that a user could miss: where they last looked is not part of it.
#[derive(Debug, PartialEq)]
struct State {
    rows: Vec<(Table, Vec<(RowKey, StoredRow)>)>,
    blobs: Vec<BlobId>,
    outbox: Vec<OutboxEntry>,
}

fn state(device: &Device) -> State {
    let tables = Table::ALL.into_iter().filter(|table| *table != Table::Positions);
    State {
        rows: tables.map(|table| (table, at_once(device.store.rows(table)).expect("is read"))).collect(),
        blobs: at_once(device.store.blob_ids()).expect("is read"),
        outbox: at_once(device.store.outbox()).expect("is read"),
    }
}

/// Does something on a device as often as there are operations to stop at. Ids and clocks are counted, so it always comes to the
/// same.
fn check(prepare: fn() -> Device, act: fn(&Device, &Stopping<'_, crate::store::MemoryStore>)) {
    let run = |at: usize, moment: Moment| {
        let device = prepare();
        let stopping = Stopping { store: &device.store, at, moment, done: Cell::new(0) };
        act(&device, &stopping);
        let stopped = stopping.has_stopped();
        (device, stopped)
    };
    let before = state(&prepare());
    let after = state(&run(usize::MAX, Moment::Before).0);
    assert_ne!(before, after, "nothing is done at all");
    let (mut old, mut new) = (0, 0);
    for at in 1.. {
        let (early, stopped) = run(at, Moment::Before);
        if !stopped {
            break;
        }
        for device in [early, run(at, Moment::After).0] {
            match state(&device) {
                now if now == before => old += 1,
                now if now == after => new += 1,
                between => panic!("stopped at operation {at} it is neither old nor new: {between:?}"),
            }
            assert_eq!(device.ask("POST", "/local/check", b"").is(200)["broken"], json!([]), "at operation {at}");
        }
    }
    assert!(old > 0 && new > 0, "{old} times old, {new} times new");
}

/// A chat with two files, and an answer below its first message.
fn with_files() -> Device {
    let device = Device::new();
    let chat = device.chat();
    device.apply(Commit::default().put(&message(&chat, 1, None)).put(&message(&chat, 2, Some(1))));
    for path in ["a.txt", "notes/b.txt"] {
        device.ask("PUT", &format!("{}/{path}", files(&chat)), path.as_bytes()).is(200);
    }
    device
}

fn only_chat(device: &Device) -> String {
    text(&device.get("/local/chats")["chats"][0]["id"])
}

fn files(chat: &str) -> String {
    format!("/local/chats/{chat}/workspace/files")
}

/// F2
#[test]
fn a_snapshot_stopped_anywhere_is_old_or_new() {
    check(with_files, |device, stopping| {
        let url = format!("{}/notes/b.txt", files(&only_chat(device)));
        device.ask_over(stopping, "PUT", &url, b"changed");
    });
    check(with_files, |device, stopping| {
        let url = format!("{}/notes/b.txt", files(&only_chat(device)));
        device.ask_over(stopping, "DELETE", &url, b"");
    });
}

/// F2
#[test]
fn an_import_stopped_anywhere_is_old_or_new() {
    check(Device::new, |device, stopping| {
        device.ask_over(stopping, "POST", "/local/toolsets/import", &zip(MANIFEST));
    });
    check(Device::with_toolset, |device, stopping| {
        device.ask_over(stopping, "POST", "/local/toolsets/import", &zip(&MANIFEST.replace("1.0.0", "2.0.0")));
    });
}

/// F2: a second message below a node begins a branch, with files of its own, and is looked at.
#[test]
fn a_branch_stopped_anywhere_is_old_or_new() {
    check(with_files, |device, stopping| {
        // What fails is told to the user by whoever asked; here only what is stored counts.
        at_once(begin_branch(device, stopping)).ok();
    });
}

async fn begin_branch(device: &Device, store: &impl Store) -> Result<(), StoreError> {
    let (chat_id, now) = (only_chat(device), Timestamp::from_millis(9_000));
    let chat: Chat = store::get(store, RowKey::one(chat_id.as_str())).await?.expect("is there");
    let messages = store::list_where::<Message>(store, "chat_id", &chat_id).await?;
    let tree = MessageTree::new(&chat.id, messages.into_iter().flatten());
    let heads = store::list_where::<NodeHead>(store, "chat_id", &chat_id).await?;
    let heads = Heads::new(&chat.id, heads.into_iter().flatten());
    let parent = Node::Message(message_id(1));
    let manifest = heads.manifest_at(&tree, &Node::Message(message_id(2))).expect("there are files").clone();
    let manifest: WorkspaceManifest = store::get(store, RowKey::one(manifest.as_str())).await?.expect("is there");
    let leaf = Node::Message(message_id(3));
    let place = Place { chat_id: chat.id.clone(), node: leaf.clone(), base: Some(Base { manifest, head: None }) };
    let id = ManifestId::parse("0198c5a4-7c1e-7000-b000-000000000003").expect("is a UUID");
    let branch = workspace::branch(&place, &parent, NewManifest { id, created_at: now }).expect("there are files");
    let new =
        NewMessage { id: message_id(3), parent, content: Content::Text("otherwise".into()), attachments: Vec::new() };
    let none = Heads::new(&chat.id, []);
    let said = conversation::say(&chat, &tree, &none, new, ConversationLimits::default(), now).expect("is fine");
    store.apply(said.then(branch.commit), now).await?;
    let value = serde_json::to_value(leaf).expect("is a text");
    store.apply(Commit::relaxed().put(&Position { place: leaf_place(&chat.id), value }), now).await?;
    Ok(())
}
