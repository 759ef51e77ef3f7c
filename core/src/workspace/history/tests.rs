//! A chat whose files change: manifests, heads and what two tabs do to them.

use super::*;
use crate::at_once::at_once;
use crate::record::Table;
use crate::store::{Store as _, StoreError};
use crate::workspace::fixtures::{
    LIMITS, TestStore, call_id, chat_id, contents, file, files, manifest_id, message_id, path,
};
use crate::workspace::{Changes, build, edit};

/// One chat whose files are changed step by step.
struct Chat {
    store: TestStore,
    next: u32,
}

impl Chat {
    fn new() -> Self {
        Self { store: TestStore::new(), next: 1 }
    }

    fn fresh(&mut self) -> NewManifest {
        self.next += 1;
        NewManifest { id: manifest_id(self.next), created_at: Timestamp::from_millis(u64::from(self.next)) }
    }

    /// The node with its own head, or with another's where it has none.
    fn place(&self, node: &Node, or: &Node) -> Place {
        let rows = self.store.rows();
        let find = |wanted: &Node| {
            rows.iter().filter(|(row, _)| row.table == Table::NodeHeads).find_map(|(row, stored)| {
                let head: NodeHead = stored.clone().record(row).expect("was written here");
                (head.message_id == *wanted).then(|| (head, stored.stamp().cloned()))
            })
        };
        let own = find(node);
        let held = own.is_some();
        let base = own.or_else(|| find(or)).map(|(head, stamp)| Base {
            manifest: self.manifest(&head.manifest_id).expect("heads name manifests"),
            head: stamp.filter(|_| held),
        });
        Place { chat_id: chat_id(1), node: node.clone(), base }
    }

    fn manifest(&self, id: &ManifestId) -> Option<WorkspaceManifest> {
        self.manifests().into_iter().find(|manifest| manifest.id == *id)
    }

    fn manifests(&self) -> Vec<WorkspaceManifest> {
        let rows = self.store.rows();
        let manifests = rows.iter().filter(|(row, _)| row.table == Table::WorkspaceManifests);
        manifests.map(|(row, stored)| stored.clone().record(row).expect("was written here")).collect()
    }

    fn put(&self, place: &Place, at: &str, content: &str) -> (Snapshot, Vec<Blob>) {
        let root = place.base.as_ref().map_or_else(empty_root, |base| base.manifest.root);
        let changes = Changes::default().put(path(at), file(content));
        let snapshot = self.store.read(|trees| edit(trees, root, &changes, &LIMITS)).expect("is allowed");
        (snapshot, contents(&[(at, content)]))
    }

    fn record(&mut self, node: &Node, at: &str, content: &str, cause: &Cause) -> Option<WorkspaceManifest> {
        let place = self.place(node, &Node::Root);
        let (snapshot, blobs) = self.put(&place, at, content);
        let made = record(&place, snapshot, blobs, self.fresh(), cause)?;
        self.store.apply(made.commit);
        Some(made.manifest)
    }

    fn save(&mut self, node: &Node, last: Option<(&ManifestId, Standing)>, content: &str) -> Option<WorkspaceManifest> {
        let place = self.place(node, &Node::Root);
        let (snapshot, blobs) = self.put(&place, "note.txt", content);
        let made = save_edit(&place, last, snapshot, blobs, self.fresh())?;
        self.store.apply(made.commit);
        Some(made.manifest)
    }

    /// The files a node shows.
    fn shows(&self, node: &Node) -> Vec<(String, String)> {
        let root = self.place(node, &Node::Root).base.map_or_else(empty_root, |base| base.manifest.root);
        let text = |bytes| String::from_utf8(bytes).expect("is text");
        self.store.materialise(root).into_iter().map(|(path, bytes)| (path, text(bytes))).collect()
    }
}

fn message(number: u32) -> Node {
    Node::Message(message_id(number))
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, content)| ((*path).to_owned(), (*content).to_owned())).collect()
}

/// R032, R041: an upload is in the workspace and in a new manifest.
#[test]
fn an_upload_makes_a_manifest_and_moves_the_head() {
    let mut chat = Chat::new();
    let first = chat.record(&Node::Root, "a.txt", "a", &Cause::Upload).expect("changes something");
    let second = chat.record(&Node::Root, "b.txt", "b", &Cause::Upload).expect("changes something");
    assert_eq!(chat.shows(&Node::Root), pairs(&[("a.txt", "a"), ("b.txt", "b")]));
    assert_eq!((first.parent_id, second.parent_id), (None, Some(first.id)));
    let rows = chat.store.rows();
    assert_eq!(rows.keys().filter(|row| row.table == Table::NodeHeads).count(), 1, "the parent's head is replaced");
}

