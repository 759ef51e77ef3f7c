//! Sync at the real server: the contract that the simulator's is held to, and whole devices over it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use axum::body::Body;
use axum::http::StatusCode;
use satchel_core::digest::BlobId;
use satchel_core::ids::{ChatId, DeviceId, ManifestId, MessageId};
use satchel_core::protocol::{
    BlobName, BlobPart, SYNC_CONTENT_TYPE, SyncAnswer, SyncAsk, SyncKeyId, SyncRequest, WantedPart, frame_sync,
    unframe_sync,
};
use satchel_core::record::{
    Chat, Content, ManifestSource, Message, Node, NodeHead, Record as _, Role, RowKey, RowRef, Setting, Table,
    WorkspaceManifest,
};
use satchel_core::store::{Blob, Commit, MemoryStore, Store as _, StoredRow, get};
use satchel_core::sync::contract::{self, Harness};
use satchel_core::sync::{
    AccountKey, Membership, NotReached, Round, SyncError, SyncKeys, SyncLimits, SyncServer, SyncState, Synced,
};
use satchel_core::time::Timestamp;
use satchel_core::workspace::{FileEntry, Files, WorkspaceLimits, WorkspacePath, build};
use satchel_server::access_token::AccessToken;

use crate::fixture::{Fixture, Setup, request};

const KEY: [u8; 32] = [1; 32];

/// The real server, as an account's devices reach it.
struct Real {
    fixture: Fixture,
    token: AccessToken,
}

impl Real {
    async fn with(config: &str) -> Self {
        let fixture = Fixture::set_up(Setup { config: config.to_owned(), ..Setup::default() }).await;
        let token = fixture.token.clone();
        Self { fixture, token }
    }

    async fn raw(&self, body: Vec<u8>) -> crate::fixture::Answer {
        let bearer = format!("Bearer {}", self.token.reveal());
        let request = request("POST", "/api/v1/sync", &[("authorization", &bearer)]);
        self.fixture.answer(request.map(|_| Body::from(body))).await
    }

    fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.fixture.folder.database_path()).expect("opens")
    }
}

impl SyncServer for Real {
    async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
        let answer = self.raw(frame_sync(&ask, &beside)).await;
        assert_eq!(answer.header("content-type"), SYNC_CONTENT_TYPE, "{} {}", answer.status, answer.text());
        let (head, beside) = unframe_sync::<SyncAnswer>(&answer.body).expect("is a message of sync");
        assert_eq!(answer.status.as_u16(), head.status());
        Ok((head, beside))
    }
}

impl Harness for Real {
    async fn fresh() -> Self {
        Self::with("").await
    }
}

macro_rules! run {
    ($($case:ident)*) => {
        $(
            #[tokio::test]
            async fn $case() {
                contract::$case::<Real>().await;
            }
        )*
    };
}
contract::every_case!(run);

fn device(number: u8) -> DeviceId {
    DeviceId::parse(format!("0198c5a4-7c1e-7000-8000-0000000000{number:02x}")).expect("is a UUID")
}

fn keys(byte: u8) -> SyncKeys {
    SyncKeys::new(&AccountKey::from_random([byte; 16]))
}

/// A whole device: the store's logic and the driver's rounds.
struct Device {
    id: DeviceId,
    store: MemoryStore,
    clock: Cell<u64>,
}

impl Device {
    fn new(number: u8) -> Self {
        let id = device(number);
        Self { store: MemoryStore::new(id.clone()), id, clock: Cell::new(1_700_000_000_000) }
    }

    fn now(&self) -> Timestamp {
        self.clock.set(self.clock.get() + 1);
        Timestamp::from_millis(self.clock.get())
    }

    async fn sync(&self, server: &impl SyncServer, keys: &SyncKeys) -> Result<Synced, SyncError> {
        let limits = SyncLimits { compact_changes: 6, change_rows: 3, ..SyncLimits::default() };
        let (store, device, now) = (&self.store, &self.id, || self.now());
        Round { store, server, keys, device, limits, now: &now, told: &|_| {}, came: &|_| {} }.run().await
    }

