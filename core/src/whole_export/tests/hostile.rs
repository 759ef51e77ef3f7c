//! Archives that no honest export is: each is refused as a whole, by a sentence that names the entry.

use super::*;
use crate::whole_export::layout::{CHECKSUMS_FILE, blob_path, read_checksums, write_checksums};

type Files = BTreeMap<String, Vec<u8>>;

/// Changes an export. Its checksums are made anew, so that only the change itself is wrong.
fn changed(change: impl FnOnce(&mut Files)) -> Vec<u8> {
    let (device, chat) = filled();
    let mut files = entries(&device.export(&Extent::Chat(chat)));
    change(&mut files);
    files.remove(CHECKSUMS_FILE);
    let sums = files.iter().map(|(path, content)| (path.clone(), BlobId::of(content))).collect();
    files.insert(CHECKSUMS_FILE.into(), write_checksums(&sums).into_bytes());
    archive::write(&files)
}

/// It is refused so, and nothing of it is anywhere.
fn check(bytes: &[u8], entry: &str, expected: &str) {
    let refusal = opened(bytes).map(|_| ()).expect_err("is refused");
    assert_eq!(refusal.to_string(), expected);
    assert_eq!(refusal.entry().as_deref(), Some(entry));
}

/// Changes the rows of a table, as JSON.
fn with_rows(path: &str, change: impl FnOnce(&mut Vec<Value>)) -> Vec<u8> {
    changed(|files| {
        let text = String::from_utf8(files[path].clone()).expect("is text");
        let mut rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect();
        change(&mut rows);
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        files.insert(path.into(), text.into_bytes());
    })
}

#[test]
fn an_export_that_was_not_changed_is_taken() {
    assert!(opened(&changed(|_| {})).is_ok());
    assert!(is_whole_export(&changed(|_| {})));
}

/// R310
#[test]
fn wrong_sums() {
    let (device, chat) = filled();
    let mut files = entries(&device.export(&Extent::Chat(chat)));
    files.insert("rows/messages.ndjson".into(), b"{}\n".to_vec());
    let wrong =
        r#"the bytes of "rows/messages.ndjson" are not those that CHECKSUMS has; the export is damaged or was changed"#;
    check(&archive::write(&files), "rows/messages.ndjson", wrong);

    let mut sums = read_checksums(&files[CHECKSUMS_FILE]).expect("is read");
    sums.remove("rows/messages.ndjson");
    files.insert(CHECKSUMS_FILE.into(), write_checksums(&sums).into_bytes());
    let unchecked = r#"CHECKSUMS does not have the entry "rows/messages.ndjson""#;
    check(&archive::write(&files), "rows/messages.ndjson", unchecked);

    files.remove("rows/messages.ndjson");
    files.remove("toolsets/sample-v1.0.0.zip");
    let missing = r#"the export lacks an entry: "toolsets/sample-v1.0.0.zip""#;
    check(&archive::write(&files), "toolsets/sample-v1.0.0.zip", missing);
}

/// R310, I10
#[test]
fn blobs_that_are_not_what_they_are_called() {
    let path = blob_path(BlobId::of(b"two"));
    let wrong = changed(|files| drop(files.insert(path.clone(), b"rot".to_vec())));
    check(&wrong, &path, &format!("the bytes of {path:?} do not match its name"));

    let gone = changed(|files| drop(files.remove(&path)));
    let refusal = opened(&gone).map(|_| ()).expect_err("is refused");
    assert!(
        matches!(&refusal, Refusal::Lacks { row, names } if row.table == Table::WorkspaceManifests && names.contains("a.txt"))
    );
    assert_eq!(refusal.entry().as_deref(), Some("rows/workspace_manifests.ndjson"));
}

