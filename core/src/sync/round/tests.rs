//! What a round does when something is wrong, over the simulator's server.

use std::cell::{Cell, RefCell};

use super::*;
use crate::at_once::at_once;
use crate::record::{RowKey, Setting};
use crate::store::stopping::{Moment, Stopping};
use crate::store::{Blob, MemoryStore, Put, get};
use crate::sync::simulator::ModelServer;
use crate::sync::{AccountKey, Membership, WayOn};

/// The simulator's server, with something in between.
struct Between {
    server: RefCell<ModelServer>,
    /// The change that is kept back.
    kept_back: Cell<Option<u64>>,
    /// After so many requests nothing is reached any more.
    left: Cell<usize>,
    /// The parts of blobs that came.
    parts: Cell<usize>,
    /// The most blobs that a request with rows has named.
    most_names: Cell<usize>,
}

impl Between {
    fn new() -> Self {
        let server = RefCell::new(ModelServer::new());
        Self {
            server,
            kept_back: Cell::new(None),
            left: Cell::new(usize::MAX),
            parts: Cell::new(0),
            most_names: Cell::new(0),
        }
    }
}

impl SyncServer for Between {
    async fn ask(&self, ask: SyncAsk, beside: Vec<Vec<u8>>) -> Result<(SyncAnswer, Vec<Vec<u8>>), NotReached> {
        if self.left.get() == 0 {
            return Err(NotReached { reason: "it is cut off".into(), can_retry: true });
        }
        self.left.set(self.left.get() - 1);
        match &ask.request {
            SyncRequest::PutParts { parts } => self.parts.set(self.parts.get() + parts.len()),
            SyncRequest::Push { names, .. }
            | SyncRequest::NameSnapshot { names, .. }
            | SyncRequest::FinishSnapshot { names, .. } => self.most_names.set(self.most_names.get().max(names.len())),
            _ => {}
        }
        let (mut answer, mut beside) = self.server.borrow_mut().handle(&ask, &beside);
        if let (SyncAnswer::Changes { changes, .. }, Some(position)) = (&mut answer, self.kept_back.get())
            && let Some(at) = changes.iter().position(|change| change.position == position)
        {
            changes.remove(at);
            beside.remove(at);
        }
        Ok((answer, beside))
    }
}

fn device(number: u8) -> DeviceId {
    DeviceId::parse(format!("0198c5a4-7c1e-7000-8000-0000000000{number:02x}")).expect("is a UUID")
}

fn keys() -> SyncKeys {
    SyncKeys::new(&AccountKey::from_random([7; 16]))
}

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn begun() -> Between {
    let server = Between::new();
    at_once(Membership { server: &server, keys: &keys(), device: &device(1) }.begin()).expect("begins");
    server
}

fn sync(store: &MemoryStore, by: u8, server: &Between) -> Result<Synced, SyncError> {
    let limits =
        SyncLimits { change_rows: 1, part_bytes: 10, batch_bytes: 1, wanted_parts: 1, ..SyncLimits::default() };
    sync_within(limits, store, by, server)
}

fn sync_within(limits: SyncLimits, store: &MemoryStore, by: u8, server: &Between) -> Result<Synced, SyncError> {
    let (keys, device, now) = (keys(), device(by), || at(1_000));
    let (keys, device) = (&keys, &device);
    at_once(Round { store, server, keys, device, limits, now: &now, told: &|_| {}, came: &|_| {} }.run())
}

fn setting(key: &str) -> Setting {
    Setting { key: key.into(), value: 1.into() }
}

/// A row that needs a file.
fn with_file(blob: &Blob) -> Put {
    let row = RowRef { table: Table::Kv, key: RowKey::one("picture") };
    let fields = serde_json::json!({ "key": "picture", "value": { "sha256": blob.id() } });
    Put { row, fields: fields.as_object().expect("an object").clone(), must_exist: false }
}

/// A change that the server keeps back is noticed by its number, and the user can have everything read again.
#[test]
fn a_gap_is_noticed() {
    let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    for key in ["a", "b", "c"] {
        at_once(one.apply(Commit::default().put(&setting(key)), at(1))).expect("applies");
    }
    sync(&one, 1, &server).expect("syncs");
    server.kept_back.set(Some(2));
    let error = sync(&two, 2, &server).expect_err("is noticed");
    assert!(matches!(&error, SyncError::Gap { last: 1, next: 3, .. }), "{error}");
    assert_eq!(error.way_on(), WayOn::ReadAgain);
    server.kept_back.set(None);
    sync(&two, 2, &server).expect("syncs");
    assert_eq!(at_once(two.rows(Table::Settings)).expect("reads").len(), 3);
}