    async fn begin(&self, server: &impl SyncServer, keys: &SyncKeys) {
        Membership { server, keys, device: &self.id }.begin().await.expect("begins");
    }

    async fn rows(&self) -> BTreeMap<RowRef, StoredRow> {
        let mut all = BTreeMap::new();
        for table in [Table::Settings, Table::Chats, Table::Messages, Table::WorkspaceManifests, Table::NodeHeads] {
            for key in self.store.row_keys(table).await.expect("reads") {
                let row = RowRef { table, key };
                let stored = self.store.stored(std::slice::from_ref(&row)).await.expect("reads").remove(0);
                all.insert(row, stored.expect("is there"));
            }
        }
        all
    }
}

fn setting(value: &str) -> Setting {
    Setting { key: "theme".into(), value: value.into() }
}

/// A chat with a message and a file, of which nothing may be read on the server.
fn a_chat(number: u8, now: Timestamp) -> Commit {
    let id = |kind: &str| format!("0198c5a4-7c1e-7000-8000-00000000{kind}{number:02x}");
    let chat = Chat {
        id: ChatId::parse(id("c0")).expect("is a UUID"),
        title: "PlainTitle of a chat".into(),
        created_at: now,
        modified_at: now,
        enabled_tools: None,
        equipped: None,
        configuring: false,
        model: None,
        max_tool_iterations: None,
        forked_from: None,
        soft_deleted_at: None,
    };
    let message = Message {
        id: MessageId::parse(id("b0")).expect("is a UUID"),
        chat_id: chat.id.clone(),
        parent_id: None,
        role: Role::User,
        content: Content::Text("PlainMessage, said in confidence".into()),
        tool_calls: Vec::new(),
        tool_call_id: None,
        metadata: serde_json::Map::new(),
        created_at: now,
    };
    let contents = format!("PlainContents of file {number}. ").repeat(100).into_bytes();
    let file = FileEntry { sha256: BlobId::of(&contents), size: contents.len() as u64 };
    let path = WorkspacePath::parse("PlainFolder/PlainPath.txt").expect("is a path");
    let snapshot = build(&Files::from([(path, file)]), &WorkspaceLimits::default()).expect("are files");
    let manifest = WorkspaceManifest {
        id: ManifestId::parse(id("f0")).expect("is a UUID"),
        chat_id: chat.id.clone(),
        parent_id: None,
        root: snapshot.root,
        created_at: now,
        source: ManifestSource::Edit,
        source_ref: None,
    };
    let head = NodeHead { chat_id: chat.id.clone(), message_id: Node::Root, manifest_id: manifest.id.clone() };
    let commit = Commit::default().put(&chat).put(&message).put(&manifest).put(&head);
    snapshot.trees.into_iter().chain([Blob::new(contents)]).fold(commit, Commit::blob)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// R263, R264, R316: what one device has, the other has too; and nothing of it can be read in the server's files.
#[tokio::test]
async fn a_second_device_has_the_same_and_the_server_reads_none_of_it() {
    let (server, keys) = (Real::with("").await, keys(7));
    let (one, two) = (Device::new(1), Device::new(2));
    one.begin(&server, &keys).await;
    for number in 0..5 {
        one.store.apply(a_chat(number, one.now()), one.now()).await.expect("applies");
    }
    two.store.apply(Commit::default().put(&setting("PlainSetting")), two.now()).await.expect("applies");
    let sent = one.sync(&server, &keys).await.expect("syncs");
    assert!(sent.sent == 20 && sent.compacted, "{sent:?}");
    two.sync(&server, &keys).await.expect("syncs");
    one.sync(&server, &keys).await.expect("syncs");
    let rows = one.rows().await;
    assert_eq!(rows.len(), 21);
    assert_eq!(two.rows().await, rows);
    assert_eq!(two.store.blob_ids().await.expect("reads"), one.store.blob_ids().await.expect("reads"));
    for id in two.store.blob_ids().await.expect("reads") {
        assert_eq!(BlobId::of(&two.store.blob(id).await.expect("reads").expect("is there")), id);
    }

    let name = Membership { server: &server, keys: &keys, device: &one.id };
    name.call_itself("PlainDevice").await.expect("is called so");
    let devices = name.devices().await.expect("lists");
    assert_eq!((devices.len(), devices[0].name.as_deref(), devices[0].is_this), (2, Some("PlainDevice"), true));

    let folder = server.fixture.folder.database_path().parent().map(Path::to_owned).expect("is in a folder");
    let mut looked_at = 0;
    for entry in std::fs::read_dir(folder).expect("lists") {
        let bytes = std::fs::read(entry.expect("reads").path()).expect("reads");
        looked_at += bytes.len();
        for id in one.store.blob_ids().await.expect("reads") {
            assert!(
                !contains(&bytes, id.as_bytes()) && !contains(&bytes, id.to_string().as_bytes()),
                "a blob's own name"
            );
        }
        for plain in ["Plain", "theme", "chats", "manifest_id", "0198c5a4-7c1e-7000-8000-00000000c0"] {
            assert!(!contains(&bytes, plain.as_bytes()), "{plain} can be read");
        }
    }
    assert!(looked_at > 10_000, "only {looked_at} bytes were looked at");
}

/// R316: the code is wrong: nothing is sent, and the user is told what to do.
#[tokio::test]
async fn a_wrong_code_sends_nothing() {
    let server = Real::with("").await;
    let (one, two) = (Device::new(1), Device::new(2));
    one.begin(&server, &keys(7)).await;
    two.store.apply(a_chat(1, two.now()), two.now()).await.expect("applies");
    let error = two.sync(&server, &keys(8)).await.expect_err("is refused");
    assert!(matches!(error, SyncError::WrongKey), "{error}");
    let count = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        server.database().query_row(&sql, [], |row| row.get::<_, i64>(0)).expect("counts")
    };
    assert_eq!((count("sync_changes"), count("sync_parts"), count("sync_devices")), (0, 0, 1));
    assert!(!two.store.outbox().await.expect("reads").is_empty(), "it is still to be sent");
}

