//! The check finds what is broken, and changes nothing.

use serde_json::json;

use super::Device;
use crate::digest::BlobId;
use crate::store::{Blob, Commit};

/// R311
#[test]
fn a_sound_store_has_nothing_broken() {
    let device = Device::with_toolset();
    let chat = device.chat();
    device.ask("PUT", &format!("/local/chats/{chat}/workspace/files/a.txt"), b"one").is(200);
    let body = device.ask("POST", "/local/check", b"").is(200);
    // Three files of the toolset, a file of the workspace and its folder.
    assert_eq!(body, json!({"blobs": 5, "manifests": 1, "broken": []}));
}

/// R311: a blob whose bytes changed, and all that is broken with it.
#[test]
fn a_broken_blob_is_found() {
    let device = Device::new();
    let chat = device.chat();
    device.ask("PUT", &format!("/local/chats/{chat}/workspace/files/a.txt"), b"one").is(200);
    device.apply(Commit::default().blob(Blob::named(BlobId::of(b"one"), b"rotten".to_vec())));
    insta::assert_json_snapshot!(device.ask("POST", "/local/check", b"").is(200), @r#"
    {
      "blobs": 2,
      "manifests": 1,
      "broken": [
        {
          "kind": "broken_blob",
          "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
          "message": "the bytes of blob 7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed do not match its name"
        },
        {
          "kind": "broken_manifest",
          "row": {
            "table": "workspace_manifests",
            "key": [
              "0198c5a4-7c1e-7000-8000-000000000002"
            ]
          },
          "lacks": [
            "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
          ],
          "message": "workspace_manifests/0198c5a4-7c1e-7000-8000-000000000002 lacks some of its folders or files (1)"
        },
        {
          "kind": "broken_head",
          "row": {
            "table": "node_heads",
            "key": [
              "0198c5a4-7c1e-7000-8000-000000000001",
              "root",
              "0198c5a4-7c1e-7000-8000-000000000002"
            ]
          },
          "moves_to": null,
          "message": "node_heads/0198c5a4-7c1e-7000-8000-000000000001/root/0198c5a4-7c1e-7000-8000-000000000002 names a state that cannot be read, and there is no sound one before it"
        }
      ]
    }
    "#);
}
