//! What a clean-up frees, and what it leaves.

use super::*;
use crate::at_once::at_once;
use crate::conversation;
use crate::digest::BlobId;
use crate::record::{Draft, RowKey, Table};
use crate::store::{self, Blob};
use crate::upkeep::sample::{Device, MANIFEST, at};

const HOURS: u64 = 60 * 60 * 1_000;

fn clean(device: &Device, now: u64) -> Cleaned {
    at_once(clean_up(&device.store, UndoLimits::default(), at(now))).expect("memory does not fail")
}

fn delete_chat(device: &Device, id: &str) {
    let chat: Chat = at_once(store::get(&device.store, RowKey::one(id))).expect("reads").expect("is there");
    at_once(device.store.apply(conversation::soft_delete(&chat, at(1)), at(1))).expect("applies");
}

fn is_stored(device: &Device, content: &str) -> bool {
    at_once(device.store.missing_blobs(&[BlobId::of(content.as_bytes())])).expect("reads").is_empty()
}

/// R042, C24: what another chat holds too stays, the rest goes, once the chat cannot be brought back.
#[test]
fn a_deleted_chat_frees_only_what_nothing_else_names() {
    let device = Device::new();
    let gone = device.chat_with(&[("a.txt", "only here"), ("b.txt", "in both")]);
    device.chat_with(&[("c.txt", "in both")]);
    delete_chat(&device, &gone);
    assert_eq!(clean(&device, 47 * HOURS), Cleaned::default());
    assert!(is_stored(&device, "only here"));

    let cleaned = clean(&device, 49 * HOURS);
    assert_eq!((cleaned.chats, cleaned.toolsets), (1, 0));
    assert!(!is_stored(&device, "only here") && is_stored(&device, "in both"));
    let left = at_once(device.store.rows(Table::WorkspaceManifests)).expect("reads");
    assert!(left.iter().all(|(_, row)| row.fields["chat_id"] != gone.as_str()), "{left:?}");
    assert_eq!(clean(&device, 50 * HOURS), Cleaned::default(), "there is nothing left to do");
}

/// R319: for good is for good, and only what was deleted first goes.
#[test]
fn a_deleted_chat_goes_at_once_when_the_user_says_so() {
    let device = Device::new();
    let id = device.chat_with(&[("a.txt", "only here")]);
    let chat = ChatId::parse(id.as_str()).expect("is an id");
    let typed = [format!("composer/{id}"), format!("editor/{id}/session"), "composer/new".into()];
    for place in typed.clone() {
        let draft = Draft { place, text: "typed".into(), ..Draft::default() };
        at_once(device.store.apply(Commit::default().put(&draft), at(1))).expect("applies");
    }
    let purge = || at_once(purge_deleted_chat(&device.store, &chat, at(2))).expect("memory does not fail");
    assert!(!purge(), "it was not deleted");
    assert!(is_stored(&device, "only here"));

    delete_chat(&device, &id);
    assert!(purge());
    assert!(!is_stored(&device, "only here"));
    let left: Vec<Draft> = at_once(store::list(&device.store)).expect("reads").into_iter().flatten().collect();
    assert_eq!(left.iter().map(|draft| draft.place.as_str()).collect::<Vec<_>>(), ["composer/new"]);
    assert!(!purge(), "it is gone");
}

/// C50
#[test]
fn an_uninstalled_toolset_goes_after_its_undo_time() {
    let device = Device::new();
    device.ask("POST", "/local/toolsets/import", MANIFEST.as_bytes());
    device.ask("DELETE", "/local/toolsets/sample", b"");
    assert_eq!(clean(&device, 47 * HOURS).toolsets, 0);
    assert_eq!(clean(&device, 49 * HOURS).toolsets, 1);
    assert_eq!(at_once(device.store.blob_ids()).expect("reads"), [], "its files are gone too");
}

#[test]
fn a_blob_that_no_row_names_is_dropped() {
    let device = Device::new();
    device.chat_with(&[("a.txt", "named")]);
    let orphan = Blob::new(b"orphan".to_vec());
    at_once(device.store.apply(Commit::default().blob(orphan), at(1))).expect("applies");
    assert_eq!(clean(&device, 2), Cleaned { blobs: 1, ..clean(&device, 2) });
    assert!(is_stored(&device, "named") && !is_stored(&device, "orphan"));
}

/// What is below a folder that cannot be read is not known, so nothing is taken for unused.
#[test]
fn nothing_is_dropped_while_a_folder_is_damaged() {
    let device = Device::new();
    let chat = device.chat_with(&[("folder/a.txt", "below")]);
    let manifest = at_once(device.store.rows_where(Table::WorkspaceManifests, "chat_id", &chat)).expect("reads");
    let root = manifest[0].1.fields["root"].as_str().expect("is a text");
    let damaged = Blob::named(BlobId::parse(root).expect("is a name"), b"no tree".to_vec());
    at_once(device.store.apply(Commit::default().blob(damaged), at(1))).expect("applies");
    assert_eq!(clean(&device, 2).blobs, 0);
    assert!(is_stored(&device, "below"));
}
