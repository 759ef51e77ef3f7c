//! C28: what two devices make of one toolset while they are apart is shown on both, and nothing of it is lost before somebody chose.

use serde_json::{Value, json};

use super::{Device, MANIFEST, at_once, text, zip};
use crate::ids::DeviceId;
use crate::record::{RowRef, Scope, Table};
use crate::store::{Blob, Commit, MemoryStore, Store as _};
use crate::sync::{Incoming, Theirs};

const BUNDLE: &str = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b1";
const TOOLSET: &str = "/local/toolsets/weather";

fn add_tool(device: &Device, slug: &str, host: &str) {
    let tool = json!({
        "type": "http",
        "argSchema": {"type": "object"},
        "httpImpl": {"allowedHosts": [host], "request": {"urlTemplate": format!("https://{host}/")}},
    });
    device.ask("PUT", &format!("{BUNDLE}/tools/{slug}/version/1"), tool.to_string().as_bytes()).is(201);
}

/// Everything that one device has comes to the other, as a round of sync brings it.
fn bring(from: &Device, to: &Device) {
    let mut theirs = Vec::new();
    for table in Table::ALL.into_iter().filter(|table| table.scope() == Scope::Synced) {
        let rows: Vec<RowRef> = at_once(from.store.row_keys(table))
            .expect("is read")
            .into_iter()
            .map(|key| RowRef { table, key })
            .collect();
        let stored = at_once(from.store.stored(&rows)).expect("is read");
        let both = rows.into_iter().zip(stored);
        theirs.extend(both.filter_map(|(row, stored)| Some(Theirs { row, stored: stored?, part_of: None })));
    }
    let mut commit = Commit { incoming: Some(Incoming::new(theirs)), ..Commit::default() };
    for id in at_once(from.store.blob_ids()).expect("is read") {
        commit = commit.blob(Blob::new(at_once(from.store.blob(id)).expect("is read").expect("is there")));
    }
    to.apply(commit);
}