/// R040
#[test]
fn manifests_say_what_made_them() {
    let mut chat = Chat::new();
    let mut check = |node: &Node, cause: Cause, source: ManifestSource, source_ref: Option<String>| {
        let made = chat.record(node, "a.txt", &format!("{node:?} {cause:?}"), &cause).expect("changes something");
        assert_eq!((made.source, made.source_ref), (source, source_ref));
    };
    check(&Node::Root, Cause::Upload, ManifestSource::UserUpload, None);
    check(&message(1), Cause::Upload, ManifestSource::UserUpload, Some(message_id(1).to_string()));
    check(&message(1), Cause::ToolRun(call_id(7)), ManifestSource::ToolRun, Some(call_id(7).to_string()));
    check(&message(1), Cause::Edit, ManifestSource::Edit, Some(message_id(1).to_string()));

    let place = chat.place(&message(2), &message(1));
    let base = place.base.clone().expect("the branch starts from files").manifest;
    let made = branch(&place, &message(1), chat.fresh()).expect("there are files");
    assert_eq!(
        (made.manifest.source, made.manifest.source_ref),
        (ManifestSource::Branch, Some(message_id(1).to_string()))
    );
    assert_eq!((made.manifest.root, made.manifest.parent_id), (base.root, Some(base.id)));
}

/// R036, C36
#[test]
fn a_run_that_changes_nothing_makes_no_manifest() {
    let mut chat = Chat::new();
    assert!(chat.record(&Node::Root, "a.txt", "a", &Cause::Upload).is_some());
    assert!(chat.record(&Node::Root, "a.txt", "a", &Cause::ToolRun(call_id(1))).is_none());
    let place = chat.place(&message(9), &message(9));
    let nothing = build(&files(&[]), &LIMITS).expect("is allowed");
    assert!(record(&place, nothing, vec![], chat.fresh(), &Cause::Edit).is_none());
}

/// R037, R038: each node shows its own files, also after going to another and back.
#[test]
fn branches_keep_their_files() {
    let mut chat = Chat::new();
    chat.record(&Node::Root, "a.txt", "start", &Cause::Upload).expect("changes something");
    chat.record(&message(1), "a.txt", "left", &Cause::Edit).expect("changes something");
    chat.record(&message(2), "b.txt", "right", &Cause::Edit).expect("changes something");
    for _there_and_back in 0..2 {
        assert_eq!(chat.shows(&message(1)), pairs(&[("a.txt", "left")]));
        assert_eq!(chat.shows(&message(2)), pairs(&[("a.txt", "start"), ("b.txt", "right")]));
    }
    assert_eq!(chat.shows(&Node::Root), pairs(&[("a.txt", "start")]), "the node they came from is as it was");
}

/// C25: a new message has the files of the one before without a new manifest.
#[test]
fn a_node_can_have_the_state_of_another() {
    let mut chat = Chat::new();
    chat.record(&Node::Root, "a.txt", "a", &Cause::Upload).expect("changes something");
    chat.store.apply(inherit(&chat.place(&message(1), &Node::Root)).expect("there are files"));
    chat.record(&Node::Root, "a.txt", "later", &Cause::Edit).expect("changes something");
    assert_eq!(chat.shows(&message(1)), pairs(&[("a.txt", "a")]));
    assert_eq!(chat.manifests().len(), 2);
}

/// R040: one manifest for each editing session, however often it saves.
#[test]
fn an_editing_session_makes_one_manifest() {
    let mut chat = Chat::new();
    let base = chat.record(&Node::Root, "a.txt", "a", &Cause::Upload).expect("changes something");
    let mut last = chat.save(&Node::Root, None, "h").expect("changes something");
    for content in ["he", "hel"] {
        last = chat.save(&Node::Root, Some((&last.id, Standing::OneHead)), content).expect("changes something");
        assert_eq!(last.parent_id, Some(base.id.clone()));
    }
    assert_eq!(chat.manifests(), [base, last]);
    assert_eq!(chat.shows(&Node::Root), pairs(&[("a.txt", "a"), ("note.txt", "hel")]));
}

/// R040: what something else names is not replaced, nor what another session or a tool made.
#[test]
fn a_named_save_stays() {
    let mut chat = Chat::new();
    let first = chat.save(&Node::Root, None, "1").expect("changes something");
    let second = chat.save(&Node::Root, Some((&first.id, Standing::Named)), "2").expect("changes something");
    assert_eq!(second.parent_id.as_ref(), Some(&first.id));
    let third = chat.save(&Node::Root, None, "3").expect("changes something");
    let fourth = chat.save(&Node::Root, Some((&second.id, Standing::OneHead)), "4").expect("changes something");
    assert_eq!(chat.manifests(), [first, second, third, fourth]);
}

#[test]
fn standing_is_found_among_the_rows() {
    let head = |node: u32, manifest: u32| NodeHead {
        chat_id: chat_id(1),
        message_id: message(node),
        manifest_id: manifest_id(manifest),
    };
    let child = |parent: u32| WorkspaceManifest {
        id: manifest_id(9),
        chat_id: chat_id(1),
        parent_id: Some(manifest_id(parent)),
        root: empty_root(),
        created_at: Timestamp::default(),
        source: ManifestSource::Edit,
        source_ref: None,
    };
    let id = manifest_id(1);
    assert_eq!(Standing::of(&id, &[head(1, 1), head(2, 2)], &[child(2)], &[]), Standing::OneHead);
    assert_eq!(Standing::of(&id, &[head(1, 1), head(2, 1)], &[], &[]), Standing::Named);
    assert_eq!(Standing::of(&id, &[head(1, 1)], &[child(1)], &[]), Standing::Named);
}

