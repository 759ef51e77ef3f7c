//! What the check finds, and what becomes of it.

use serde_json::json;

use super::*;
use crate::record::{Chat, ManifestSource, Node, NodeHead, RowKey, Table, WorkspaceManifest};
use crate::store::{Blob, Commit, Put};
use crate::time::Timestamp;
use crate::workspace::fixtures::{TestStore, built, chat_id, contents, file, files, manifest_id, message_id};

const FIRST: &[(&str, &str)] = &[("a.txt", "a"), ("lib/b.txt", "b")];
const SECOND: &[(&str, &str)] = &[("a.txt", "a"), ("lib/b.txt", "changed")];

/// A chat with two states, the second the head, and the verdicts on its blobs.
struct Sample {
    store: TestStore,
    blobs: BTreeMap<BlobId, Stored>,
}

impl Sample {
    fn new() -> Self {
        let mut sample = Self { store: TestStore::new(), blobs: BTreeMap::new() };
        let chat = Chat::new(chat_id(1), "Files", Timestamp::default());
        sample.store.apply(Commit::default().put(&chat));
        sample.state(1, None, FIRST);
        sample.state(2, Some(1), SECOND);
        sample.store.apply(Commit::default().put(&head(2)));
        sample
    }

    fn state(&mut self, number: u32, parent: Option<u32>, wanted: &[(&str, &str)]) {
        let snapshot = built(&files(wanted));
        let manifest = WorkspaceManifest {
            id: manifest_id(number),
            chat_id: chat_id(1),
            parent_id: parent.map(manifest_id),
            root: snapshot.root,
            created_at: Timestamp::from_millis(u64::from(number)),
            source: ManifestSource::Edit,
            source_ref: None,
        };
        let blobs: Vec<Blob> = contents(wanted).into_iter().chain(snapshot.trees).collect();
        self.blobs.extend(blobs.iter().map(|blob| (blob.id(), Stored::Sound { size: blob.bytes().len() as u64 })));
        self.store.apply(Commit { blobs, ..Commit::default() }.put(&manifest));
    }

    fn row(&self, table: Table, key: &str, fields: serde_json::Value) -> RowRef {
        let row = RowRef { table, key: RowKey::one(key) };
        let fields = fields.as_object().expect("is an object").clone();
        self.store
            .apply(Commit { puts: vec![Put { row: row.clone(), fields, must_exist: false }], ..Commit::default() });
        row
    }

    fn check(&self) -> Report {
        let rows = self.store.rows();
        self.store.read(|trees| check(trees, &rows, &self.blobs)).expect("the check does not fail")
    }
}

fn head(manifest: u32) -> NodeHead {
    NodeHead { chat_id: chat_id(1), message_id: Node::Root, manifest_id: manifest_id(manifest) }
}

fn manifest_row(number: u32) -> RowRef {
    RowRef { table: Table::WorkspaceManifests, key: RowKey::one(manifest_id(number).as_str()) }
}

fn commit_is_empty(commit: &Commit) -> bool {
    commit.touched().is_empty() && commit.blobs.is_empty()
}

/// R311
#[test]
fn a_sound_store_has_no_findings() {
    let report = Sample::new().check();
    assert_eq!((report.blobs, report.manifests, report.findings), (7, 2, vec![]));
    assert!(commit_is_empty(&report.repair.commit) && report.repair.drop.is_empty() && report.repair.cannot.is_empty());
}

/// R311: clean-up frees only what nothing names, broken or not.
#[test]
fn unreachable_blobs_can_be_dropped() {
    let mut sample = Sample::new();
    let (stray, broken) = (file("stray").sha256, file("broken").sha256);
    sample.blobs.extend([(stray, Stored::Sound { size: 5 }), (broken, Stored::Broken)]);
    let Report { findings, repair, .. } = sample.check();
    assert_eq!(findings, [Finding::BrokenBlob { sha256: broken }]);
    assert_eq!(repair.drop.into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([stray, broken]));
    assert_eq!(repair.cannot, []);
}