/// F5: a server that was restored is noticed; what it lacks is sent again, and nothing is deleted anywhere.
#[tokio::test]
async fn a_restored_backup_is_noticed() {
    let (server, keys) = (Real::with("").await, keys(7));
    let (one, two) = (Device::new(1), Device::new(2));
    one.begin(&server, &keys).await;
    one.store.apply(a_chat(1, one.now()), one.now()).await.expect("applies");
    one.sync(&server, &keys).await.expect("syncs");
    two.sync(&server, &keys).await.expect("syncs");

    let backup = server.fixture.folder.database_path().with_extension("backup");
    let from = server.fixture.folder.database_path();
    satchel_server::database::back_up(&from, &backup, satchel_server::database::BackupSecrets::LeftOut)
        .expect("is written");
    one.store.apply(a_chat(2, one.now()), one.now()).await.expect("applies");
    one.sync(&server, &keys).await.expect("syncs");
    two.store.apply(Commit::default().put(&setting("later")), two.now()).await.expect("applies");
    two.sync(&server, &keys).await.expect("syncs");
    one.sync(&server, &keys).await.expect("syncs");
    let rows = one.rows().await;

    // Another server over the same files, as a restart is.
    server.fixture.state.database().close().await;
    let kept = satchel_server::database::restore(&backup, &from).expect("restores").expect("keeps the one before");
    assert!(kept.is_file());
    let database = satchel_server::database::Database::open(&from).expect("opens");
    let direct = Direct { account: database.first_account().await.expect("an account").id, database };
    assert!(two.sync(&direct, &keys).await.expect("syncs").sent_again);
    assert!(one.sync(&direct, &keys).await.expect("syncs").sent_again);
    two.sync(&direct, &keys).await.expect("syncs");
    assert_eq!(one.rows().await, rows);
    assert_eq!(two.rows().await, rows);
    let new = Device::new(3);
    assert!(!new.sync(&direct, &keys).await.expect("syncs").sent_again);
    assert_eq!(new.rows().await, rows);
}

/// A database without the server around it.
struct Direct {
    database: satchel_server::database::Database,
    account: satchel_server::database::AccountId,
}

