//! Searching tools, page by page.

use serde_json::{Value, json};

use super::{Device, text};

const BUNDLE: &str = "/local/tools/bundles/0198c5a4-7c1e-7000-8000-0000000000b1";

fn device(slugs: &[&str]) -> Device {
    let device = Device::new();
    device.ask("PUT", BUNDLE, br#"{"slug": "mine", "displayName": "Mine"}"#).is(201);
    for slug in slugs {
        add(&device, slug, "");
    }
    device
}

fn add(device: &Device, slug: &str, description: &str) {
    let body = json!({
        "type": "http",
        "displayName": slug.replace('-', " "),
        "description": description,
        "httpImpl": {"allowedHosts": ["a.test"], "request": {"urlTemplate": "https://a.test"}},
    });
    device.ask("PUT", &format!("{BUNDLE}/tools/{slug}/version/1"), body.to_string().as_bytes()).is(201);
}

fn slugs(found: &Value) -> Vec<String> {
    found["tools"].as_array().expect("is a list").iter().map(|tool| text(&tool["slug"])).collect()
}

/// R249, R253: prefix, whole word, letters in order, recency; at both addresses (C64).
#[test]
fn the_best_come_first() {
    let device = device(&["parrot-feeder", "big-parrot", "p-a-r-r-o-t-less", "parrot-cage"]);
    device.now.set(9_000);
    add(&device, "parrot-bath", "");
    add(&device, "cage", "For a parrot and other birds");
    let found = slugs(&device.get("/local/tools/search?q=parrot"));
    assert_eq!(found[..3], ["parrot-bath", "p-a-r-r-o-t-less", "parrot-cage"].map(str::to_owned));
    assert_eq!(found[4..], ["cage", "big-parrot"].map(str::to_owned));
    assert_eq!(slugs(&device.get("/local/tools/tools/search?q=parrot")), found);
    assert_eq!(slugs(&device.get("/local/tools/search?q=prrt%20bth")), ["parrot-bath"]);
    assert_eq!(slugs(&device.get("/local/tools/search?q=zebra")), [""; 0]);
    device.ask("GET", &format!("/local/tools/search?q={}", "x".repeat(501)), b"").is(400);
}

/// R250: equal moments, and what comes and goes between pages.
#[test]
fn walking_gives_each_once() {
    let names: Vec<String> = (0..9).map(|number| format!("thing-{number}")).collect();
    let device = device(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut seen = Vec::new();
    let mut url = "/local/tools/search?q=thing&pageSize=2".to_owned();
    for round in 0.. {
        let page = device.get(&url);
        seen.extend(slugs(&page));
        if round == 1 {
            device.now.set(50_000);
            add(&device, "thing-new", "");
            device.ask("DELETE", &format!("{BUNDLE}/tools/thing-3/version/1"), b"").is(204);
            device.ask("DELETE", &format!("{BUNDLE}/tools/thing-8/version/1"), b"").is(204);
        }
        match page.get("nextPageToken") {
            Some(token) => url = format!("/local/tools/search?q=thing&pageSize=2&pageToken={}", text(token)),
            None => break,
        }
    }
    let expected: Vec<String> = (0..8).map(|number| format!("thing-{number}")).collect();
    assert_eq!(seen, expected);
    device.ask("GET", "/local/tools/search?q=thing&pageToken=00", b"").is(400);
}
