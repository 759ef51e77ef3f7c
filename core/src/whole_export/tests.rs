//! Exports from end to end, over stores in memory: out of one device and into another.

mod hostile;
mod merging;

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::at_once::at_once;
use crate::bundle::{archive, package_id};
use crate::catalog::{Surroundings, ToolsetId};
use crate::digest::BlobId;
use crate::ids::{ChatId, DeviceId, MessageId, ToolCallId};
use crate::local_api::{self, LocalApiLimits, Request, World};
use crate::record::{
    CallStatus, Chat, Content, Grant, Message, NodeHead, Package, Pin, Record, Role, RowRef, Setting, Table, ToolCall,
    ToolsetMcpServer,
};
use crate::store::{Blob, Commit, MemoryStore, Store, list};
use crate::time::Timestamp;
use crate::workspace::inspect;

const MANIFEST: &str = "manifest_version: '1'\nid: sample\nname: Sample\nversion: 1.0.0\ntools:\n  - {id: one, entrypoint: 'tools.one:run'}\nmcp_servers:\n  - {id: remote, url: 'https://tools.example.com/mcp', headers: {Authorization: 'Bearer ${TOKEN}'}}\n";

/// A device whose clock goes on with every look.
pub(super) struct Device {
    pub(super) store: MemoryStore,
    number: u32,
    ids: Cell<u32>,
    now: Cell<u64>,
}

impl Device {
    pub(super) fn new(number: u32) -> Self {
        let device = DeviceId::parse(format!("00000000-0000-4000-8000-{number:012}")).expect("is a UUID");
        Self { store: MemoryStore::new(device), number, ids: Cell::new(0), now: Cell::new(1_000) }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now.set(self.now.get() + 1);
        Timestamp::from_millis(self.now.get())
    }

    fn fresh(&self) -> String {
        self.ids.set(self.ids.get() + 1);
        format!("00000000-0000-7000-8{:03}-{:012}", self.number, self.ids.get())
    }

    pub(super) fn apply(&self, commit: Commit) {
        at_once(self.store.apply(commit, self.now())).expect("the commit fits");
    }

    /// Asks the local API for something that it does.
    pub(super) fn ask(&self, method: &str, path: &str, body: &[u8]) -> Value {
        let (surroundings, limits) = (Surroundings::default(), LocalApiLimits::default());
        let world = World {
            now: self.now(),
            fresh_id: &|| self.fresh(),
            surroundings: &surroundings,
            limits: &limits,
            tools: None,
            shelf: None,
        };
        let (method, path, body) = (method.into(), path.into(), body.to_vec());
        let request = Request { method, path, query: String::new(), body };
        let response = at_once(local_api::answer(&self.store, &world, request));
        assert!(response.status < 300, "{}", String::from_utf8_lossy(&response.body));
        serde_json::from_slice(&response.body).unwrap_or_default()
    }