impl SyncServer for Direct {
    async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
        Ok(self.database.sync(self.account.clone(), ask, beside, 1 << 30).await.expect("answers"))
    }
}

/// F8: an answer that is lost a thousand times makes one change.
#[tokio::test]
async fn a_thousand_retries_are_one_change() {
    let server = Real::with("").await;
    let ask = |request| SyncAsk { device: device(1), key: SyncKeyId::new(KEY), epoch: None, request };
    server.ask(ask(SyncRequest::Begin), vec![]).await.expect("begins");
    for _ in 0..1000 {
        let push = ask(SyncRequest::Push { sequence: 1, names: vec![] });
        let (answer, _) = server.ask(push, vec![b"sealed".to_vec()]).await.expect("is reached");
        assert_eq!(answer, SyncAnswer::Pushed { position: 1 });
    }
    let count: i64 =
        server.database().query_row("SELECT count(*) FROM sync_changes", [], |row| row.get(0)).expect("counts");
    assert_eq!(count, 1);
}

/// Accounts are kept apart: neither sees the other's log, blobs or devices, though all else is equal.
#[tokio::test]
async fn accounts_are_kept_apart() {
    let mine = Real::with("").await;
    let ask = |request| SyncAsk { device: device(1), key: SyncKeyId::new(KEY), epoch: None, request };
    mine.ask(ask(SyncRequest::Begin), vec![]).await.expect("begins");
    let name = BlobName::new([5; 32]);
    let put = SyncRequest::PutParts { parts: vec![BlobPart { name, part: 0, parts: 1 }] };
    mine.ask(ask(put), vec![b"mine".to_vec()]).await.expect("puts");
    mine.ask(ask(SyncRequest::Push { sequence: 1, names: vec![name] }), vec![b"mine".to_vec()]).await.expect("pushes");

    let token = mine.fixture.second_account();
    let theirs = Real { fixture: mine.fixture, token };
    let (answer, _) = theirs.ask(ask(SyncRequest::Status), vec![]).await.expect("is reached");
    assert_eq!(answer, SyncAnswer::NotBegun);
    theirs.ask(ask(SyncRequest::Begin), vec![]).await.expect("begins");
    let (answer, beside) = theirs.ask(ask(SyncRequest::Changes { after: 0 }), vec![]).await.expect("is reached");
    assert_eq!((answer, beside.len()), (SyncAnswer::Changes { changes: vec![], head: 0 }, 0));
    let wanted = SyncRequest::GetParts { parts: vec![WantedPart { name, part: 0 }] };
    let (answer, beside) = theirs.ask(ask(wanted), vec![]).await.expect("is reached");
    assert_eq!((answer, beside.len()), (SyncAnswer::Parts { parts: vec![], absent: vec![name] }, 0));
    let (answer, _) =
        theirs.ask(ask(SyncRequest::Push { sequence: 1, names: vec![name] }), vec![vec![1]]).await.expect("is");
    assert_eq!(answer, SyncAnswer::MissingBlobs { names: vec![name] });
}

/// An account has no more room than the operator gives it; what it has can still be read.
#[tokio::test]
async fn an_account_has_its_quota() {
    let server = Real::with("[limits]\nsync_quota_bytes = 1000\n").await;
    let (one, keys) = (Device::new(1), keys(7));
    one.begin(&server, &keys).await;
    one.store.apply(Commit::default().put(&setting("small")), one.now()).await.expect("applies");
    one.sync(&server, &keys).await.expect("syncs");
    one.store.apply(a_chat(1, one.now()), one.now()).await.expect("applies");
    let (two, other) = (Device::new(2), Setting { key: "font".into(), value: "serif".into() });
    two.store.apply(Commit::default().put(&other), two.now()).await.expect("applies");
    two.sync(&server, &keys).await.expect("syncs");
    // There is no room for its file; what needs none goes, and what others have sent comes.
    assert_eq!(one.sync(&server, &keys).await.expect("goes on").full, Some(1000));
    assert_eq!(get(&one.store, other.key()).await.expect("reads"), Some(other));
    two.sync(&server, &keys).await.expect("syncs");
    let theme: Option<Setting> = get(&two.store, setting("").key()).await.expect("reads");
    assert_eq!(theme, Some(setting("small")));
    let count = async |table| two.store.rows(table).await.expect("reads").len();
    assert_eq!((count(Table::Chats).await, count(Table::WorkspaceManifests).await), (1, 0));
}

