//! Bundles and their tools by the tools interface (R239–R258).

use std::cell::Cell;

use serde_json::{Value, json};

use super::executing::execute;
use super::meddling::Meddling;
use super::{Asked, Device, HOUR, MANIFEST, at_once, text, zip};
use crate::catalog::{ToolsetLimits, purge_expired};
use crate::python::scripted::ScriptedPython;
use crate::record::Table;
use crate::store::Store;
use crate::time::Timestamp;
use crate::tool_run::count_call;

const BUNDLE: &str = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b1";

fn put(device: &Device, url: &str, body: &Value) -> Asked {
    device.ask("PUT", url, body.to_string().as_bytes())
}

fn bundle(device: &Device) -> Value {
    put(
        device,
        BUNDLE,
        &json!({"slug": "weather", "displayName": "Weather", "isEnabled": true, "description": "Skies"}),
    )
    .is(201)
}

fn weather() -> Value {
    json!({
        "type": "http",
        "displayName": "Forecast",
        "description": "Says what the sky will do",
        "tags": ["sky"],
        "argSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "outputSchema": {"type": "object", "required": ["degrees"]},
        "httpImpl": {"allowedHosts": ["a.test"], "request": {"urlTemplate": "https://a.test/${city}"}},
    })
}

fn tool(slug: &str, version: &str) -> String {
    format!("{BUNDLE}/tools/{slug}/version/{version}")
}

fn with_tool() -> Device {
    let device = Device::new();
    bundle(&device);
    put(&device, &tool("forecast", "1"), &weather()).is(201);
    device
}

/// R239, R242, R020, R021: made under its UUID, found by either name, renamed by the same request.
#[test]
fn a_bundle_is_made_and_changed() {
    let device = Device::new();
    let made = bundle(&device);
    assert_eq!(
        (text(&made["slug"]), text(&made["toolsetID"]), made["isBuiltIn"].as_bool()),
        ("weather".into(), "weather".into(), Some(false))
    );
    device.now.set(5_000);
    let renamed = put(
        &device,
        BUNDLE,
        &json!({"slug": "Wetter-Größe", "displayName": "Wetter", "isEnabled": true, "description": ""}),
    )
    .is(200);
    assert_eq!((&renamed["slug"], &renamed["toolsetID"]), (&json!("Wetter-Größe"), &json!("weather")));
    assert_eq!(
        (&renamed["createdAt"], &renamed["modifiedAt"]),
        (&json!("1970-01-01T00:00:01.000Z"), &json!("1970-01-01T00:00:05.000Z"))
    );
    assert_eq!(device.get("/local/tools/bundles/weather")["bundleID"], made["bundleID"]);
    let list = device.get("/local/tools/bundles?bundleIDs=0198c5a4-7c1e-7000-8000-0000000000b1");
    assert_eq!(list["bundles"].as_array().map(Vec::len), Some(1));

    let other = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b2";
    let second = put(&device, other, &json!({"slug": "weather"})).is(201);
    assert_eq!(text(&second["toolsetID"]), "bundle-0198c5a4-7c1e-7000-8000-0000000000b2");

    let wrong = |url: &str, body: Value| put(&device, url, &body).is(400)["error"]["path"].clone();
    assert_eq!(wrong("/local/tools/bundles/mine", json!({"slug": "x"})), "bundleID");
    assert_eq!(wrong("/local/tools/bundles/0198c5a4-7c1e-4000-8000-0000000000b1", json!({"slug": "x"})), "bundleID");
    for slug in ["a_b", "a b", "a/b", "a.b", "", "a\u{0}", &"é".repeat(65)] {
        assert_eq!(wrong(other, json!({"slug": slug})), "slug", "{slug:?}");
    }
}

