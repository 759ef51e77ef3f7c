//! Keeping wheels, over a store in memory and a scripted source.

use std::collections::BTreeMap;

use super::super::sample::{INDEX, Shelf, at_once, wheel};
use super::super::source::FetchFailure;
use super::*;
use crate::bundle::archive;
use crate::catalog::{Surroundings, ToolsetLimits, purge_expired};
use crate::ids::DeviceId;
use crate::local_api::{self, LocalApiLimits, Request, World};
use crate::store::MemoryStore;
use crate::upkeep::{UndoLimits, clean_up};
use crate::workspace::inspect;

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn device() -> MemoryStore {
    MemoryStore::new(DeviceId::parse("00000000-0000-4000-8000-00000000000d").expect("is a UUID"))
}

/// Installs a toolset that declares packages and ships wheels.
fn install(store: &MemoryStore, id: &str, declared: &str, shipped: &[(&str, Vec<u8>)]) -> Toolset {
    let manifest = format!(
        "manifest_version: '1'\nid: {id}\nname: Sample\nversion: 1.0.0\npython_packages: {declared}\ntools:\n  - {{id: one, entrypoint: 'tools.one:run'}}\n"
    );
    let mut files = BTreeMap::from([
        ("toolset.yaml".to_owned(), manifest.into_bytes()),
        ("tools/one.py".to_owned(), b"def run(): pass".to_vec()),
    ]);
    files.extend(shipped.iter().map(|(name, bytes)| (format!("wheels/{name}"), bytes.clone())));
    let body = archive::write(&files);
    let (surroundings, limits) = (Surroundings::default(), LocalApiLimits::default());
    let world = World {
        now: at(1),
        fresh_id: &|| "00000000-0000-7000-8000-000000000001".into(),
        surroundings: &surroundings,
        limits: &limits,
        tools: None,
        shelf: None,
    };
    let (method, path, query) = ("POST".into(), "/local/toolsets/import".into(), "replace=true".into());
    let response = at_once(local_api::answer(store, &world, Request { method, path, query, body }));
    assert!(response.status < 300, "{}", String::from_utf8_lossy(&response.body));
    at_once(get::<Toolset>(store, RowKey::one(id))).expect("memory does not fail").expect("is installed")
}

fn enter(store: &MemoryStore, addresses: &[&str]) {
    let texts: Vec<String> = addresses.iter().map(|address| (*address).to_owned()).collect();
    let setting = set_package_sources(&texts).expect("are addresses");
    at_once(store.apply(Commit::default().put(&setting), at(1))).expect("is kept");
}

fn packages<'a>(store: &'a MemoryStore, shelf: &'a Shelf) -> Packages<'a, MemoryStore, Shelf> {
    Packages { store, source: shelf, limits: PackageLimits::default(), now: &|| Timestamp::from_millis(2) }
}

fn ready(store: &MemoryStore, shelf: &Shelf, toolset: &Toolset) -> Result<Vec<String>, String> {
    let found = at_once(packages(store, shelf).ready(toolset.package, &|_| {}));
    found.map(|wheels| wheels.into_iter().map(|(name, _)| name).collect()).map_err(|error| error.to_string())
}

/// R306: fetched once, there without a network, and checked like everything that is stored.
#[test]
fn what_was_fetched_is_kept() {
    let (store, shelf) = (device(), Shelf::default());
    shelf.put("a", "1.0", &["b"]);
    shelf.put("b", "2.0", &[]);
    let toolset = install(&store, "sample", "[a]", &[]);
    enter(&store, &[INDEX]);
    let both = Ok(vec!["a-1.0-py3-none-any.whl".to_owned(), "b-2.0-py3-none-any.whl".to_owned()]);
    assert_eq!(ready(&store, &shelf, &toolset), both);
    *shelf.failure.borrow_mut() = Some(FetchFailure::Unreachable);
    shelf.asked.borrow_mut().clear();
    assert_eq!(ready(&store, &shelf, &toolset), both);
    assert!(shelf.asked.borrow().is_empty(), "nothing is asked for twice");

    let kept = at_once(toolset_packages(&store, &toolset)).expect("memory does not fail");
    assert_eq!((kept.declared.as_slice(), kept.kept.map(|kept| kept.wheels.len())), (&["a".to_owned()][..], Some(2)));
    let report = at_once(inspect(&store, |_| true)).expect("memory does not fail").expect("was not stopped");
    assert_eq!(report.findings, []);
    let cleaned = at_once(clean_up(&store, UndoLimits::default(), at(3))).expect("memory does not fail");
    assert_eq!(cleaned.blobs, 0, "what a row names is needed");
    assert_eq!(
        at_once(store.outbox())
            .expect("memory does not fail")
            .iter()
            .filter(|entry| entry.row.table == Table::PythonPackages)
            .count(),
        0
    );
}