/// R311: what other devices may have is what is missing or damaged and still named, each once.
#[test]
fn what_has_to_come_from_elsewhere_is_told() {
    let mut sample = Sample::new();
    assert_eq!(sample.check().lacking(), []);
    let (damaged, gone, unnamed) = (BlobId::of(b"changed"), BlobId::of(b"a"), BlobId::of(b"nobody's"));
    sample.blobs.insert(damaged, Stored::Broken);
    sample.blobs.insert(unnamed, Stored::Broken);
    sample.blobs.remove(&gone);
    let mut lacking = vec![damaged, gone];
    lacking.sort();
    assert_eq!(sample.check().lacking(), lacking);
}

/// R311: a head that names a broken manifest moves to the newest sound one, and the rest is listed.
#[test]
fn a_head_moves_to_the_newest_sound_manifest() {
    let lost = file("changed").sha256;
    let wrong_size = Some(Stored::Sound { size: 1 });
    for (verdict, is_broken) in [(None, false), (Some(Stored::Broken), true), (wrong_size, false)] {
        let mut sample = Sample::new();
        sample.blobs.remove(&lost);
        sample.blobs.extend(verdict.map(|verdict| (lost, verdict)));
        let Report { findings, repair, .. } = sample.check();
        let broken = is_broken.then_some(Finding::BrokenBlob { sha256: lost });
        let manifest = Finding::BrokenManifest { row: manifest_row(2), lacks: BTreeSet::from([lost]) };
        let cannot: Vec<Finding> = broken.into_iter().chain([manifest]).collect();
        let moved = Finding::BrokenHead { row: RowRef::of(&head(2)), moves_to: Some(manifest_id(1)) };
        assert_eq!(findings, [cannot.clone(), vec![moved]].concat());
        assert_eq!((repair.cannot, repair.drop), (cannot, vec![]));

        sample.store.apply(repair.commit);
        let heads: Vec<RowRef> = sample.store.rows().into_keys().filter(|row| row.table == Table::NodeHeads).collect();
        assert_eq!(heads, [RowRef::of(&head(1))]);
    }
}

/// R311: while a needed folder cannot be read, nothing is dropped.
#[test]
fn a_lost_tree_is_found_and_holds_back_the_clean_up() {
    let mut sample = Sample::new();
    let root = built(&files(SECOND)).root;
    sample.blobs.insert(root, Stored::Broken);
    sample.blobs.insert(file("stray").sha256, Stored::Sound { size: 5 });
    let rows = sample.store.rows();
    let mut trees = Trees::default();
    trees.insert(root, Some(b"rotten"));
    let report = crate::at_once::at_once(crate::workspace::read(&sample.store.0, &mut trees, |trees| {
        check(trees, &rows, &sample.blobs)
    }))
    .expect("the check does not fail");
    let lacks = BTreeSet::from([root]);
    assert!(report.findings.contains(&Finding::BrokenManifest { row: manifest_row(2), lacks }));
    assert_eq!(report.repair.drop, []);
}

/// R311: without a sound manifest among its own, a node takes the state of the message before it; without any, it is listed.
#[test]
fn a_head_without_sound_ancestors_looks_at_the_messages_before() {
    let sample = Sample::new();
    let message = json!({
        "id": message_id(5), "chat_id": chat_id(1), "parent_id": null,
        "role": "user", "content": "hi", "created_at": Timestamp::default(),
    });
    sample.row(Table::Messages, message_id(5).as_str(), message);
    let lost = NodeHead { message_id: Node::Message(message_id(5)), ..head(77) };
    sample.store.apply(Commit::default().put(&lost));
    let moved = Finding::BrokenHead { row: RowRef::of(&lost), moves_to: Some(manifest_id(2)) };
    assert_eq!(sample.check().findings, [moved]);

    sample.store.apply(Commit::default().delete(RowRef::of(&head(2))));
    let Report { findings, repair, .. } = sample.check();
    let stuck = Finding::BrokenHead { row: RowRef::of(&lost), moves_to: None };
    assert_eq!((&findings, &repair.cannot), (&vec![stuck.clone()], &vec![stuck]));
    assert!(commit_is_empty(&repair.commit));
}