/// R240, R251, R254, C29, C53: the switch, and what it stops.
#[test]
fn a_bundle_that_is_off_is_left_alone() {
    let device = with_tool();
    device.now.set(9_000);
    let off = device.ask("PATCH", BUNDLE, br#"{"isEnabled": false}"#).is(200);
    assert_eq!((&off["isEnabled"], &off["modifiedAt"]), (&json!(false), &json!("1970-01-01T00:00:01.000Z")));
    let message = "weather is switched off; switch it on first, then change its tools";
    put(&device, &tool("other", "1"), &weather()).refuses(409, "unavailable", message);
    device.ask("PATCH", &tool("forecast", "1"), br#"{"isEnabled": false}"#).refuses(409, "unavailable", message);
    let names = |url: &str| -> Vec<String> {
        let bundles = device.get(url)["bundles"].clone();
        bundles.as_array().expect("is a list").iter().map(|one| text(&one["slug"])).collect()
    };
    assert_eq!(names("/local/tools/bundles"), ["builtin", "builtin-exa-web-search"]);
    assert_eq!(names("/local/tools/bundles?includeDisabled=true").last().map(String::as_str), Some("weather"));
    device.ask("PATCH", BUNDLE, br#"{"slug": "x"}"#).is(400);
    device.ask("PATCH", BUNDLE, br#"{"isEnabled": true}"#).is(200);
    put(&device, &tool("other", "1"), &weather()).is(201);
}

/// R243, R246, R024: a pair is made once, and stays as it was.
#[test]
fn a_tool_is_made_once() {
    let device = with_tool();
    let found = device.get(&tool("forecast", "1"));
    assert_eq!(
        (&found["type"], &found["displayName"], &found["isEnabled"]),
        (&json!("http"), &json!("Forecast"), &json!(true))
    );
    assert_eq!(found["httpImpl"]["request"]["urlTemplate"], "https://a.test/${city}");
    let other =
        json!({"type": "http", "httpImpl": {"allowedHosts": ["b.test"], "request": {"urlTemplate": "https://b.test"}}});
    let conflict = "weather already has a tool forecast of version 1; give yours another version";
    put(&device, &tool("forecast", "1"), &other).refuses(409, "conflict", conflict);
    assert_eq!(device.get(&tool("forecast", "1")), found);
    device.now.set(7_000);
    put(&device, &tool("forecast", "2.0-beta"), &other).is(201);
    put(&device, &tool("Forecast", "1"), &other).is(201);
    assert_eq!(device.get(&tool("forecast", "1")), found, "another tool changes nothing about it (R025)");
    device.ask("GET", &tool("forecast", "3"), b"").refuses(
        404,
        "not_found",
        "the bundle weather has no tool forecast of version 3",
    );
    let id = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b2";
    put(&device, id, &json!({"slug": "second"})).is(201);
    put(&device, &format!("{id}/tools/forecast/version/1"), &other).is(201);
    assert_eq!(device.ask("PUT", &tool("a_b", "1"), b"{}").is(400)["error"]["path"], "toolSlug");
    assert_eq!(device.ask("PUT", &tool("a", "1%20"), b"{}").is(400)["error"]["path"], "version");
}

/// R090, R092, R091: what cannot be right is refused with its place.
#[test]
fn a_tool_is_checked_when_it_is_saved() {
    let device = with_tool();
    let check = |change: (&str, Value), path: &str| {
        let mut body = weather();
        *body.pointer_mut(change.0).expect("is there") = change.1;
        assert_eq!(put(&device, &tool("x", "1"), &body).is(400)["error"]["path"], path);
    };
    check(("/httpImpl/request/urlTemplate", json!("ftp://a.test")), "httpImpl.request.urlTemplate");
    check(("/httpImpl/request/urlTemplate", json!("https://b.test")), "httpImpl.request.urlTemplate");
    check(("/httpImpl/allowedHosts", json!([])), "httpImpl.allowedHosts");
    check(("/argSchema", json!({"type": 5})), "argSchema");
    check(("/type", json!("python")), "type");
    assert_eq!(device.ask("GET", &tool("x", "1"), b"").is(404)["error"]["code"], "not_found");
}

/// R244, R025: the switch and nothing else.
#[test]
fn a_tool_is_switched() {
    let device = with_tool();
    device.now.set(9_000);
    let off = device.ask("PATCH", &tool("forecast", "1"), br#"{"isEnabled": false}"#).is(200);
    assert_eq!((&off["isEnabled"], &off["modifiedAt"]), (&json!(false), &json!("1970-01-01T00:00:01.000Z")));
    device.ask("PATCH", &tool("forecast", "1"), br#"{"description": "x"}"#).is(400);
    let listed = |url: &str| {
        device.get(url)["tools"].as_array().expect("is a list").iter().filter(|one| one["slug"] == "forecast").count()
    };
    assert_eq!(
        (listed("/local/tools/tools?pageSize=200"), listed("/local/tools/tools?pageSize=200&includeDisabled=true")),
        (0, 1)
    );
    assert_eq!(
        (listed("/local/tools/search?q=forecast"), listed("/local/tools/search?q=forecast&includeDisabled=true")),
        (0, 1)
    );
}

/// R245: for good, and nothing of it is left.
#[test]
fn a_deleted_tool_is_gone() {
    let device = with_tool();
    device.ask("PATCH", &tool("forecast", "1"), br#"{"isEnabled": false}"#).is(200);
    device.ask("DELETE", &tool("forecast", "1"), b"").is(204);
    device.ask("GET", &tool("forecast", "1"), b"").is(404);
    for table in [Table::Tools, Table::ToolOverrides] {
        assert_eq!(at_once(device.store.rows(table)).expect("memory does not fail"), vec![], "{table}");
    }
    assert_eq!(at_once(device.store.rows(Table::Packages)).expect("memory does not fail").len(), 1);
    put(&device, &tool("forecast", "1"), &weather()).is(201);
}

/// R247, R255, R256, R257: checked, called, checked again, counted.
#[test]
fn a_tool_is_called() {
    let device = with_tool();
    let invoke = |body: Value| {
        let (asked, calls) = execute(
            &device,
            &ScriptedPython::default(),
            &format!("{}/invoke", tool("forecast", "1")),
            &body.to_string(),
        );
        for call in &calls {
            at_once(count_call(&device.store, call, Timestamp::from_millis(device.now.get()))).expect("is counted");
        }
        asked
    };
    device.http.answers(&json!({"degrees": 3})).answers(&json!({"snow": true}));
    assert_eq!(invoke(json!({"args": {"city": "Rome"}})).is(200), json!({"ok": true, "value": {"degrees": 3}}));
    let misfit = invoke(json!({"args": {"city": "Rome"}})).is(200);
    assert_eq!(misfit["ok"], false);
    assert!(text(&misfit["error"]).contains("degrees"), "{misfit}");
    let refused = invoke(json!({"args": {"city": 5}})).is(400);
    assert_eq!((&refused["error"]["code"], &refused["error"]["path"]), (&json!("invalid_args"), &json!("/city")));
    assert_eq!(device.http.calls.borrow().len(), 2);
    let counted = device.get(&tool("forecast", "1"));
    assert_eq!((&counted["callCount"], &counted["lastCalledAt"]), (&json!(3), &json!("1970-01-01T00:00:01.000Z")));
    device.ask("PATCH", &tool("forecast", "1"), br#"{"isEnabled": false}"#).is(200);
    assert_eq!(invoke(json!({"args": {"city": "Rome"}})).is(409)["error"]["code"], "unavailable");
}

/// R241, R252, C50: an empty one goes, can come back for two days, and is then reaped.
#[test]
fn an_empty_bundle_is_deleted_and_reaped() {
    let device = with_tool();
    let full = "weather still has tools or servers (1); delete them first";
    device.ask("DELETE", BUNDLE, b"").refuses(409, "conflict", full);
    device.ask("DELETE", &tool("forecast", "1"), b"").is(204);
    device.ask("DELETE", BUNDLE, b"").is(204);
    device.ask("GET", BUNDLE, b"").is(404);
    put(&device, &tool("forecast", "1"), &weather()).is(404);
    let names = device.get("/local/tools/bundles?includeDisabled=true");
    assert!(!names.to_string().contains("weather"));
    let reap = |millis| {
        let gone = purge_expired(&device.store, ToolsetLimits::default(), Timestamp::from_millis(millis));
        at_once(gone).expect("memory does not fail").len()
    };
    assert_eq!(reap(1_000 + 48 * HOUR - 1), 0);
    let row = device.ask("POST", "/local/toolsets/weather/restore", b"").is(200);
    assert_eq!(row["soft_deleted_at"], Value::Null);
    device.ask("DELETE", BUNDLE, b"").is(204);
    assert_eq!(reap(1_000 + 48 * HOUR), 1);
    assert_eq!(at_once(device.store.rows(Table::Packages)).expect("memory does not fail"), vec![]);
    bundle(&device);
}

/// C52: nothing of what is built in can be changed but its switches.
#[test]
fn what_is_built_in_stays() {
    let device = Device::new();
    let exa = "/local/tools/bundles/builtin-exa-web-search";
    for (method, url, body) in [
        ("PUT", exa.to_owned(), r#"{"slug": "mine"}"#.to_owned()),
        ("DELETE", exa.to_owned(), String::new()),
        ("PUT", format!("{exa}/tools/new/version/1"), weather().to_string()),
        ("DELETE", format!("{exa}/tools/search/version/1.0.0"), String::new()),
        ("PUT", "/local/tools/bundles/builtin".to_owned(), r#"{"slug": "mine"}"#.to_owned()),
    ] {
        assert_eq!(device.ask(method, &url, body.as_bytes()).is(409)["error"]["code"], "built_in", "{method} {url}");
    }
    let off = device.ask("PATCH", &format!("{exa}/tools/search/version/1.0.0"), br#"{"isEnabled": false}"#).is(200);
    assert_eq!((&off["isEnabled"], &off["isBuiltIn"]), (&json!(false), &json!(true)));
    assert_eq!(device.ask("PATCH", exa, br#"{"isEnabled": false}"#).is(200)["isEnabled"], false);
    device
        .ask("PUT", "/local/toolsets/builtin-exa-web-search/base-url", br#"{"base_url": "http://127.0.0.1:9/x/"}"#)
        .is(200);
    let found = device.get("/local/tools/builtin-exa-web-search:answer");
    assert_eq!(found["http"]["request"]["urlTemplate"], "http://127.0.0.1:9/x/answer");
    device.ask("PUT", "/local/toolsets/builtin/base-url", b"{}").is(409);
}

/// R068: out and in again, it is the same bundle.
#[test]
fn a_bundle_made_here_is_exported_and_imported() {
    let device = with_tool();
    put(&device, &tool("forecast", "2"), &weather()).is(201);
    let file = device.ask("GET", "/local/toolsets/weather/export", b"").0;
    assert_eq!(file.status, 200);
    let elsewhere = Device::new();
    elsewhere.ask("POST", "/local/toolsets/import", &file.body).is(201);
    for version in ["1", "2"] {
        let url = format!("/local/tools/bundles/weather/tools/forecast/version/{version}");
        assert_eq!(elsewhere.get(&url)["httpImpl"], weather()["httpImpl"]);
    }
    assert_eq!(elsewhere.ask("GET", "/local/toolsets/weather/export", b"").0.body, file.body);
}

/// A tool is added to a toolset that came with files, and those stay.
#[test]
fn a_bundle_with_files_keeps_them() {
    let device = Device::new();
    device.ask("POST", "/local/toolsets/import", &zip(MANIFEST)).is(201);
    put(&device, "/local/tools/bundles/my-toolset/tools/forecast/version/1", &weather()).is(201);
    let details = device.get("/local/toolsets/my-toolset");
    assert_eq!(
        (details["files"].as_array().map(Vec::len), details["tools"].as_array().map(Vec::len)),
        (Some(3), Some(3))
    );
    assert_eq!(details["toolset"]["version"], "1.0.1");
    assert_eq!(details["tools"][0]["version"], "1.0.0");
}

/// R258: of two tabs one makes the tool; and two that make different ones both do.
#[test]
fn two_tabs_never_make_the_same_tool() {
    let device = Device::new();
    bundle(&device);
    let race = |slug: &'static str, other: &'static str| {
        let tries = Cell::new(0);
        // The other tab is quicker once.
        let before_apply = || {
            if tries.replace(tries.get() + 1) == 0 {
                put(&device, &tool(other, "1"), &weather()).is(201);
            }
        };
        let racing = Meddling { store: &device.store, before_apply, after_look_up: &|| {} };
        let asked = device.ask_over(&racing, "PUT", &tool(slug, "1"), weather().to_string().as_bytes());
        (asked, tries.get())
    };
    let (asked, tries) = race("one", "one");
    assert_eq!((asked.is(409)["error"]["code"].clone(), tries), (json!("conflict"), 1));
    let (asked, tries) = race("two", "three");
    asked.is(201);
    assert_eq!(tries, 2);
    let tools = device.get("/local/toolsets/weather")["tools"].clone();
    let slugs: Vec<String> = tools.as_array().expect("is a list").iter().map(|one| text(&one["slug"])).collect();
    assert_eq!(slugs, ["one", "three", "two"]);
}