#[test]
fn equal_wheels_are_stored_once_and_go_with_the_last_toolset() {
    let (store, shelf) = (device(), Shelf::default());
    shelf.put("a", "1.0", &[]);
    enter(&store, &[INDEX]);
    let (one, other) = (install(&store, "one", "[a]", &[]), install(&store, "other", "['a>=1']", &[]));
    let before = at_once(store.blob_ids()).expect("memory does not fail").len();
    for toolset in [&one, &other] {
        assert_eq!(ready(&store, &shelf, toolset), Ok(vec!["a-1.0-py3-none-any.whl".to_owned()]));
    }
    let wheel = BlobId::of(&wheel("a", "1.0", &[]));
    let has_wheel = || at_once(store.missing_blobs(&[wheel])).expect("memory does not fail").is_empty();
    assert_eq!(at_once(store.blob_ids()).expect("memory does not fail").len(), before + 1);

    at_once(remove_kept(&store, one.package, at(3))).expect("memory does not fail");
    at_once(clean_up(&store, UndoLimits::default(), at(4))).expect("memory does not fail");
    assert!(has_wheel(), "the other toolset needs it");
    let gone = Toolset { soft_deleted_at: Some(at(5)), ..other };
    at_once(store.apply(Commit::default().put(&gone), at(5))).expect("memory does not fail");
    let purged = at_once(purge_expired(&store, ToolsetLimits::default(), at(1_000_000_000_000)));
    assert_eq!(purged.expect("memory does not fail").len(), 1);
    at_once(clean_up(&store, UndoLimits::default(), at(1_000_000_000_001))).expect("memory does not fail");
    assert!(!has_wheel());
}

#[test]
fn a_new_version_of_a_toolset_has_packages_of_its_own() {
    let (store, shelf) = (device(), Shelf::default());
    shelf.put("a", "1.0", &[]);
    shelf.put("b", "1.0", &[]);
    enter(&store, &[INDEX]);
    let before = install(&store, "sample", "[a]", &[]);
    ready(&store, &shelf, &before).expect("is found");
    let after = install(&store, "sample", "[b]", &[]);
    assert_eq!(ready(&store, &shelf, &after), Ok(vec!["b-1.0-py3-none-any.whl".to_owned()]));
    let kept = at_once(kept_packages(&store)).expect("memory does not fail");
    assert_eq!(kept.iter().map(|kept| kept.package).collect::<Vec<_>>(), [after.package]);
}

#[test]
fn what_the_bundle_ships_is_not_fetched() {
    let (store, shelf) = (device(), Shelf::default());
    let ships = [("a-1.0-py3-none-any.whl", wheel("a", "1.0", &[]))];
    let toolset = install(&store, "sample", "[a]", &ships);
    assert_eq!(ready(&store, &shelf, &toolset), Ok(Vec::new()));
    let none = install(&store, "none", "[]", &[]);
    assert_eq!(ready(&store, &shelf, &none), Ok(Vec::new()));
}

/// A wheel that is lost is fetched again.
#[test]
fn what_is_not_there_any_more_is_fetched_again() {
    let (store, shelf) = (device(), Shelf::default());
    shelf.put("a", "1.0", &[]);
    enter(&store, &[INDEX]);
    let toolset = install(&store, "sample", "[a]", &[]);
    ready(&store, &shelf, &toolset).expect("is found");
    let touched = at_once(store.blobs_touched()).expect("memory does not fail");
    let drops = Some(crate::store::Drops { blobs: vec![BlobId::of(&wheel("a", "1.0", &[]))], touched });
    at_once(store.apply(Commit { drops, ..Commit::default() }, at(3))).expect("is dropped");
    assert_eq!(at_once(toolset_packages(&store, &toolset)).expect("memory does not fail").kept, None);
    shelf.asked.borrow_mut().clear();
    ready(&store, &shelf, &toolset).expect("is found");
    assert!(!shelf.asked.borrow().is_empty());
}

#[test]
fn addresses_are_kept_in_their_order_and_once() {
    let store = device();
    enter(
        &store,
        &["https://b.example/simple", " ", "https://a.example/pyodide-lock.json", "https://b.example/simple/"],
    );
    let read = at_once(package_sources(&store)).expect("memory does not fail");
    let hrefs: Vec<&str> = read.iter().map(SourceAddress::href).collect();
    assert_eq!(hrefs, ["https://b.example/simple/", "https://a.example/pyodide-lock.json"]);
    assert!(set_package_sources(&["pypi".into()]).is_err());
}

#[test]
fn who_waits_is_told_what_is_fetched() {
    let (store, shelf) = (device(), Shelf::default());
    shelf.put("a", "1.0", &[]);
    let toolset = install(&store, "sample", "[a]", &[]);
    let refused = ready(&store, &shelf, &toolset).expect_err("is refused");
    assert!(refused.starts_with("a is not in the bundle's wheels/ and no package source is set"), "{refused}");
    enter(&store, &[INDEX]);
    let steps = std::cell::RefCell::new(Vec::new());
    let on_step = |step: Step<'_>| steps.borrow_mut().push(step.to_string());
    at_once(packages(&store, &shelf).ready(toolset.package, &on_step)).expect("is found");
    assert_eq!(steps.into_inner(), ["Looking for a", "Fetching a-1.0-py3-none-any.whl"]);
}
