//! Files are written, listed, read, compared and deleted.

use std::cell::Cell;

use serde_json::{Value, json};

use super::chats::{look_at, message, message_id};
use super::meddling::Meddling;
use super::{Device, text};
use crate::at_once::at_once;
use crate::digest::BlobId;
use crate::ids::{ChatId, ManifestId};
use crate::record::{Node, NodeHead, RowKey, RowRef, Table, WorkspaceManifest};
use crate::store::{Blob, Commit};

fn files(chat: &str) -> String {
    format!("/local/chats/{chat}/workspace/files")
}

fn put(device: &Device, chat: &str, path: &str, text: &str) -> Value {
    device.ask("PUT", &format!("{}/{path}", files(chat)), text.as_bytes()).is(200)
}

fn paths(device: &Device, chat: &str) -> Vec<String> {
    let body = device.get(&format!("/local/chats/{chat}/workspace"));
    body["files"].as_array().expect("is a list").iter().map(|file| text(&file["path"])).collect()
}

/// R236, R041: written, listed, read.
#[test]
fn a_file_is_written_and_read() {
    let device = Device::new();
    let chat = device.chat();
    assert_eq!(device.get(&format!("/local/chats/{chat}/workspace")), json!({"manifest_id": null, "files": []}));
    insta::assert_json_snapshot!(put(&device, &chat, "notes/caf%C3%A9%20au%20lait.md", "one"), @r#"
    {
      "manifest_id": "0198c5a4-7c1e-7000-8000-000000000002",
      "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    }
    "#);
    put(&device, &chat, "a.txt", "two");
    insta::assert_json_snapshot!(device.get(&format!("/local/chats/{chat}/workspace")), @r#"
    {
      "manifest_id": "0198c5a4-7c1e-7000-8000-000000000003",
      "files": [
        {
          "path": "a.txt",
          "sha256": "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
          "size": 3
        },
        {
          "path": "notes/café au lait.md",
          "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
          "size": 3
        }
      ]
    }
    "#);
    let asked = device.ask("GET", &format!("{}/notes/caf%C3%A9%20au%20lait.md", files(&chat)), b"");
    assert_eq!((asked.0.status, asked.0.body.as_slice()), (200, b"one".as_slice()));
    assert_eq!(asked.0.header("content-type"), Some("application/octet-stream"));
}

/// A name is what its encoding says, nothing more and nothing less.
#[test]
fn odd_names_are_kept_as_they_are() {
    let device = Device::new();
    let chat = device.chat();
    let names = ["a b", "a+b", "100%", "%41", "what?", "#1", "a&b=c", "é/ü", "\"q\"", "~", "..."];
    for name in names {
        let encoded: Vec<String> =
            (name.split('/')).map(|part| part.bytes().map(|byte| format!("%{byte:02X}")).collect()).collect();
        put(&device, &chat, &encoded.join("/"), name);
        let asked = device.ask("GET", &format!("{}/{}", files(&chat), encoded.join("/")), b"");
        assert_eq!((asked.0.status, asked.0.body.as_slice()), (200, name.as_bytes()));
    }
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(paths(&device, &chat), expected);
}

/// R014, R040, R236: the state of a message, as a row with its files.
#[test]
fn the_manifest_of_a_message() {
    let device = Device::new();
    let chat = device.chat();
    let manifest = |message: &str| format!("/local/chats/{chat}/messages/{message}/manifest");
    let none = "there were no files in this chat up to this message";
    device.ask("GET", &manifest("root"), b"").refuses(404, "not_found", none);
    put(&device, &chat, "a.txt", "one");
    device.apply(Commit::default().put(&message(&chat, 1, None)));
    device.now.set(2_000);
    put(&device, &chat, "dir/b.txt", "two");
    insta::assert_json_snapshot!(device.get(&manifest(message_id(1).as_str())), @r#"
    {
      "id": "0198c5a4-7c1e-7000-8000-000000000003",
      "chat_id": "0198c5a4-7c1e-7000-8000-000000000001",
      "parent_id": "0198c5a4-7c1e-7000-8000-000000000002",
      "root": "5b5e0d87d3acf78718a5fa50c157df82a588035f288953668c07d1324c071dbd",
      "created_at": "1970-01-01T00:00:02.000Z",
      "source": "edit",
      "source_ref": "0198c5a4-7c1e-7000-9000-000000000001",
      "files": {
        "a.txt": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
        "dir/b.txt": "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"
      }
    }
    "#);
    let root = device.get(&manifest("root"));
    assert_eq!(root["files"], json!({"a.txt": BlobId::of(b"one")}));
    let message = format!("this chat has no message {}", message_id(9));
    device.ask("GET", &manifest(message_id(9).as_str()), b"").refuses(404, "not_found", &message);
    let asked = device.ask("GET", &manifest("leaf"), b"");
    let path = asked.refuses(400, "bad_request", "not a message id, which is a UUID in lower case: \"leaf\"");
    assert_eq!(path.as_deref(), Some("message_id"));
}

/// R309: two states, compared file by file.
#[test]
fn two_states_are_compared() {
    let device = Device::new();
    let chat = device.chat();
    put(&device, &chat, "same.txt", "same");
    put(&device, &chat, "old.txt", "old");
    let before = text(&put(&device, &chat, "changed.txt", "one")["manifest_id"]);
    put(&device, &chat, "changed.txt", "two");
    put(&device, &chat, "dir/new.txt", "new");
    let after = device.ask("DELETE", &format!("{}/old.txt", files(&chat)), b"").is(200);
    let after = text(&after["manifest_id"]);
    insta::assert_json_snapshot!(device.get(&format!("/local/manifests/{before}/diff/{after}")), @r#"
    {
      "added": {
        "dir/new.txt": {
          "sha256": "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437",
          "size": 3
        }
      },
      "changed": {
        "changed.txt": {
          "before": {
            "sha256": "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
            "size": 3
          },
          "after": {
            "sha256": "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3",
            "size": 3
          }
        }
      },
      "deleted": {
        "old.txt": {
          "sha256": "cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4",
          "size": 3
        }
      }
    }
    "#);
    let nothing = json!({"added": {}, "changed": {}, "deleted": {}});
    assert_eq!(device.get(&format!("/local/manifests/{after}/diff/{after}")), nothing);

    let none = "0198c5a4-7c1e-7000-8000-0000000000ff";
    let asked = device.ask("GET", &format!("/local/manifests/{before}/diff/{none}"), b"");
    let path = asked.refuses(404, "not_found", &format!("there is no manifest {none}"));
    assert_eq!(path.as_deref(), Some("b"));
    let asked = device.ask("GET", &format!("/local/manifests/x/diff/{after}"), b"");
    assert_eq!(
        asked.refuses(400, "bad_request", "not a manifest id, which is a UUID in lower case: \"x\"").as_deref(),
        Some("a")
    );
}

/// R040, R036: an edit makes a manifest after the one before; the same bytes make none.
#[test]
fn a_change_makes_one_edit_manifest() {
    let device = Device::new();
    let chat = device.chat();
    let first = text(&put(&device, &chat, "a.txt", "one")["manifest_id"]);
    let second = text(&put(&device, &chat, "a.txt", "two")["manifest_id"]);
    assert_eq!(put(&device, &chat, "a.txt", "two")["manifest_id"], json!(second));
    let row = device.get(&format!("/local/chats/{chat}/messages/root/manifest"));
    let seen = (&row["id"], &row["parent_id"], &row["source"]);
    assert_eq!(seen, (&json!(second), &json!(first), &json!("edit")));
}

/// R016, R038: a change belongs to the branch that is shown.
#[test]
fn branches_have_their_own_files() {
    let device = Device::new();
    let chat = device.chat();
    put(&device, &chat, "a.txt", "shared");
    let rows = [message(&chat, 1, None), message(&chat, 2, Some(1)), message(&chat, 3, Some(1))];
    device.apply(rows.iter().fold(Commit::default(), Commit::put));
    look_at(&device, &chat, 2);
    put(&device, &chat, "b.txt", "left");
    look_at(&device, &chat, 3);
    assert_eq!(paths(&device, &chat), ["a.txt"]);
    put(&device, &chat, "c.txt", "right");
    look_at(&device, &chat, 2);
    assert_eq!(paths(&device, &chat), ["a.txt", "b.txt"]);
}

#[test]
fn a_file_is_deleted() {
    let device = Device::new();
    let chat = device.chat();
    put(&device, &chat, "dir/a.txt", "one");
    let check = |method: &str, path: &str| {
        let message = format!("there is no file {path:?} in this workspace");
        let asked = device.ask(method, &format!("{}/{path}", files(&chat)), b"");
        assert_eq!(asked.refuses(404, "not_found", &message).as_deref(), Some(path));
    };
    check("DELETE", "a.txt");
    check("DELETE", "dir");
    check("GET", "dir");
    check("GET", "dir/a.txt/b");
    let deleted = device.ask("DELETE", &format!("{}/dir/a.txt", files(&chat)), b"").is(200);
    assert!(deleted.get("sha256").is_none());
    assert_eq!(
        device.get(&format!("/local/chats/{chat}/workspace")),
        json!({"manifest_id": deleted["manifest_id"], "files": []})
    );
    check("GET", "dir/a.txt");
}

/// R044: whatever way a path tries to get out, it is refused in reading and in writing.
#[test]
fn paths_that_escape_are_refused() {
    let device = Device::new();
    let chat = device.chat();
    let check = |path: &str, expected: &str| {
        for method in ["GET", "PUT", "DELETE"] {
            let asked = device.ask(method, &format!("{}/{path}", files(&chat)), b"x");
            let about = asked.refuses(400, "bad_request", expected);
            assert!(about.is_none_or(|about| about == "path"));
        }
    };
    let escaping = "contains \"..\", which may lead out of the workspace; write the folders by name";
    check("../x", &format!("\"../x\" {escaping}"));
    check("a/%2e%2E/x", &format!("\"a/../x\" {escaping}"));
    check("a%2Fb", "\"a/b\" has an encoded \"/\" inside a name; put \"/\" between names");
    check("..%2Fx", "\"../x\" has an encoded \"/\" inside a name; put \"/\" between names");
    check("a%5Cb", r#""a\\b" contains a backslash; use "/" between folders"#);
    check("a%00", r#""a\0" contains a control character; take it out of the name"#);
    check("a//b", "\"a//b\" has an empty name in it; use one \"/\" between names and none at the end");
    check("", "a path must not be empty; give the file a name");
    device.ask("PUT", &format!("{}/__pycache__/a.pyc", files(&chat)), b"x").is(400);
    assert_eq!(paths(&device, &chat), Vec::<String>::new());
}

/// R324, R319: what does not fit is refused with what to do, and changes nothing.
#[test]
fn what_does_not_fit_is_refused() {
    let mut device = Device::new();
    device.limits.workspace.file_bytes = 4;
    device.limits.workspace.workspace_bytes = 6;
    let chat = device.chat();
    put(&device, &chat, "a", "1234");
    let check = |path: &str, body: &[u8], status: u16, code: &str, about: Option<&str>, message: &str| {
        let asked = device.ask("PUT", &format!("{}/{path}", files(&chat)), body);
        assert_eq!(asked.refuses(status, code, message).as_deref(), about);
    };
    let message = "\"b\" has 5 bytes and a file may have 4; leave it out or raise \"size of a file\" in Settings";
    check("b", b"12345", 413, "too_large", Some("b"), message);
    let message =
        "the workspace would have 7 bytes and may have 6; delete files or raise \"size of a workspace\" in Settings";
    check("b", b"123", 413, "too_large", None, message);
    let message = "\"a\" would be a file and a folder at once; rename or delete one of them";
    check("a/b", b"1", 409, "conflict", Some("a"), message);
    let message = "\"A\" and \"a\" differ only in upper and lower case; rename one of them";
    check("A", b"1", 409, "conflict", Some("a"), message);
    assert_eq!(paths(&device, &chat), ["a"]);
}

/// A file whose bytes changed is not given out as if it were sound, and neither is a state that is gone.
#[test]
fn damage_is_told() {
    let device = Device::new();
    let chat = device.chat();
    put(&device, &chat, "a.txt", "one");
    device.apply(Commit::default().blob(Blob::named(BlobId::of(b"one"), b"other".to_vec())));
    let message = "the bytes of \"a.txt\" are damaged or not stored; run the storage check in Settings";
    let asked = device.ask("GET", &format!("{}/a.txt", files(&chat)), b"");
    assert_eq!(asked.refuses(500, "damaged", message).as_deref(), Some("a.txt"));
    // F10: written once more it is sound again, in the same state.
    put(&device, &chat, "a.txt", "one");
    assert_eq!(device.ask("GET", &format!("{}/a.txt", files(&chat)), b"").0.body, b"one");

    let manifest_id = ManifestId::parse("0198c5a4-7c1e-7000-b000-000000000001").expect("is a UUID");
    let chat_id = ChatId::parse(chat.clone()).expect("is a UUID");
    let head = NodeHead { chat_id, message_id: Node::Root, manifest_id: manifest_id.clone() };
    device.apply(Commit::default().put(&head));
    let message =
        format!("the state {manifest_id} of this chat's files is not stored; run the storage check in Settings");
    device.ask("GET", &format!("/local/chats/{chat}/workspace"), b"").refuses(500, "damaged", &message);
}

/// R043: of two tabs that write at once, the later is told, and nothing of the other's is lost.
#[test]
fn who_comes_too_late_is_told() {
    let device = Device::new();
    let chat = device.chat();
    put(&device, &chat, "a.txt", "one");
    let url = format!("{}/a.txt", files(&chat));
    let before_apply = || drop(put(&device, &chat, "b.txt", "theirs"));
    let meddling = Meddling { store: &device.store, before_apply, after_look_up: &|| {} };
    let error = device.ask_over(&meddling, "PUT", &url, b"mine").is(409)["error"].take();
    assert_eq!(error["code"], "changed");
    assert!(text(&error["message"]).ends_with("was changed elsewhere in the meantime; nothing was written, try again"));
    assert_eq!(paths(&device, &chat), ["a.txt", "b.txt"]);
    assert_eq!(device.ask("GET", &url, b"").0.body, b"one");
    put(&device, &chat, "a.txt", "mine");
    let row: Vec<WorkspaceManifest> = at_once(crate::store::list(&device.store))
        .expect("is read")
        .into_iter()
        .map(|row| row.expect("is read"))
        .collect();
    assert_eq!(row.len(), 3);
}

/// A tab that types replaces the state it saved last; who reads the files at that moment sees those of before or after.
#[test]
fn files_are_read_while_their_state_is_replaced() {
    let device = Device::new();
    let chat = device.chat();
    let url = format!("/local/chats/{chat}/workspace");
    let requests = [url.clone(), format!("{url}/files/a.txt"), format!("/local/chats/{chat}/messages/root/manifest")];
    for (round, request) in requests.iter().enumerate() {
        put(&device, &chat, "a.txt", &format!("before {round}"));
        let old = device.get(&url)["manifest_id"].take();
        let is_replaced = Cell::new(false);
        let replace = || {
            if !is_replaced.replace(true) {
                put(&device, &chat, "a.txt", &format!("after {round}"));
                let key = RowKey::one(text(&old));
                device.apply(Commit::default().delete(RowRef { table: Table::WorkspaceManifests, key }));
            }
        };
        let meddling = Meddling { store: &device.store, before_apply: || {}, after_look_up: &replace };
        let asked = device.ask_over(&meddling, "GET", request, b"");
        assert_eq!(asked.0.status, 200, "{request}: {}", String::from_utf8_lossy(&asked.0.body));
        assert!(is_replaced.get());
    }
}