/// F6: a large file goes in parts; a round that is cut off at any request loses nothing, and what came is not sent again.
#[test]
fn an_upload_goes_on_where_it_was_cut() {
    let blob = Blob::new(b"a file of more than forty bytes, in ten-byte parts".to_vec());
    let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    let commit = Commit { puts: vec![with_file(&blob)], ..Commit::default() }.blob(blob.clone());
    at_once(one.apply(commit, at(1))).expect("applies");
    let mut rounds = 0;
    loop {
        rounds += 1;
        // Status, have, and one part.
        server.left.set(3 + usize::from(rounds > 5));
        match sync(&one, 1, &server) {
            Err(SyncError::NotReached(_)) if rounds < 20 => {}
            Err(error) => panic!("{error}"),
            Ok(_) => break,
        }
        if at_once(one.outbox()).expect("reads").is_empty() {
            break;
        }
    }
    assert_eq!((server.parts.get(), rounds), (5, 6), "each part was sent once");
    server.left.set(usize::MAX);
    sync(&two, 2, &server).expect("syncs");
    assert_eq!(at_once(two.blob(blob.id())).expect("reads"), Some(blob.bytes().to_vec()));
}

/// A row whose file is missing or damaged here stays here, and the others go.
#[test]
fn a_row_without_its_file_is_held_back() {
    let blob = Blob::new(b"sound".to_vec());
    for damage in [None, Some(Blob::named(blob.id(), b"soumd".to_vec()))] {
        let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
        let broken = Commit { puts: vec![with_file(&blob)], ..Commit::default() };
        let broken = damage.into_iter().fold(broken, Commit::blob);
        at_once(one.apply(broken.put(&setting("a")), at(1))).expect("applies");
        // In one page with it.
        let synced = sync_within(SyncLimits::default(), &one, 1, &server).expect("syncs");
        assert_eq!((synced.sent, synced.held_back), (1, 1));
        sync(&two, 2, &server).expect("syncs");
        assert_eq!(at_once(get(&two, RowKey::one("a"))).expect("reads"), Some(setting("a")));
        assert_eq!(at_once(two.rows(Table::Kv)).expect("reads"), []);
        // Once the file is there again, it goes.
        at_once(one.apply(Commit::default().blob(blob.clone()), at(2))).expect("applies");
        assert_eq!(sync(&one, 1, &server).expect("syncs").held_back, 0);
        sync(&two, 2, &server).expect("syncs");
        assert_eq!(at_once(two.missing_blobs(&[blob.id()])).expect("reads"), []);
    }
}

/// R311: a file that was damaged here is as it was, from what another device has sent.
#[test]
fn a_damaged_file_is_repaired_from_the_server() {
    let blob = Blob::new(b"a file in more parts than one".to_vec());
    let (server, one) = (begun(), MemoryStore::new(device(1)));
    let commit = Commit { puts: vec![with_file(&blob)], ..Commit::default() }.blob(blob.clone());
    at_once(one.apply(commit, at(1))).expect("applies");
    sync(&one, 1, &server).expect("syncs");
    let damaged = Commit::default().blob(Blob::named(blob.id(), b"damaged".to_vec()));
    at_once(one.apply(damaged, at(2))).expect("applies");
    let (keys, device, now) = (keys(), device(1), || at(3));
    let (store, server, keys, device, limits) = (&one, &server, &keys, &device, SyncLimits::default());
    let round = Round { store, server, keys, device, limits, now: &now, told: &|_| {}, came: &|_| {} };
    at_once(round.repair(&[blob.id()])).expect("is repaired");
    assert_eq!(at_once(one.blob(blob.id())).expect("reads"), Some(blob.bytes().to_vec()));
    let nowhere = at_once(round.repair(&[BlobId::of(b"nobody has sent this")])).expect_err("is told");
    assert!(matches!(nowhere, SyncError::MissingOnServer(1)), "{nowhere}");
}

/// R263: only what is missing is sent and fetched.
#[test]
fn a_blob_travels_once() {
    let blob = Blob::new(b"ten bytes.".to_vec());
    let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    for store in [&one, &two] {
        let commit = Commit { puts: vec![with_file(&blob)], ..Commit::default() }.blob(blob.clone());
        at_once(store.apply(commit, at(1))).expect("applies");
    }
    sync(&one, 1, &server).expect("syncs");
    sync(&two, 2, &server).expect("syncs");
    assert_eq!(server.parts.get(), 1);
    assert_eq!(BlobId::of(blob.bytes()), blob.id());
}