#[test]
fn entries_that_do_not_belong() {
    let table = changed(|files| drop(files.insert("rows/dreams.ndjson".into(), Vec::new())));
    let unknown = r#"the export has rows of a table that does not belong in it: "rows/dreams.ndjson""#;
    check(&table, "rows/dreams.ndjson", unknown);
    let grants = changed(|files| drop(files.insert("rows/grants.ndjson".into(), Vec::new())));
    let local = r#"the export has rows of a table that does not belong in it: "rows/grants.ndjson""#;
    check(&grants, "rows/grants.ndjson", local);
    let escape = changed(|files| drop(files.insert("../evil".into(), Vec::new())));
    check(&escape, "../evil", r#"the archive has a path that leaves the bundle by "." or "..": "../evil""#);
    let other = changed(|files| drop(files.insert("toolsets/other-v1.zip".into(), Vec::new())));
    let unknown = r#"the export has an entry that does not belong in it: "toolsets/other-v1.zip""#;
    check(&other, "toolsets/other-v1.zip", unknown);
}

#[test]
fn what_a_newer_version_made() {
    let newer = changed(|files| drop(files.insert(ABOUT_FILE.into(), br#"{"format": 2, "kind": "dream"}"#.to_vec())));
    let says = "the export has format 2, and this version of Satchel reads up to 1; update Satchel and import again";
    check(&newer, ABOUT_FILE, says);
    let broken = changed(|files| drop(files.insert(ABOUT_FILE.into(), b"{".to_vec())));
    assert!(matches!(opened(&broken), Err(Refusal::About(_))));
    let other = archive::write(&BTreeMap::from([("toolset.yaml".to_owned(), Vec::new())]));
    check(&other, ABOUT_FILE, "this is not a Satchel export: it has no satchel-export.json");
    assert!(!is_whole_export(&other) && !is_whole_export(b"PK"));
}

/// R310: nothing comes under the name of something else.
#[test]
fn rows_that_claim_what_they_are_not() {
    let states = "rows/workspace_manifests.ndjson";
    let other_root = with_rows(states, |rows| rows[0]["fields"]["root"] = json!(BlobId::of(b"other")));
    assert!(matches!(opened(&other_root), Err(Refusal::WrongState { claimed, .. }) if claimed == BlobId::of(b"other")));
    let no_files = with_rows(states, |rows| drop(rows[0].as_object_mut().expect("is a row").remove("files")));
    assert!(matches!(opened(&no_files), Err(Refusal::WrongState { found, .. }) if found == "not in the export"));
    let outside = with_rows(states, |rows| rows[0]["files"] = json!({"../x": BlobId::of(b"two")}));
    assert!(matches!(opened(&outside), Err(Refusal::WrongState { .. })));

    let package = with_rows("rows/packages.ndjson", |rows| rows[0]["fields"]["manifest"]["name"] = json!("Other"));
    let refusal = opened(&package).map(|_| ()).expect_err("is refused");
    assert!(matches!(&refusal, Refusal::WrongPackage { .. }), "{refusal}");
    assert_eq!(refusal.entry().as_deref(), Some("rows/packages.ndjson"));
    let files = with_rows("rows/toolset_files.ndjson", |rows| rows[0]["fields"]["sha256"] = json!(BlobId::of(b"two")));
    assert!(opened(&files).is_err());
}

#[test]
fn rows_that_are_none() {
    let path = "rows/messages.ndjson";
    let check = |bytes: &[u8], expected: &str| check(bytes, path, expected);
    let gone = with_rows(path, |rows| drop(rows[1]["fields"].as_object_mut().expect("is a row").remove("role")));
    check(&gone, r#"line 2 of "rows/messages.ndjson" is refused: there is a stamp and no field "role""#);
    let wrong = with_rows(path, |rows| rows[1]["fields"]["role"] = json!("ghost"));
    assert!(opened(&wrong).map(|_| ()).expect_err("is refused").to_string().contains("unknown variant `ghost`"));
    let order = with_rows(path, |rows| rows.reverse());
    check(&order, r#"line 2 of "rows/messages.ndjson" is refused: it is not in the order of keys"#);
    let elsewhere = with_rows(path, |rows| {
        rows[0]["fields"]["chat_id"] = json!("00000000-0000-7000-8000-000000000099");
    });
    let row = "messages/00000000-0000-7000-8001-000000000015";
    let refusal = opened(&elsewhere).map(|_| ()).expect_err("is refused").to_string();
    assert!(
        refusal.ends_with("names chats/00000000-0000-7000-8000-000000000099, which is not in the export"),
        "{row} {refusal}"
    );
    let chats = with_rows("rows/chats.ndjson", |rows| {
        let mut second = rows[0].clone();
        second["key"] = json!(["ffffffff-0000-7000-8000-000000000099"]);
        second["fields"]["id"] = json!("ffffffff-0000-7000-8000-000000000099");
        rows.push(second);
    });
    super::hostile::check(&chats, "rows/chats.ndjson", "the export says that it is of one chat, and has 2");
    let on = with_rows("rows/toolset_mcp_servers.ndjson", |rows| rows[0]["fields"]["enabled"] = json!(true));
    assert!(opened(&on).map(|_| ()).expect_err("is refused").to_string().contains("is switched on"));
}

/// Everything from outside is bounded.
#[test]
fn too_much_is_refused() {
    let (device, chat) = filled();
    let bytes = device.export(&Extent::Chat(chat));
    let check = |limits: WholeExportLimits, expected: &str| {
        let refusal =
            Opened::open(bytes.clone(), &limits, &mut |_, _| {}).map(|_| ()).expect_err("is refused").to_string();
        assert!(refusal.contains(expected), "{refusal}");
    };
    check(WholeExportLimits { entries: 3, ..WholeExportLimits::default() }, "entries, and the limit is 3");
    check(WholeExportLimits { inflated_bytes: 100, ..WholeExportLimits::default() }, "inflates to more than 100 bytes");
    check(WholeExportLimits { entry_bytes: 300, ..WholeExportLimits::default() }, "and the limit is 300: \"");
    check(WholeExportLimits { rows: 2, ..WholeExportLimits::default() }, "the export has more than 2 rows, in \"rows/");
    let dense = WholeExportLimits { ratio: 1, ratio_from: 1, ..WholeExportLimits::default() };
    check(dense, "inflates to more than 1 times its packed size");
}