/// F10: a change, or a snapshot, that is damaged on the disk is given to nobody, and a device that has everything puts another in its
/// place.
#[tokio::test]
async fn a_damaged_log_is_noticed_and_healed() {
    let (server, keys) = (Real::with("").await, keys(7));
    let (one, two) = (Device::new(1), Device::new(2));
    one.begin(&server, &keys).await;
    one.store.apply(a_chat(1, one.now()), one.now()).await.expect("applies");
    one.sync(&server, &keys).await.expect("syncs");
    for table in ["sync_changes", "sync_snapshot_parts"] {
        let sql = format!("UPDATE {table} SET sealed = zeroblob(length(sealed))");
        assert!(server.database().execute(&sql, []).expect("changes") > 0, "{table}");
        // One that has read nothing yet.
        let new = Device::new(3);
        let error = new.sync(&server, &keys).await.expect_err("is given none of it");
        assert!(matches!(error, SyncError::DamagedOnServer), "{table}: {error}");
        assert!(one.sync(&server, &keys).await.expect("syncs").compacted, "{table}");
        new.sync(&server, &keys).await.expect("syncs");
        assert_eq!(new.rows().await, one.rows().await);
        assert!(!one.sync(&server, &keys).await.expect("syncs").compacted, "once is enough");
    }
    two.sync(&server, &keys).await.expect("syncs");
    assert_eq!(two.rows().await, one.rows().await);
}

/// F10: a part that is damaged on the disk is given to nobody; a device that has the blob sends it again.
#[tokio::test]
async fn a_damaged_part_is_noticed_and_healed() {
    let (server, keys) = (Real::with("").await, keys(7));
    let (one, two) = (Device::new(1), Device::new(2));
    one.begin(&server, &keys).await;
    one.store.apply(a_chat(1, one.now()), one.now()).await.expect("applies");
    one.sync(&server, &keys).await.expect("syncs");
    let broken = server.database().execute("UPDATE sync_parts SET sealed = zeroblob(length(sealed))", []);
    assert_eq!(broken.expect("changes"), 3);
    let error = two.sync(&server, &keys).await.expect_err("is not given it");
    assert!(matches!(error, SyncError::MissingOnServer(3)), "{error}");
    one.sync(&server, &keys).await.expect("syncs");
    two.sync(&server, &keys).await.expect("syncs");
    assert_eq!(two.rows().await, one.rows().await);
}

/// Blobs that nothing names go after a week, and not before; named ones stay.
#[tokio::test]
async fn what_nothing_names_goes_after_a_week() {
    let server = Real::with("").await;
    let ask = |request| SyncAsk { device: device(1), key: SyncKeyId::new(KEY), epoch: None, request };
    server.ask(ask(SyncRequest::Begin), vec![]).await.expect("begins");
    let names = [1, 2].map(|number| BlobName::new([number; 32]));
    let parts = names.map(|name| BlobPart { name, part: 0, parts: 1 }).to_vec();
    server.ask(ask(SyncRequest::PutParts { parts }), vec![vec![1], vec![2]]).await.expect("puts");
    server.ask(ask(SyncRequest::Push { sequence: 1, names: vec![names[0]] }), vec![vec![3]]).await.expect("pushes");
    let database = server.fixture.state.database();
    assert_eq!(database.sweep_sync().await.expect("sweeps"), 0);
    let day = 86_400_000_i64;
    server.database().execute("UPDATE sync_blobs SET needed_at = needed_at - ?1", [7 * day - 60_000]).expect("ages");
    assert_eq!(database.sweep_sync().await.expect("sweeps"), 0);
    server.database().execute("UPDATE sync_blobs SET needed_at = needed_at - ?1", [7 * day]).expect("ages");
    assert_eq!(database.sweep_sync().await.expect("sweeps"), 1);
    let (answer, _) = server.ask(ask(SyncRequest::Have { names: names.to_vec() }), vec![]).await.expect("is reached");
    assert_eq!(answer, SyncAnswer::Have { complete: vec![names[0]], partly: vec![] });
}

