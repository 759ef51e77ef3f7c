//! What mending repairs, and what it leaves to the user.

use super::*;
use crate::at_once::at_once;
use crate::digest::BlobId;
use crate::store::Blob;
use crate::upkeep::sample::{Device, at};

fn mended(device: &Device) -> Mended {
    at_once(mend(&device.store, at(9), |_| true)).expect("memory does not fail").expect("was not stopped")
}

fn put_blob(device: &Device, name: &[u8], bytes: &[u8]) {
    let blob = Blob::named(BlobId::of(name), bytes.to_vec());
    at_once(device.store.apply(Commit::default().blob(blob), at(5))).expect("applies");
}

/// R311: a head whose files are broken goes back to the newest sound state, and what nothing names is dropped.
#[test]
fn a_broken_state_gives_way_to_the_newest_sound_one() {
    let device = Device::new();
    let chat = device.chat_with(&[("a.txt", "sound"), ("b.txt", "to be broken")]);
    put_blob(&device, b"to be broken", b"rotten");
    put_blob(&device, b"orphan", b"orphan");
    let before = device.ask("POST", "/local/check", b"");
    assert!(before["broken"].as_array().is_some_and(|broken| !broken.is_empty()), "{before}");

    let mended = mended(&device);
    assert_eq!((mended.dropped, mended.moved), (1, 1));
    let workspace = device.ask("GET", &format!("/local/chats/{chat}/workspace"), b"");
    let paths: Vec<_> = workspace["files"].as_array().into_iter().flatten().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["a.txt"], "the state before the broken file came");
    let heads = mended.report.findings.iter().filter(|finding| matches!(finding, Finding::BrokenHead { .. }));
    assert_eq!(heads.count(), 0);
}

/// R317: what cannot be repaired can be taken out and taken away; then nothing is wrong any more.
#[test]
fn what_cannot_be_repaired_is_exported_and_removed() {
    let device = Device::new();
    device.chat_with(&[("a.txt", "sound"), ("b.txt", "to be broken")]);
    put_blob(&device, b"to be broken", b"rotten");
    let left = mended(&device).report.findings;
    assert!(!left.is_empty());
    for finding in &left {
        let (name, bytes) = at_once(export(&device.store, finding)).expect("reads").expect("is there");
        match finding {
            Finding::BrokenBlob { sha256 } => assert_eq!((name, bytes), (format!("{sha256}.bin"), b"rotten".to_vec())),
            _ => assert!(name.ends_with(".json") && serde_json::from_slice::<serde_json::Value>(&bytes).is_ok()),
        }
        at_once(remove(&device.store, finding, at(10))).expect("applies");
    }
    assert_eq!(mended(&device).report.findings, []);
}

#[test]
fn a_sound_store_is_left_alone() {
    let device = Device::new();
    device.chat_with(&[("a.txt", "sound")]);
    let mended = mended(&device);
    assert_eq!((mended.dropped, mended.moved, mended.report.findings), (0, 0, Vec::new()));
}