/// R264: which tables have news is told once they are stored, and not of what this device has sent itself.
#[test]
fn what_came_from_others_is_told() {
    let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    at_once(one.apply(Commit::default().put(&setting("a")), at(1))).expect("applies");
    let told = |store: &MemoryStore, by: u8| {
        let came = RefCell::new(BTreeSet::new());
        let (keys, device, now) = (keys(), device(by), || at(1_000));
        let (server, keys, device, limits) = (&server, &keys, &device, SyncLimits::default());
        let note = |tables: &BTreeSet<Table>| came.borrow_mut().extend(tables.iter().copied());
        let round = Round { store, server, keys, device, limits, now: &now, told: &|_| {}, came: &note };
        at_once(round.run()).expect("syncs");
        came.into_inner()
    };
    assert_eq!(told(&one, 1), BTreeSet::new());
    assert_eq!(told(&two, 2), BTreeSet::from([Table::Settings]));
    // Who reads everything again is told of it again, and sends nothing.
    let state = at_once(SyncState::load(&two)).expect("reads").expect("has synced");
    at_once(two.apply(state.read_again().keep(Commit::default()), at(2))).expect("applies");
    assert_eq!(told(&two, 2), BTreeSet::from([Table::Settings]));
    assert_eq!(at_once(two.outbox()).expect("reads"), []);
}

/// R325: the key is changed by who has all of the log, be that nothing.
#[test]
fn the_key_is_changed_by_who_has_everything() {
    let (server, one) = (begun(), MemoryStore::new(device(1)));
    let (keys, device) = (keys(), device(1));
    let member = Membership { server: &server, keys: &keys, device: &device };
    let next = SyncKeys::new(&AccountKey::from_random([8; 16]));
    let other = MemoryStore::new(self::device(2));
    at_once(other.apply(Commit::default().put(&setting("a")), at(1))).expect("applies");
    sync(&other, 2, &server).expect("syncs");
    let early = at_once(member.rotate(&one, &next)).expect_err("it has not taken over what the other sent");
    assert!(matches!(early, SyncError::Busy), "{early}");
    let empty = begun();
    at_once(Membership { server: &empty, ..member }.rotate(&one, &next)).expect("there is nothing to have");
}

/// R316: a server without room for a file takes all else, and what others have sent comes all the same.
#[test]
fn a_full_server_stops_neither_rows_nor_what_comes() {
    let large = Blob::new(vec![7; 500]);
    let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    at_once(two.apply(Commit::default().put(&setting("theirs")), at(1))).expect("applies");
    sync(&two, 2, &server).expect("syncs");
    server.server.borrow_mut().quota_bytes = 600;
    let commit = Commit { puts: vec![with_file(&large)], ..Commit::default() }.blob(large.clone());
    at_once(one.apply(commit.put(&setting("mine")), at(1))).expect("applies");
    for limits in [SyncLimits::default(), SyncLimits { change_rows: 1, ..SyncLimits::default() }] {
        let synced = sync_within(limits, &one, 1, &server).expect("goes on");
        assert_eq!((synced.full, synced.held_back, server.parts.get()), (Some(600), 0, 0));
        assert_eq!(at_once(get(&one, RowKey::one("theirs"))).expect("reads"), Some(setting("theirs")));
    }
    sync(&two, 2, &server).expect("syncs");
    assert_eq!(at_once(get(&two, RowKey::one("mine"))).expect("reads"), Some(setting("mine")));
    assert_eq!(at_once(two.rows(Table::Kv)).expect("reads"), []);
    // With more room it goes.
    server.server.borrow_mut().quota_bytes = 60_000;
    assert_eq!(sync(&one, 1, &server).expect("syncs").full, None);
    sync(&two, 2, &server).expect("syncs");
    assert_eq!(at_once(two.missing_blobs(&[large.id()])).expect("reads"), []);
}

/// F10: a change that is damaged at the server is put right by a device that has it; until then the others go on trying.
#[test]
fn damage_at_the_server_is_put_right_by_who_has_everything() {
    let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    for key in ["a", "b", "c"] {
        at_once(one.apply(Commit::default().put(&setting(key)), at(1))).expect("applies");
    }
    sync(&one, 1, &server).expect("syncs");
    server.server.borrow_mut().damaged = Some(2);
    at_once(two.apply(Commit::default().put(&setting("theirs")), at(1))).expect("applies");
    let error = sync(&two, 2, &server).expect_err("is told");
    assert!(matches!(error, SyncError::DamagedOnServer), "{error}");
    assert_eq!(error.way_on(), WayOn::Again);
    assert_eq!(at_once(two.rows(Table::Settings)).expect("reads").len(), 2, "what is sound came, and its own is sent");
    // The one that has everything reads what came, and makes a snapshot in the place of what is damaged.
    assert!(sync(&one, 1, &server).expect("syncs").compacted);
    sync(&two, 2, &server).expect("syncs");
    for store in [&one, &two] {
        assert_eq!(at_once(store.rows(Table::Settings)).expect("reads").len(), 4);
    }
    assert!(!sync(&one, 1, &server).expect("syncs").compacted, "once is enough");
}

