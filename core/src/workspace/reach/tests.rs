//! Which blobs live.

use serde_json::json;

use super::*;
use crate::ids::ManifestId;
use crate::record::{ManifestSource, Node, NodeHead, RowKey, WorkspaceManifest};
use crate::store::{Blob, Put};
use crate::time::Timestamp;
use crate::workspace::fixtures::{TestStore, built, chat_id, contents, file, files, manifest_id};

/// Stores files as the state of a chat.
fn chat_with(store: &TestStore, number: u32, wanted: &[(&str, &str)]) -> BTreeSet<BlobId> {
    let snapshot = built(&files(wanted));
    let manifest = WorkspaceManifest {
        id: manifest_id(number),
        chat_id: chat_id(number),
        parent_id: None,
        root: snapshot.root,
        created_at: Timestamp::default(),
        source: ManifestSource::UserUpload,
        source_ref: None,
    };
    let head =
        NodeHead { chat_id: chat_id(number), message_id: Node::Root, manifest_id: ManifestId::clone(&manifest.id) };
    let blobs: Vec<Blob> = contents(wanted).into_iter().chain(snapshot.trees).collect();
    let ids = blobs.iter().map(Blob::id).collect();
    store.apply(Commit { blobs, ..Commit::default() }.put(&manifest).put(&head));
    ids
}

fn live(store: &TestStore) -> BTreeSet<BlobId> {
    let rows = store.rows();
    store.read(|trees| live_blobs(trees, &rows)).expect("the trees are sound")
}

/// R042, C24: deleting a chat frees what only it named: equal files and folders of another chat stay.
#[test]
fn deleting_a_chat_frees_what_nobody_else_names() {
    let store = TestStore::new();
    let kept = chat_with(&store, 1, &[("same/a", "shared"), ("mine", "1")]);
    let doomed = chat_with(&store, 2, &[("same/a", "shared"), ("theirs", "2")]);
    let all: BTreeSet<BlobId> = kept.union(&doomed).copied().collect();
    assert_eq!(garbage(all.clone(), &live(&store)), []);

    store.apply(purge_chat(&chat_id(2), &store.rows()));
    assert_eq!(live(&store), kept);
    let expected: Vec<BlobId> = doomed.difference(&kept).copied().collect();
    assert_eq!(garbage(all, &live(&store)), expected);
    assert_eq!(expected.len(), 2, "the file and the top folder");
    assert!(store.rows().keys().all(|row| !row.key.to_string().contains(chat_id(2).as_str())));
}

/// C24: whatever row names a blob, in whatever field, even one that this version cannot read.
#[test]
fn a_blob_lives_while_any_row_names_it() {
    let id = file("x").sha256;
    let check = |table: Table, fields: Value, expected: bool| {
        let store = TestStore::new();
        let fields = fields.as_object().expect("is an object").clone();
        let put = Put { row: RowRef { table, key: RowKey::one("key") }, fields, must_exist: false };
        store.apply(Commit { puts: vec![put], ..Commit::default() });
        assert_eq!(live(&store).contains(&id), expected, "{table}");
    };
    check(Table::ToolsetFiles, json!({"sha256": id, "soft_deleted_at": "2026-01-31T12:00:00Z"}), true);
    check(Table::ToolsetFiles, json!({"stored_path": format!("cas:{id}")}), true);
    check(Table::Messages, json!({"content": [{"type": "image", "sha256": id}]}), true);
    check(Table::ToolCalls, json!({"result": {"files": {"a.txt": id}}}), true);
    check(Table::ToolCalls, json!({"render_plan": {"pinned": [[id]]}}), true);
    check(Table::ToolCalls, json!({"result": {id.to_string(): 1}}), true);
    check(Table::Messages, json!({"content": "x"}), false);
}

/// Nothing is freed while a needed tree cannot be read: nobody knows what it named.
#[test]
fn a_damaged_tree_holds_back_the_clean_up() {
    let store = TestStore::new();
    chat_with(&store, 1, &[("a", "a")]);
    let rows = store.rows();
    let mut trees = Trees::default();
    trees.insert(built(&files(&[("a", "a")])).root, None);
    assert!(matches!(live_blobs(&trees, &rows), Err(WorkspaceError::Damaged { .. })));
}