/// R043: of two tabs that start from the same head one wins, and the other's commit is refused whole.
#[test]
fn two_tabs_do_not_lose_each_others_manifest() {
    let mut chat = Chat::new();
    chat.record(&Node::Root, "a.txt", "a", &Cause::Upload).expect("changes something");
    let place = chat.place(&Node::Root, &Node::Root);
    let mut commits = Vec::new();
    for content in ["one", "other"] {
        let (snapshot, blobs) = chat.put(&place, "a.txt", content);
        commits.push(record(&place, snapshot, blobs, chat.fresh(), &Cause::Edit).expect("changes something").commit);
    }
    let [one, other] = commits.try_into().expect("there are two");
    chat.store.apply(one);
    let refused = at_once(chat.store.0.apply(other, Timestamp::from_millis(1)));
    assert!(matches!(refused, Err(StoreError::Changed(row)) if row.table == Table::NodeHeads));
    assert_eq!(chat.shows(&Node::Root), pairs(&[("a.txt", "one")]));
}

/// I3: contents that were not given must be there already.
#[test]
fn a_manifest_needs_its_contents() {
    let mut chat = Chat::new();
    let place = chat.place(&Node::Root, &Node::Root);
    let (snapshot, _not_given) = chat.put(&place, "a.txt", "a");
    let made = record(&place, snapshot, vec![], chat.fresh(), &Cause::Upload).expect("changes something");
    let refused = at_once(chat.store.0.apply(made.commit, Timestamp::from_millis(1)));
    assert!(matches!(refused, Err(StoreError::MissingBlobs(ids)) if ids == [file("a").sha256]));
}

/// C25: one of several heads is taken, the others' manifests stay, and who read too early is told.
#[test]
fn one_of_several_heads_is_chosen() {
    let mut chat = Chat::new();
    let mine = chat.record(&Node::Root, "a.txt", "mine", &Cause::Edit).expect("is new");
    let theirs = WorkspaceManifest { id: manifest_id(90), ..mine.clone() };
    let head = |manifest: &WorkspaceManifest| NodeHead {
        chat_id: chat_id(1),
        message_id: Node::Root,
        manifest_id: manifest.id.clone(),
    };
    chat.store.apply(Commit::default().put(&theirs).put(&head(&theirs)));
    let read = |chat: &Chat, manifest: &WorkspaceManifest| {
        let stored = at_once(chat.store.0.row(&RowRef::of(&head(manifest)))).expect("memory does not fail");
        (head(manifest), stored.and_then(|row| row.stamp().cloned()))
    };
    let heads = [read(&chat, &mine), read(&chat, &theirs)];
    assert!(choose(&manifest_id(91), &heads).is_none());

    chat.store.apply(choose(&theirs.id, &heads).expect("is one of them"));
    assert_eq!(chat.place(&Node::Root, &Node::Root).base.map(|base| base.manifest.id), Some(theirs.id.clone()));
    assert_eq!(chat.manifests().len(), 2);
    // The heads are no longer those that were read.
    let late = choose(&mine.id, &heads).expect("was one of them");
    let refused = at_once(chat.store.0.apply(late, Timestamp::from_millis(9)));
    assert!(matches!(refused, Err(StoreError::Changed(_))), "{refused:?}");
}

/// R033, R034: what was snapshotted comes back byte by byte, nested and binary files too, and nothing beside it; the next state
/// names the one before.
#[test]
fn a_state_comes_back_byte_by_byte() {
    let mut chat = Chat::new();
    let first = chat.record(&Node::Root, "old/gone.txt", "old", &Cause::Upload).expect("is new");
    let binary: Vec<u8> = (0..=255).collect();
    let blob = Blob::new(binary.clone());
    let entry = crate::workspace::FileEntry { sha256: blob.id(), size: 256 };
    let changes = Changes::default().delete(path("old")).put(path("a/b/c/data.bin"), entry).put(path("a/n"), file("n"));
    let place = chat.place(&Node::Root, &Node::Root);
    let snapshot = chat.store.read(|trees| edit(trees, first.root, &changes, &LIMITS)).expect("is allowed");
    let blobs = [vec![blob], contents(&[("a/n", "n")])].concat();
    let made = record(&place, snapshot, blobs, chat.fresh(), &Cause::Edit).expect("is new");
    assert_eq!(made.manifest.parent_id, Some(first.id));
    let root = made.manifest.root;
    chat.store.apply(made.commit);
    let expected = [("a/b/c/data.bin".to_owned(), binary), ("a/n".to_owned(), b"n".to_vec())];
    assert_eq!(chat.store.materialise(root), expected.into_iter().collect());
}