/// R325: the key is changed; the other device is asked for the new code, joins with it, and nothing is lost on the way.
#[tokio::test]
async fn the_key_is_changed() {
    let server = Real::with("").await;
    let (one, two, old, new) = (Device::new(1), Device::new(2), keys(7), keys(8));
    one.begin(&server, &old).await;
    one.store.apply(a_chat(1, one.now()), one.now()).await.expect("applies");
    one.sync(&server, &old).await.expect("syncs");
    two.sync(&server, &old).await.expect("syncs");
    two.store.apply(Commit::default().put(&setting("only here")), two.now()).await.expect("applies");

    let member = Membership { server: &server, keys: &old, device: &one.id };
    member.rotate(&one.store, &new).await.expect("is changed");
    one.sync(&server, &new).await.expect("syncs");
    assert!(matches!(two.sync(&server, &old).await, Err(SyncError::WrongKey)));
    two.sync(&server, &new).await.expect("syncs");
    one.sync(&server, &new).await.expect("syncs");
    assert_eq!(one.rows().await, two.rows().await);
    let theme: Option<Setting> = get(&one.store, RowKey::one("theme")).await.expect("reads");
    assert_eq!(theme, Some(setting("only here")));
    let state = SyncState::load(&one.store).await.expect("reads").expect("is kept");
    assert_eq!(state.key, *new.id());
}

/// F17: a command in a synced row starts nothing; it is sealed bytes to the server.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_synced_command_starts_nothing() {
    let (server, keys, folder) = (Real::with("").await, keys(7), tempfile::tempdir().expect("a folder"));
    let one = Device::new(1);
    one.begin(&server, &keys).await;
    let canary = folder.path().join("started");
    let row = RowRef { table: Table::ToolsetMcpServers, key: RowKey::of(["evil", "sh"]) };
    let definition = serde_json::json!({
        "toolset_id": "evil", "server_id": "sh", "command": "sh", "args": ["-c", format!("touch {}", canary.display())],
    });
    let fields = definition.as_object().expect("an object").clone();
    let put = satchel_core::store::Put { row, fields, must_exist: false };
    one.store.apply(Commit { puts: vec![put], ..Commit::default() }, one.now()).await.expect("applies");
    one.sync(&server, &keys).await.expect("syncs");
    let children = format!("/proc/self/task/{}/children", std::process::id());
    assert_eq!(std::fs::read_to_string(children).unwrap_or_default().trim(), "");
    assert!(!canary.exists());
    let listed = server.fixture.ask("GET", "/api/v1/mcp/servers", serde_json::Value::Null).await;
    assert_eq!(listed.json()["servers"], serde_json::json!([]), "what is synced is not published");
}

/// What is no message of sync is refused with a sentence.
#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let server = Real::with("").await;
    for body in [&b""[..], b"{}", &[0, 0, 0, 2, b'{', b'}'], &[255; 40]] {
        let answer = server.raw(body.to_vec()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body:?}");
        assert!(answer.text().contains("the message of sync"), "{}", answer.text());
    }
    let ask = |request| SyncAsk { device: device(1), key: SyncKeyId::new(KEY), epoch: None, request };
    server.ask(ask(SyncRequest::Begin), vec![]).await.expect("begins");
    let name = BlobName::new([5; 32]);
    let strange = [
        SyncRequest::PutParts { parts: vec![BlobPart { name, part: 1, parts: 1 }] },
        SyncRequest::PutParts { parts: vec![] },
        SyncRequest::FinishSnapshot { position: 0, parts: 0, names: vec![] },
    ];
    for request in strange {
        let (answer, _) = server.ask(ask(request), vec![b"sealed".to_vec()]).await.expect("is reached");
        assert_eq!(answer.status(), 400, "{answer:?}");
    }
    let (answer, _) =
        server.ask(ask(SyncRequest::Push { sequence: 1, names: vec![] }), vec![]).await.expect("is reached");
    assert_eq!(answer.status(), 400);
}