    /// A chat with these files.
    pub(super) fn chat_with(&self, files: &[(&str, &str)]) -> ChatId {
        let id =
            self.ask("POST", "/local/chats", br#"{"title": "Rows"}"#)["id"].as_str().expect("has an id").to_owned();
        files.iter().for_each(|(path, content)| self.write(&id, path, content));
        ChatId::parse(id).expect("is a UUID")
    }

    pub(super) fn write(&self, chat: &str, path: &str, content: &str) {
        self.ask("PUT", &format!("/local/chats/{chat}/workspace/files/{path}"), content.as_bytes());
    }

    /// Deletes a chat, so that it can still be brought back.
    pub(super) fn bin(&self, chat: &ChatId) {
        let before = self.records::<Chat>().into_iter().find(|one| one.id == *chat).expect("is there");
        let soft_deleted_at = Some(self.now());
        self.apply(Commit::default().change(&before, &Chat { soft_deleted_at, ..before.clone() }));
    }

    pub(super) fn say(&self, chat: &ChatId, parent: Option<MessageId>, text: &str) -> MessageId {
        let id = MessageId::parse(self.fresh()).expect("is a UUID");
        self.apply(Commit::default().put(&Message {
            id: id.clone(),
            chat_id: chat.clone(),
            parent_id: parent,
            role: Role::User,
            content: Content::Text(text.into()),
            tool_calls: Vec::new(),
            tool_call_id: None,
            metadata: Map::new(),
            created_at: self.now(),
        }));
        id
    }

    pub(super) fn call(&self, chat: &ChatId, tool: &str, output: &str) -> ToolCall {
        let output = Blob::new(output.as_bytes().to_vec());
        let call = ToolCall {
            id: ToolCallId::parse(self.fresh()).expect("is a UUID"),
            call_id: None,
            chat_id: chat.clone(),
            message_id: None,
            tool_id: tool.into(),
            package: None,
            args: json!({"z": 1, "a": "9bd91ffcbed6639d6e4c60e67a51c7a84692e61d6b9d9eab9d5d3ca3ec8c1e01"}),
            result: Some(json!({"ok": true})),
            render_plan: None,
            status: CallStatus::Success,
            error: None,
            error_kind: None,
            started_at: self.now(),
            finished_at: Some(self.now()),
            pre_manifest_id: None,
            post_manifest_id: None,
            traceback: None,
            output: Some(output.id()),
            displays: Vec::new(),
            notes: Vec::new(),
            spilled: None,
            result_files: Vec::new(),
        };
        self.apply(Commit::default().blob(output).put(&call));
        call
    }

    pub(super) fn install(&self) {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let zip = archive::write(&BTreeMap::from([
            file("toolset.yaml", MANIFEST),
            file("tools/one.py", "def run(): return {}"),
        ]));
        self.ask("POST", "/local/toolsets/import", &zip);
    }

    pub(super) fn export(&self, extent: &Extent) -> Vec<u8> {
        let mut bytes = Vec::new();
        let packed = at_once(pack(&self.store, extent, "0.1.0", &mut |mut piece| bytes.append(&mut piece), &|_| true));
        packed.expect("can be exported").expect("was not stopped");
        bytes
    }

    pub(super) fn import(&self, bytes: &[u8]) -> Taken {
        let opened = opened(bytes).expect("is right");
        let taken = at_once(take(&self.store, &opened, &|| self.now(), &|_| true));
        let taken = taken.expect("memory does not fail").expect("was not stopped");
        self.is_sound();
        taken
    }

    pub(super) fn records<R: Record>(&self) -> Vec<R> {
        at_once(list(&self.store)).expect("memory does not fail").into_iter().map(|row| row.expect("is read")).collect()
    }

    pub(super) fn is_sound(&self) {
        let report = at_once(inspect(&self.store, |_| true)).expect("memory does not fail").expect("was not stopped");
        assert_eq!(report.findings, vec![]);
    }
}

pub(super) fn opened(bytes: &[u8]) -> Result<Opened, Refusal> {
    Opened::open(bytes.to_vec(), &WholeExportLimits::default(), &mut |_, _| {})
}

/// A device with a chat of two branches, files, calls and a toolset.
pub(super) fn filled() -> (Device, ChatId) {
    let device = Device::new(1);
    device.install();
    let chat = device.chat_with(&[("a.txt", "one"), ("data/b.csv", "x,y"), ("data/c.csv", "x,y")]);
    let first = device.say(&chat, None, "How many rows?");
    device.say(&chat, Some(first.clone()), "Two.");
    device.say(&chat, Some(first), "Three.");
    device.call(&chat, "sample:one", "[]");
    device.write(chat.as_str(), "a.txt", "two");
    (device, chat)
}

pub(super) fn entries(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    archive::read(bytes, &WholeExportLimits::default().of_archive(), &mut |_, _| {}).expect("is an archive").by_path
}

/// R310: a call can be verified elsewhere too, with the version of its toolset that made it.
#[test]
fn a_chat_brings_the_packages_that_made_its_calls() {
    let (here, chat) = filled();
    let installed = here.records::<Package>().remove(0);
    let another = |name: &str| {
        let mut manifest = installed.manifest.clone();
        manifest["name"] = json!(name);
        let package = package_id(&manifest, std::iter::empty());
        Package { package, manifest, ..installed.clone() }
    };
    let (older, unused) = (another("Older"), another("Unused"));
    let call = here.call(&chat, "sample:one", "[]");
    let made = ToolCall { package: Some(older.package), ..call.clone() };
    here.apply(Commit::default().put(&older).put(&unused).change(&call, &made));

    let there = Device::new(2);
    there.import(&here.export(&Extent::Chat(chat)));
    let mut expected = vec![installed, older];
    expected.sort_by_key(|package| package.package);
    assert_eq!(there.records::<Package>(), expected);
}

/// R310: byte-equal elsewhere, and everything of the chat is there.
#[test]
fn a_chat_is_the_same_elsewhere() {
    let (here, chat) = filled();
    here.chat_with(&[("other.txt", "not of this chat")]);
    let bytes = here.export(&Extent::Chat(chat.clone()));
    assert_eq!(here.export(&Extent::Chat(chat.clone())), bytes, "equal state gives equal bytes");

    let there = Device::new(2);
    let taken = there.import(&bytes);
    assert_eq!((taken.chats, taken.changed, taken.revived), (1, 0, 0));
    assert_eq!(there.export(&Extent::Chat(chat.clone())), bytes);
    let files = there.ask("GET", &format!("/local/chats/{chat}/workspace"), b"");
    assert_eq!(files["files"].as_array().map(Vec::len), Some(3));
    assert_eq!(there.records::<Message>().len(), 3);
    assert_eq!(there.import(&bytes), Taken::default(), "a second time changes nothing");
    assert_eq!(here.import(&bytes), Taken::default(), "nor does it where it was made");
    // Nor where the chat has gone on since: what it was then is not a second state of its files now.
    here.write(chat.as_str(), "later.txt", "after the export");
    let heads = here.records::<NodeHead>();
    assert_eq!(here.import(&bytes).revived, 0);
    assert_eq!(here.records::<NodeHead>(), heads);
}

/// R310: the layout of the format, with every entry sorted.
#[test]
fn the_layout() {
    let (device, chat) = filled();
    let paths: Vec<String> = entries(&device.export(&Extent::Chat(chat))).into_keys().collect();
    let (blobs, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.starts_with("blobs/"));
    assert_eq!(blobs.len(), 6, "three files of states, two of the toolset, one output");
    insta::assert_snapshot!(others.join("\n"), @"
    CHECKSUMS
    rows/chats.ndjson
    rows/messages.ndjson
    rows/node_heads.ndjson
    rows/packages.ndjson
    rows/tool_calls.ndjson
    rows/tools.ndjson
    rows/toolset_files.ndjson
    rows/toolset_mcp_servers.ndjson
    rows/toolsets.ndjson
    rows/workspace_manifests.ndjson
    satchel-export.json
    toolsets/sample-v1.0.0.zip
    ");
}

/// I8, R310: neither what belongs to the device nor chats that were deleted are in an export of everything, and it connects to nothing.
#[test]
fn what_is_in_no_export() {
    let (device, chat) = filled();
    device.apply(Commit::default().put(&Grant {
        toolset_id: ToolsetId::parse("sample").expect("is a name"),
        host: "private.example.com".into(),
        granted_at: device.now(),
    }));
    let gone = device.chat_with(&[("gone.txt", "the deleted words")]);
    device.bin(&gone);
    device.apply(Commit::default().put(&Setting { key: "theme".into(), value: json!("dark") }));
    let server = device.records::<ToolsetMcpServer>().remove(0);
    device.apply(Commit::default().change(&server, &ToolsetMcpServer { enabled: true, ..server.clone() }));

    let files = entries(&device.export(&Extent::All));
    let all: Vec<u8> = files.values().flatten().copied().collect();
    let has = |text: &str| all.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has(chat.as_str()) && has("dark"));
    assert!(!has("private.example.com") && !has("the deleted words") && !has(gone.as_str()));
    let bytes = device.export(&Extent::All);
    let there = Device::new(2);
    there.import(&bytes);
    assert!(there.records::<ToolsetMcpServer>().iter().all(|server| !server.enabled));
    assert_eq!(there.export(&Extent::All), bytes);
    assert!(there.records::<Pin>().is_empty());
}

/// R310, R317: what is damaged does not keep the rest from being exported; it is named, and missed by nobody elsewhere.
#[test]
fn what_is_damaged_is_named() {
    let (device, chat) = filled();
    let broken = BlobId::of(b"two");
    device.apply(Commit::default().blob(Blob::named(broken, b"rot".to_vec())));
    let bytes = device.export(&Extent::Chat(chat.clone()));
    let lacks = opened(&bytes).expect("is right").contents().about.lacks;
    assert_eq!(lacks, [Lack { sha256: broken, size: Some(3) }]);

    let there = Device::new(2);
    at_once(take(&there.store, &opened(&bytes).expect("is right"), &|| there.now(), &|_| true))
        .expect("memory does not fail");
    assert_eq!(there.export(&Extent::Chat(chat.clone())), bytes);

    // An export from before the damage sets it right.
    let (sound, _) = filled();
    assert_eq!(device.import(&sound.export(&Extent::Chat(chat))).files, 1);
}

#[test]
fn a_chat_that_is_not_there_is_said() {
    let device = Device::new(1);
    let chat = ChatId::parse(device.fresh()).expect("is a UUID");
    let refused = at_once(pack(&device.store, &Extent::Chat(chat.clone()), "0", &mut |_| {}, &|_| true));
    assert_eq!(refused.expect_err("is refused").to_string(), format!("there is no chat {chat}"));
}

/// R319: stopped at any point, an import has written no row, and an export gives nothing.
#[test]
fn what_is_stopped_leaves_nothing() {
    let (device, chat) = filled();
    let extent = Extent::Chat(chat);
    let bytes = device.export(&extent);
    for stop_at in 0..4 {
        let there = Device::new(2);
        let go_on = |taking: Taking| taking.done < stop_at;
        let taken = at_once(take(&there.store, &opened(&bytes).expect("is right"), &|| there.now(), &go_on));
        assert_eq!(taken.expect("memory does not fail"), None);
        for table in Table::ALL {
            assert!(at_once(there.store.row_keys(table)).expect("memory does not fail").is_empty(), "{table}");
        }
        let go_on = |packing: Packing| packing.done < stop_at;
        let packed = at_once(pack(&device.store, &extent, "0", &mut |_| {}, &go_on));
        assert_eq!(packed.expect("memory does not fail"), None);
    }
}

/// What a user may do, for the property below.
#[derive(Clone, Debug)]
enum Deed {
    Chat,
    Say(usize, Option<usize>, String),
    Write(usize, u8, String),
    Delete(usize),
    Call(usize, String),
    Set(String),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        Just(Deed::Chat),
        (0..4_usize, proptest::option::of(0..6_usize), ".{0,12}")
            .prop_map(|(chat, after, text)| Deed::Say(chat, after, text)),
        (0..4_usize, 0..6_u8, "[a-c]{0,3}").prop_map(|(chat, path, text)| Deed::Write(chat, path, text)),
        (0..4_usize).prop_map(Deed::Delete),
        (0..4_usize, "[a-c]{1,3}").prop_map(|(chat, text)| Deed::Call(chat, text)),
        "[a-z]{1,5}".prop_map(Deed::Set),
    ];
    proptest::collection::vec(deed, 1..24)
}