/// A first sync of much goes in requests that each name only so many blobs.
#[test]
fn no_request_names_more_than_it_may() {
    let (server, one) = (begun(), MemoryStore::new(device(1)));
    for number in 0..7_u8 {
        let blob = Blob::new(vec![number]);
        let mut put = with_file(&blob);
        put.row.key = RowKey::one(format!("picture {number}"));
        put.fields.insert("key".into(), format!("picture {number}").into());
        at_once(one.apply(Commit { puts: vec![put], ..Commit::default() }.blob(blob), at(1))).expect("applies");
    }
    let limits = SyncLimits { names: 2, compact_changes: 1, ..SyncLimits::default() };
    let synced = sync_within(limits, &one, 1, &server).expect("syncs");
    assert_eq!((synced.sent, synced.compacted, server.most_names.get()), (7, true, 2));
    let two = MemoryStore::new(device(2));
    sync(&two, 2, &server).expect("syncs");
    assert_eq!(at_once(two.rows(Table::Kv)).expect("reads").len(), 7);
}

/// F2: wherever a device stops while it takes over a page, there is nothing of the page or all of it, and the next round brings the rest.
#[test]
fn a_page_stopped_anywhere_is_taken_whole_or_not_at_all() {
    let blob = Blob::new(b"a file of more than forty bytes, in ten-byte parts".to_vec());
    let (server, one) = (begun(), MemoryStore::new(device(1)));
    let commit = Commit { puts: vec![with_file(&blob)], ..Commit::default() }.blob(blob.clone());
    at_once(one.apply(commit.put(&setting("a")).put(&setting("b")), at(1))).expect("applies");
    sync_within(SyncLimits::default(), &one, 1, &server).expect("syncs");
    let whole = |store: &MemoryStore| {
        let count = |table| at_once(store.rows(table)).expect("reads").len();
        let state = at_once(SyncState::load(store)).expect("reads").map_or(0, |state| state.cursor);
        match (count(Table::Kv), count(Table::Settings), state) {
            (0, 0, 0) => false,
            (1, 2, 1) => {
                assert_eq!(at_once(store.missing_blobs(&[blob.id()])).expect("reads"), []);
                true
            }
            between => panic!("{between:?}"),
        }
    };
    let (mut old, mut new) = (0, 0);
    for moment in [Moment::Before, Moment::After] {
        for stop in 1.. {
            let two = MemoryStore::new(device(2));
            let stopping = Stopping { store: &two, at: stop, moment, done: Cell::new(0) };
            let (keys, device, now) = (keys(), device(2), || at(1_000));
            let (store, server, keys, device, limits) = (&stopping, &server, &keys, &device, SyncLimits::default());
            let round = Round { store, server, keys, device, limits, now: &now, told: &|_| {}, came: &|_| {} };
            let outcome = at_once(round.run());
            if whole(&two) {
                new += 1
            } else {
                old += 1
            }
            sync(&two, 2, server).expect("goes on");
            assert!(whole(&two), "stopped at operation {stop}");
            if outcome.is_ok() {
                break;
            }
        }
    }
    assert!(old > 2 && new > 2, "{old} times nothing, {new} times all");
}

/// C28: a package that a toolset uses is not lost by a deletion that did not know.
#[test]
fn a_package_in_use_outlives_a_deletion() {
    let (server, one, two) = (begun(), MemoryStore::new(device(1)), MemoryStore::new(device(2)));
    let row = |table, key: &str| RowRef { table, key: RowKey::one(key) };
    let put = |row: RowRef, fields: serde_json::Value| Put {
        row,
        fields: fields.as_object().expect("an object").clone(),
        must_exist: false,
    };
    let package = put(row(Table::Packages, "p"), serde_json::json!({"package": "p", "toolset_id": "t"}));
    let toolset = |package: &str| put(row(Table::Toolsets, "t"), serde_json::json!({"id": "t", "package": package}));
    let puts = |puts: Vec<Put>| Commit { puts, ..Commit::default() };
    at_once(one.apply(puts(vec![package, toolset("q")]), at(1))).expect("applies");
    sync(&one, 1, &server).expect("syncs");
    sync(&two, 2, &server).expect("syncs");
    at_once(two.apply(Commit::default().delete(row(Table::Packages, "p")), at(2))).expect("applies");
    sync(&two, 2, &server).expect("syncs");
    at_once(one.apply(puts(vec![toolset("p")]), at(3))).expect("applies");
    for (store, by) in [(&one, 1), (&two, 2), (&one, 1)] {
        sync(store, by, &server).expect("syncs");
    }
    for store in [&one, &two] {
        assert_eq!(at_once(store.rows(Table::Packages)).expect("reads").len(), 1);
    }
}