/// R311, R317, R030: rows that name nothing or cannot be read are listed and left as they are.
#[test]
fn rows_that_name_nothing_are_listed() {
    let check = |table: Table, fields: serde_json::Value, expected: fn(RowRef) -> Vec<Finding>| {
        let sample = Sample::new();
        let row = sample.row(table, "key", fields);
        let Report { findings, repair, .. } = sample.check();
        let findings: Vec<Finding> =
            findings.into_iter().filter(|finding| !matches!(finding, Finding::Unreadable { .. })).collect();
        assert_eq!(findings, expected(row));
        assert!(commit_is_empty(&repair.commit));
    };
    check(Table::Messages, json!({"chat_id": "gone"}), |row| {
        vec![Finding::LacksRow { row, names: RowRef { table: Table::Chats, key: RowKey::one("gone") } }]
    });
    check(Table::Tools, json!({"package": "gone"}), |row| {
        vec![Finding::LacksRow { row, names: RowRef { table: Table::Packages, key: RowKey::one("gone") } }]
    });
    check(Table::ToolsetFiles, json!({"sha256": file("gone").sha256}), |row| {
        vec![Finding::LacksBlob { row, sha256: file("gone").sha256 }]
    });
    check(Table::ToolCalls, json!({"render_plan": {"files": [{"sha256": file("gone").sha256}]}}), |row| {
        vec![Finding::LacksBlob { row, sha256: file("gone").sha256 }]
    });
    check(Table::ToolCalls, json!({"result": {"sha256": file("gone").sha256}}), |_| vec![]);
    check(Table::ToolOverrides, json!({"toolset_id": "gone"}), |_| vec![]);
}

/// R317
#[test]
fn an_unreadable_row_is_listed_with_its_reason() {
    let sample = Sample::new();
    let row = sample.row(Table::Drafts, "key", json!({"place": "composer"}));
    let unreadable = Finding::Unreadable { row, reason: "missing field `text`".into() };
    let Report { findings, repair, .. } = sample.check();
    assert_eq!((&findings, &repair.cannot), (&vec![unreadable.clone()], &vec![unreadable.clone()]));
    assert_eq!(unreadable.to_string(), "drafts/key cannot be read: missing field `text`");
}

/// Folders within folders without end are a finding, not the end of the check.
#[test]
fn folders_nested_too_deep_are_found() {
    let mut sample = Sample::new();
    let mut tree = Blob::new(format!("satchel tree 1\nfile {} 1 a\n", file("a").sha256).into_bytes());
    let mut blobs = Vec::new();
    for _depth in 0..5_000 {
        let above = Blob::new(format!("satchel tree 1\ntree {} 1 1 x\n", tree.id()).into_bytes());
        blobs.push(std::mem::replace(&mut tree, above));
    }
    let root = tree.id();
    blobs.push(tree);
    sample.blobs.extend(blobs.iter().map(|blob| (blob.id(), Stored::Sound { size: blob.bytes().len() as u64 })));
    let manifest = WorkspaceManifest {
        id: manifest_id(3),
        chat_id: chat_id(1),
        parent_id: None,
        root,
        created_at: Timestamp::default(),
        source: ManifestSource::Edit,
        source_ref: None,
    };
    sample.store.apply(Commit { blobs, ..Commit::default() }.put(&manifest));
    let Report { findings, repair, .. } = sample.check();
    assert!(matches!(&findings[..], [Finding::BrokenManifest { row, .. }] if *row == manifest_row(3)), "{findings:?}");
    assert_eq!(repair.drop, []);
}

/// The form in which findings are given by `POST /local/check`.
#[test]
fn as_sent() {
    let finding = Finding::BrokenHead { row: RowRef::of(&head(2)), moves_to: Some(manifest_id(1)) };
    insta::assert_json_snapshot!(finding, @r#"
    {
      "kind": "broken_head",
      "row": {
        "table": "node_heads",
        "key": [
          "00000000-0000-7000-8000-000000000001",
          "root",
          "00000000-0000-7000-8000-000000000002"
        ]
      },
      "moves_to": "00000000-0000-7000-8000-000000000001"
    }
    "#);
}