fn done(deeds: &[Deed]) -> Device {
    let device = Device::new(1);
    device.install();
    let (mut chats, mut messages): (Vec<ChatId>, Vec<Vec<MessageId>>) = (Vec::new(), Vec::new());
    for deed in deeds {
        match deed {
            Deed::Chat => {
                chats.push(device.chat_with(&[]));
                messages.push(Vec::new());
            }
            Deed::Say(chat, after, text) => {
                if let Some(id) = chats.get(*chat) {
                    let parent = after.and_then(|after| messages[*chat].get(after).cloned());
                    messages[*chat].push(device.say(id, parent, text));
                }
            }
            Deed::Write(chat, path, text) => {
                let paths = ["a", "b/a", "b/c/d", "e%20f.txt", "b/%C3%A9", "g"];
                if let Some(id) = chats.get(*chat) {
                    device.write(id.as_str(), paths[usize::from(*path)], text);
                }
            }
            Deed::Delete(chat) => {
                if *chat < chats.len() {
                    let id = chats.remove(*chat);
                    messages.remove(*chat);
                    device.bin(&id);
                }
            }
            Deed::Call(chat, text) => {
                if let Some(id) = chats.get(*chat) {
                    device.call(id, "sample:one", text);
                }
            }
            Deed::Set(value) => {
                device.apply(Commit::default().put(&Setting { key: "theme".into(), value: json!(value) }))
            }
        }
    }
    device
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// R310: out, in elsewhere, and out again: the same bytes, of everything and of every chat.
    #[test]
    fn whatever_was_done_is_byte_equal_elsewhere(deeds in deeds()) {
        let here = done(&deeds);
        let bytes = here.export(&Extent::All);
        let there = Device::new(2);
        there.import(&bytes);
        prop_assert_eq!(there.export(&Extent::All), bytes.clone());
        prop_assert_eq!(here.import(&bytes), Taken::default());
        for row in at_once(there.store.row_keys(Table::Chats)).expect("memory does not fail") {
            let extent = Extent::Chat(ChatId::parse(row.to_string()).expect("is a UUID"));
            let chat = here.export(&extent);
            let third = Device::new(3);
            third.import(&chat);
            prop_assert_eq!(third.export(&extent), chat);
        }
    }
}

fn row(table: Table, key: &str) -> RowRef {
    RowRef { table, key: crate::record::RowKey::one(key) }
}