/// Two devices that had the same toolset, and each added a tool, the second one later.
fn apart() -> (Device, Device) {
    let (one, mut two) = (Device::new(), Device::new());
    two.store = MemoryStore::new(DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d2").expect("is a UUID"));
    let body = json!({"slug": "weather", "displayName": "Weather", "isEnabled": true, "description": ""});
    one.ask("PUT", BUNDLE, body.to_string().as_bytes()).is(201);
    add_tool(&one, "sky", "sky.test");
    bring(&one, &two);
    one.now.set(2_000);
    add_tool(&one, "rain", "rain.test");
    two.now.set(3_000);
    add_tool(&two, "wind", "wind.test");
    bring(&one, &two);
    bring(&two, &one);
    (one, two)
}

fn tools(details: &Value) -> Vec<String> {
    let tools = details["tools"].as_array().expect("is a list");
    let mut tools: Vec<String> = tools.iter().map(|tool| text(&tool["tool_id"])).collect();
    tools.sort();
    tools
}

fn choose(device: &Device, choice: &str) -> Value {
    let package = text(&device.get(TOOLSET)["apart"][0]["package"]);
    device.ask("POST", &format!("{TOOLSET}/apart/{package}"), json!({"choice": choice}).to_string().as_bytes()).is(200)
}

#[test]
fn both_are_shown_on_both_devices() {
    let (one, two) = apart();
    let details = one.get(TOOLSET);
    assert_eq!(tools(&details), ["weather:sky", "weather:wind"]);
    let apart = &details["apart"][0];
    assert_eq!(
        (&apart["tools"], &apart["version"]),
        (&json!({"only_there": ["rain 1"], "only_here": ["wind 1"], "changed": []}), &json!("1.0.2"))
    );
    assert_eq!(two.get(TOOLSET)["apart"], details["apart"]);
    assert_eq!(one.installed()["toolsets"][0]["apart_count"], 1);
    assert_eq!(two.get("/local/tools/bundles/weather")["toolCount"], 2);
}

#[test]
fn put_together_both_have_all_tools_and_nothing_is_left_to_choose() {
    let (one, two) = apart();
    choose(&one, "put_together");
    bring(&one, &two);
    for device in [&one, &two] {
        let details = device.get(TOOLSET);
        assert_eq!(tools(&details), ["weather:rain", "weather:sky", "weather:wind"]);
        assert_eq!((&details["toolset"]["version"], details.get("apart")), (&json!("1.0.3"), None));
    }
    let packages = at_once(two.store.rows(Table::Packages)).expect("is read");
    assert_eq!(packages.len(), 1, "both that it was made of are gone");
}

/// Both users press the same button before they hear of each other.
#[test]
fn put_together_twice_is_one_package() {
    let (one, two) = apart();
    choose(&one, "put_together");
    choose(&two, "put_together");
    bring(&one, &two);
    bring(&two, &one);
    for device in [&one, &two] {
        assert_eq!(device.get(TOOLSET).get("apart"), None);
    }
    assert_eq!(one.get(TOOLSET)["toolset"]["package"], two.get(TOOLSET)["toolset"]["package"]);
}

#[test]
fn the_other_can_be_used_or_kept_or_discarded() {
    let (one, _) = apart();
    choose(&one, "use_other");
    assert_eq!(tools(&one.get(TOOLSET)), ["weather:rain", "weather:sky"]);

    let (one, _) = apart();
    choose(&one, "keep_both");
    assert_eq!(tools(&one.get(TOOLSET)), ["weather:sky", "weather:wind"]);
    let other = one.get("/local/toolsets/weather-2");
    assert_eq!(
        (tools(&other), &other["toolset"]["name"]),
        (vec!["weather-2:rain".to_owned(), "weather-2:sky".to_owned()], &json!("Weather (2)"))
    );

    let (one, two) = apart();
    choose(&one, "discard");
    bring(&one, &two);
    assert_eq!((tools(&two.get(TOOLSET)), two.get(TOOLSET).get("apart")), (tools(&one.get(TOOLSET)), None));
    let gone = format!("{TOOLSET}/apart/{}", "0".repeat(64));
    let body = json!({"choice": "discard"}).to_string();
    one.ask("POST", &gone, body.as_bytes()).refuses(404, "not_found", "weather has no such other version any more");
}

/// One device after the other is no conflict, and neither is an upgrade: what it takes the place of goes.
#[test]
fn changes_one_after_the_other_leave_nothing_to_choose() {
    let (one, two) = apart();
    choose(&one, "put_together");
    bring(&one, &two);
    two.now.set(9_000);
    add_tool(&two, "snow", "snow.test");
    bring(&two, &one);
    assert_eq!(one.get(TOOLSET).get("apart"), None);
    assert_eq!(at_once(one.store.rows(Table::Packages)).expect("is read").len(), 1);
}

/// Two versions of a file that were imported apart are shown too; one upgrade after the other is no conflict.
#[test]
fn versions_that_were_imported_apart_are_shown() {
    let import = |device: &Device, now: u64, version: &str| {
        device.now.set(now);
        device.ask("POST", "/local/toolsets/import", &zip(&MANIFEST.replace("1.0.0", version))).is(201);
    };
    let (one, mut two) = (Device::with_toolset(), Device::new());
    two.store = MemoryStore::new(DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d2").expect("is a UUID"));
    bring(&one, &two);
    import(&one, 2_000, "1.1.0");
    import(&one, 3_000, "1.2.0");
    import(&two, 4_000, "1.3.0");
    assert_eq!(one.get("/local/toolsets/my-toolset").get("apart"), None);
    bring(&one, &two);
    let details = two.get("/local/toolsets/my-toolset");
    let versions: Vec<&Value> =
        details["apart"].as_array().expect("is a list").iter().map(|one| &one["version"]).collect();
    assert_eq!((versions, &details["toolset"]["version"]), (vec![&json!("1.2.0")], &json!("1.3.0")));
}
