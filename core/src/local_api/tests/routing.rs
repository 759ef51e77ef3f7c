//! Addresses, methods, and what is said about those that are not there.

use proptest::prelude::{Strategy as _, any, prop, prop_assert, prop_oneof, proptest};

use super::{Device, MANIFEST, zip};
use crate::local_api::{runs_tools, table};
use crate::store::MemoryStore;

/// R234, R235, R236, R238: every address there is.
#[test]
fn the_whole_table() {
    let table = table::<MemoryStore>();
    let rows: Vec<String> = table.iter().map(|route| format!("{} /local/{}", route.method, route.pattern)).collect();
    insta::assert_snapshot!(rows.join("\n"), @r#"
    GET /local/toolsets
    POST /local/toolsets/preview
    POST /local/toolsets/import
    GET /local/toolsets/{id}
    DELETE /local/toolsets/{id}
    POST /local/toolsets/{id}/restore
    POST /local/toolsets/{id}/enable
    POST /local/toolsets/{id}/duplicate
    POST /local/toolsets/{id}/apart/{package}
    GET /local/toolsets/{id}/base-url
    PUT /local/toolsets/{id}/base-url
    DELETE /local/toolsets/{id}/hosts/{host}
    DELETE /local/toolsets/{id}/approvals/{tool}
    POST /local/toolsets/{id}/tools/{tool}/enable
    PUT /local/toolsets/{id}/overrides/{tool}
    DELETE /local/toolsets/{id}/overrides/{tool}
    POST /local/toolsets/{id}/servers/{server}/enable
    GET /local/toolsets/{id}/export
    POST /local/toolsets/{id}/execute/{method}
    GET /local/servers
    POST /local/servers
    POST /local/servers/read
    GET /local/saved-toolsets
    POST /local/saved-toolsets
    GET /local/saved-toolsets/available
    GET /local/saved-toolsets/active
    GET /local/saved-toolsets/export
    POST /local/saved-toolsets/import
    POST /local/saved-toolsets/generate
    POST /local/saved-toolsets/equip
    POST /local/saved-toolsets/unequip
    GET /local/saved-toolsets/{name}
    PUT /local/saved-toolsets/{name}
    DELETE /local/saved-toolsets/{name}
    POST /local/saved-toolsets/{name}/allow-stale-refs
    POST /local/saved-toolsets/{name}/renew
    POST /local/saved-toolsets/{name}/notes
    GET /local/tools
    GET /local/tools/tools
    GET /local/tools/search
    GET /local/tools/tools/search
    GET /local/tools/bundles
    GET /local/tools/bundles/{bundle}
    PUT /local/tools/bundles/{bundle}
    PATCH /local/tools/bundles/{bundle}
    DELETE /local/tools/bundles/{bundle}
    GET /local/tools/bundles/{bundle}/tools/{slug}/version/{version}
    PUT /local/tools/bundles/{bundle}/tools/{slug}/version/{version}
    PATCH /local/tools/bundles/{bundle}/tools/{slug}/version/{version}
    DELETE /local/tools/bundles/{bundle}/tools/{slug}/version/{version}
    POST /local/tools/bundles/{bundle}/tools/{slug}/version/{version}/invoke
    POST /local/tools/{tool_id}/approve
    GET /local/tools/{tool_id}
    GET /local/chats
    POST /local/chats
    GET /local/chats/{id}
    POST /local/chats/{id}/configuration-mode
    GET /local/chats/{id}/workspace
    GET /local/chats/{id}/workspace/files/{*path}
    PUT /local/chats/{id}/workspace/files/{*path}
    DELETE /local/chats/{id}/workspace/files/{*path}
    GET /local/chats/{id}/messages/{message_id}/manifest
    GET /local/manifests/{a}/diff/{b}
    POST /local/check
    "#);
}

#[test]
fn what_is_not_there_is_not_found() {
    let device = Device::new();
    for path in [
        "/local",
        "/local/",
        "/local/toolset",
        "/local/toolsets/",
        "/local/check/x",
        "/other",
        "/local/chats//workspace",
    ] {
        device.ask("GET", path, b"").refuses(404, "not_found", &format!("there is nothing at {path}"));
    }
    device.ask("GET", "/local/tools/bundles/x", b"").is(404);
    device.ask("PUT", "/local/tools/bundles/x/y", b"").is(404);
}

#[test]
fn another_method_is_told_which_would_do() {
    let device = Device::new();
    let check = |method: &str, path: &str, allow: &str| {
        let asked = device.ask(method, path, b"");
        asked.refuses(405, "method_not_allowed", &format!("{path} takes {allow}, not {method}"));
        assert_eq!(asked.0.header("allow"), Some(allow));
    };
    check("PATCH", "/local/toolsets", "GET");
    check("HEAD", "/local/chats", "GET, POST");
    check("get", "/local/check", "POST");
    check("POST", "/local/chats/x/workspace/files/a/b", "GET, PUT, DELETE");
    // A toolset may be called so.
    check("PUT", "/local/toolsets/import", "POST, GET, DELETE");
}

/// R044
#[test]
fn bad_encodings_are_refused() {
    let device = Device::new();
    let chat = device.chat();
    for path in ["a%2", "a%ff", "%"] {
        let url = format!("/local/chats/{chat}/workspace/files/{path}");
        device.ask("GET", &url, b"").is(400);
        device.ask("PUT", &url, b"x").is(400);
    }
    device.ask("GET", "/local/tools?tags=%", b"").is(400);
}

/// I4: nothing that is given out can become a page at the app's own address.
#[test]
fn no_answer_is_run_or_kept() {
    let device = Device::with_toolset();
    let chat = device.chat();
    let page = format!("/local/chats/{chat}/workspace/files/page.html");
    device.ask("PUT", &page, b"<script>alert(1)</script>").is(200);
    for url in [page.as_str(), "/local/toolsets", "/local/toolsets/my-toolset/export", "/local/nothing"] {
        let asked = device.ask("GET", url, b"");
        let header = |name| asked.0.header(name);
        assert_eq!(header("content-security-policy"), Some("default-src 'none'; sandbox"), "{url}");
        assert_eq!(header("x-content-type-options"), Some("nosniff"), "{url}");
        assert_eq!(header("cache-control"), Some("no-store"), "{url}");
        assert!(matches!(header("content-type"), Some("application/json" | "application/octet-stream")), "{url}");
    }
    assert_eq!(device.ask("GET", &page, b"").0.header("content-disposition"), Some("attachment"));
}

/// R324: what is too large is refused before anything is done with it.
#[test]
fn bodies_are_bounded() {
    let mut device = Device::new();
    device.limits.json_bytes = 10;
    device.limits.bundle_bytes = 20;
    let bundle = zip(MANIFEST);
    let message = format!("the body has {} bytes, and the limit is 20", bundle.len());
    device.ask("POST", "/local/toolsets/import", &bundle).refuses(413, "too_large", &message);
    let message = "the body has 17 bytes, and the limit is 10";
    device.ask("POST", "/local/chats", br#"{"title": "Rows"}"#).refuses(413, "too_large", message);
}

proptest! {
    /// R319: whatever comes, there is an answer in the one shape.
    #[test]
    fn any_request_is_answered(
        method in prop::sample::select(vec!["GET", "POST", "PUT", "DELETE", "PATCH", ""]),
        path in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "toolsets", "my-toolset", "import", "enable", "tools", "chats", "workspace", "files", "root", "manifest",
                    "0198c5a4-7c1e-7000-8000-000000000004",
                ]).prop_map(str::to_owned),
                any::<String>(),
            ],
            0..6,
        ),
        query in any::<String>(),
        body in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let device = Device::with_toolset();
        device.chat();
        let url = format!("/local/{}?{query}", path.join("/"));
        let asked = device.ask(method, &url, &body);
        let error = asked.0.status >= 400;
        prop_assert!(asked.0.status < 500 || asked.0.status == 501, "{} {}", method, url);
        prop_assert!(!error || asked.is(asked.0.status)["error"]["message"].is_string());
    }
}

/// What is kept apart for running tools is what runs them.
#[test]
fn requests_that_run_tools_are_known_by_their_path() {
    let running: Vec<&str> = (table::<MemoryStore>().iter())
        .map(|route| route.pattern)
        .filter(|pattern| runs_tools(&format!("/local/{pattern}")))
        .collect();
    let invoke = "tools/bundles/{bundle}/tools/{slug}/version/{version}/invoke";
    assert_eq!(running, ["toolsets/{id}/execute/{method}", invoke]);
}
