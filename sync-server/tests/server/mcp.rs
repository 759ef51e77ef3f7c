//! `/api/v1/mcp/servers`: what may be started, by whom, and how it is doing (F17).

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use satchel_core::protocol::ProblemCode;
use satchel_server::mcp::{self, Fingerprint};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::{Fixture, Setup};
use crate::mcp_page::{KEY, Page, command, stand_in};

/// A file that a command makes when it is started.
pub(crate) struct Canary {
    _folder: TempDir,
    path: PathBuf,
}

impl Canary {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("started");
        Self { path, _folder: folder }
    }

    pub(crate) fn path(&self) -> &str {
        self.path.to_str().expect("text")
    }

    /// Whether the command was started since the last look.
    pub(crate) fn sang(&self) -> bool {
        std::fs::remove_file(&self.path).is_ok()
    }
}

/// Sees a definition published and not started.
async fn is_not_started(page: &mut Page<'_>, definition: Value, canary: &Canary) {
    let state = page.publish(definition).await;
    assert_eq!((&state["status"], &state["reason"]), (&json!("error"), &json!("waiting for the operator's approval")));
    assert_eq!(state["approval"]["approved"], false);
    // Once when it was published, and once when the task that would start it has decided.
    for _ in 0..2 {
        assert_eq!(page.until_status("error").await["reason"], "waiting for the operator's approval");
    }
    let line = format!("satchel mcp approve {}", state["approval"]["fingerprint"].as_str().expect("a text"));
    assert_eq!(state["approval"]["line"], line);
    let call = page.call("c", "echo", json!({})).await;
    assert_eq!((call.status, call.problem()), (StatusCode::BAD_GATEWAY, ProblemCode::Unreachable), "{}", call.text());
    let again = page.ask("POST", &format!("/api/v1/mcp/servers/{KEY}/reconnect"), Value::Null).await;
    assert_eq!(again.status, StatusCode::ACCEPTED);
    assert!(!canary.sang(), "a command was started that nobody has approved");
}

/// F17, C39: by the API, by a changed argument, by a changed or added variable, by a changed folder.
#[tokio::test]
async fn only_the_exact_command_that_was_approved_is_started() {
    let fixture = Fixture::start().await;
    let canary = Canary::new();
    let mut page = Page::open(&fixture, "page").await;
    let approved = json!({"command": stand_in(), "args": ["--touch", canary.path()], "env": {"A": "1"}, "cwd": "/"});
    is_not_started(&mut page, approved.clone(), &canary).await;

    page.approve(&approved).await;
    page.until_status("connected").await;
    assert!(canary.sang(), "the canary sings when there is reason to");
    assert_eq!(page.state().await["approval"]["approved"], true);

    for (pointer, value) in [
        ("/args", json!(["--touch", canary.path(), "more"])),
        ("/env/A", json!("2")),
        ("/env", json!({"A": "1", "NODE_OPTIONS": "--require ./evil.js"})),
        ("/env", json!({})),
        ("/cwd", json!("/tmp")),
        ("/cwd", json!(null)),
    ] {
        let mut changed = approved.clone();
        *changed.pointer_mut(pointer).expect("is there") = value;
        is_not_started(&mut page, changed, &canary).await;
    }
    page.publish(approved).await;
    page.until_status("connected").await;
    assert!(canary.sang(), "the one that was approved is started again");
}

/// F17: an approval that is taken back ends the command.
#[tokio::test]
async fn what_is_revoked_is_ended() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let fingerprint = Fingerprint::parse(page.state().await["approval"]["fingerprint"].as_str().expect("a text"));
    fixture.state.database().revoke_mcp(&fingerprint.expect("a fingerprint")).await.expect("revokes");
    let ended = page.until_status("error").await;
    assert_eq!(ended["reason"], "waiting for the operator's approval");
    assert_eq!(page.call("c", "echo", json!({})).await.status, StatusCode::BAD_GATEWAY);
}

/// C39: a command of another account's is nobody else's to see, but what was approved is approved for all.
#[tokio::test]
async fn accounts_do_not_see_each_others_servers() {
    let fixture = Fixture::start().await;
    let other = fixture.second_account();
    let mine = Page::open(&fixture, "page").await;
    mine.publish(command(&["mine"])).await;
    let list = fixture.ask_as(&other, "GET", "/api/v1/mcp/servers", Value::Null).await;
    assert_eq!(list.json(), json!({"servers": [], "offers": []}));
    for (method, path) in
        [("GET", KEY.to_owned()), ("POST", format!("{KEY}/reconnect")), ("POST", format!("{KEY}/login"))]
    {
        let answer = fixture.ask_as(&other, method, &format!("/api/v1/mcp/servers/{path}"), Value::Null).await;
        assert_eq!((answer.status, answer.problem()), (StatusCode::NOT_FOUND, ProblemCode::NotFound), "{path}");
    }
    fixture.ask_as(&other, "DELETE", &format!("/api/v1/mcp/servers/{KEY}"), Value::Null).await;
    assert_eq!(mine.state().await["key"], KEY);
}

/// C39: the operator's own file approves and offers.
#[tokio::test]
async fn what_is_in_the_operators_file_is_approved_and_offered() {
    let mcp_file = json!({"mcpServers": {"Stand-in": command(&["from the file"])}}).to_string();
    let fixture = Fixture::set_up(Setup { mcp_file, ..Setup::default() }).await;
    let mut page = Page::open(&fixture, "page").await;
    let list = page.ask("GET", "/api/v1/mcp/servers", Value::Null).await.json();
    assert_eq!(list["servers"], json!([]), "an offer is not started by itself");
    assert_eq!(
        (&list["offers"][0]["name"], &list["offers"][0]["definition"]["args"]),
        (&json!("Stand-in"), &json!(["from the file"]))
    );
    page.publish(list["offers"][0]["definition"].clone()).await;
    page.until_status("connected").await;
}

/// I8: what the operator's file has written out is used, and no page sees it; who changes anything about it gets nothing.
#[tokio::test]
async fn the_values_of_the_operators_file_stay_with_the_server() {
    let canary = Canary::new();
    let file = json!({
        "command": stand_in(), "args": ["--touch", canary.path(), "--token", "s3cret-of-args"], "env": {"KEY": "s3cret-of-env"},
    });
    let mcp_file = json!({"mcpServers": {"Stand-in": file}}).to_string();
    let fixture = Fixture::set_up(Setup { mcp_file, ..Setup::default() }).await;
    let mut page = Page::open(&fixture, "page").await;
    let list = page.ask("GET", "/api/v1/mcp/servers", Value::Null).await.json();
    assert!(!list.to_string().contains("s3cret"), "{list}");
    assert_eq!(list["offers"][0]["set"], json!(["OPERATOR_STAND_IN_KEY", "OPERATOR_STAND_IN_TOKEN"]));

    let offered = list["offers"][0]["definition"].clone();
    assert_eq!(page.publish(offered.clone()).await["approval"]["approved"], true);
    page.until_status("connected").await;
    assert!(canary.sang());
    let variables =
        page.call("c", "environment", json!({})).await.json()["structured_content"]["variables"].to_string();
    assert!(variables.contains("KEY=s3cret-of-env"), "{variables}");
    assert!(!page.state().await.to_string().contains("s3cret"));

    for (pointer, value) in [("/args/1", json!("/elsewhere")), ("/env", json!({"OTHER": "${OPERATOR_STAND_IN_KEY}"}))] {
        let mut changed = offered.clone();
        *changed.pointer_mut(pointer).expect("is there") = value;
        is_not_started(&mut page, changed, &canary).await;
    }
    page.publish(json!({"url": "https://mcp.example.com/${OPERATOR_STAND_IN_KEY}"})).await;
    let reason = page.until_failed().await;
    assert!(reason.contains("OPERATOR_STAND_IN_KEY has no value"), "{reason}");
}

/// I8: why a server of the operator's file failed is said without the operator's values.
#[tokio::test]
async fn a_failure_of_the_operators_server_does_not_tell_its_values() {
    let file = json!({"command": stand_in(), "args": ["--die"], "env": {"KEY": "s3cret"}});
    let mcp_file = json!({"mcpServers": {"Stand-in": file}}).to_string();
    let fixture = Fixture::set_up(Setup { mcp_file, ..Setup::default() }).await;
    let mut page = Page::open(&fixture, "page").await;
    let list = page.ask("GET", "/api/v1/mcp/servers", Value::Null).await.json();
    page.publish(list["offers"][0]["definition"].clone()).await;
    let reason = page.until_failed().await;
    assert!(reason.contains("the key ${OPERATOR_STAND_IN_KEY} is wrong"), "{reason}");
}

/// R105, R128, C14: tools come from the server, whole, in both eras.
#[tokio::test]
async fn a_server_of_either_era_is_connected_and_its_tools_are_kept_as_received() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    for (arguments, version) in [(&["--modern"][..], "2026-07-28"), (&[][..], "2025-11-25")] {
        page.connect(command(arguments)).await;
        let state = page.state().await;
        assert_eq!(state["identity"], json!({"name": "stand-in", "version": "1.2.3", "protocol_version": version}));
        let first = r#"{"x-zeta":{"b":1,"a":2},"name":"echo","inputSchema":{"type":"object"}}"#;
        assert_eq!(state["tools"][0].to_string(), first);
        assert_eq!((state["tools"].as_array().map(Vec::len), &state["reason"]), (Some(2), &Value::Null));
    }
}

/// R106: a change of the list is followed, in both eras.
#[tokio::test]
async fn a_changed_list_is_told() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    for arguments in [&["--modern"][..], &[][..]] {
        page.connect(command(arguments)).await;
        let before = page.state().await["tools_version"].as_u64().expect("a number");
        assert_eq!(page.text_of("c", "change", json!({})).await, "changed");
        loop {
            let told = page.until_status("connected").await;
            if told["tools_version"].as_u64() > Some(before) {
                break;
            }
        }
        assert_eq!(page.state().await["tools"][1]["description"], "changed");
    }
}

/// R124, R125, C38: a variable without a value is named, nothing is started, and what is entered later is enough.
#[tokio::test]
async fn an_unresolved_variable_is_named_and_nothing_is_started() {
    let fixture = Fixture::start().await;
    let canary = Canary::new();
    let mut page = Page::open(&fixture, "page").await;
    let definition =
        json!({"command": stand_in(), "args": ["--touch", canary.path(), "x=${MY_KEY}"], "env": {"KEY": "${MY_KEY}"}});
    page.approve(&definition).await;
    page.publish(definition.clone()).await;
    let reason = page.until_failed().await;
    assert!(reason.contains("MY_KEY has no value"), "{reason}");
    assert!(!canary.sang());

    page.ask("PUT", "/api/v1/secrets/MY_KEY", json!({"value": "s3cret"})).await;
    page.until_status("connected").await;
    assert!(canary.sang());
    let answer = page.call("c", "environment", json!({})).await.json();
    let variables: Vec<&str> = answer["structured_content"]["variables"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(variables.contains(&"KEY=s3cret"), "{variables:?}");
    let state = page.state().await;
    assert_eq!(state["definition"]["env"]["KEY"], "${MY_KEY}", "the placeholder is kept");
    assert!(!state.to_string().contains("s3cret"));
}

/// C39: no shell, no inherited environment but a few names.
#[tokio::test]
async fn a_command_gets_a_clean_environment_and_its_folder() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("is there");
    page.connect(json!({"command": stand_in(), "args": ["$HOME", ";", "*"], "env": {"MINE": "a b"}, "cwd": folder}))
        .await;
    let answer = page.call("c", "environment", json!({})).await.json();
    assert_eq!(answer["structured_content"]["folder"], json!(folder));
    const KNOWN: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];
    let mut found_own = false;
    for variable in answer["structured_content"]["variables"].as_array().expect("a list") {
        let (name, value) = variable.as_str().and_then(|text| text.split_once('=')).expect("a variable");
        found_own |= (name, value) == ("MINE", "a b");
        assert!(name == "MINE" || KNOWN.contains(&name), "{name} was handed on");
    }
    assert!(found_own);
}

/// C38: the operator's environment is for what the operator has approved, and not for an address of an account's choice.
#[tokio::test]
async fn the_operators_variables_are_passed_on_to_approved_commands_only() {
    let setup = || Setup {
        config: "[mcp]\nenvironment = [\"SHARED\"]\n".to_owned(),
        environment: vec![("SHARED", "operator-value"), ("HIDDEN", "operator-hidden")],
        ..Setup::default()
    };
    let fixture = Fixture::set_up(setup()).await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(json!({"command": stand_in(), "env": {"A": "${SHARED}"}})).await;
    let answer = page.call("c", "environment", json!({})).await;
    assert!(answer.text().contains("A=operator-value"), "{}", answer.text());
    for (definition, name) in [
        (json!({"url": "https://mcp.example.com/${SHARED}"}), "SHARED"),
        (json!({"command": stand_in(), "env": {"A": "${HIDDEN}"}}), "HIDDEN"),
    ] {
        page.approve(&definition).await;
        page.publish(definition).await;
        let reason = page.until_failed().await;
        assert!(reason.contains(&format!("{name} has no value")), "{reason}");
    }
}

/// A server that fails is tried again; why it failed is said without its secrets.
#[tokio::test]
async fn why_a_command_failed_is_said_and_it_is_tried_again() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.ask("PUT", "/api/v1/secrets/MY_KEY", json!({"value": "s3cret"})).await;
    let definition = json!({"command": stand_in(), "args": ["--die"], "env": {"KEY": "${MY_KEY}"}});
    page.approve(&definition).await;
    page.publish(definition).await;
    for pause in [1, 3] {
        let reason = page.until_failed().await;
        assert!(reason.contains("the key ${MY_KEY} is wrong"), "{reason}");
        assert!(reason.ends_with(&format!("(tried again after {pause} s)")), "{reason}");
    }
    let definition = json!({"command": "/nowhere/at/all"});
    page.approve(&definition).await;
    page.publish(definition).await;
    let reason = page.until_failed().await;
    assert!(reason.contains("could not be started"), "{reason}");
}

#[tokio::test]
async fn definitions_that_make_no_sense_are_refused() {
    let fixture = Fixture::start().await;
    for (key, definition) in [
        (KEY, json!({})),
        (KEY, json!({"command": "x", "url": "https://x"})),
        (KEY, json!({"command": "  "})),
        (KEY, json!({"command": "x\u{0}y"})),
        (KEY, json!({"command": "x", "env": {"A=B": "1"}})),
        (KEY, json!({"command": "x", "args": vec!["a"; 300]})),
        (KEY, json!({"command": "x", "args": ["a".repeat(17 * 1024)]})),
        ("no-tilde", json!({"command": "x"})),
        ("a~b~c", json!({"command": "x"})),
    ] {
        let answer = fixture.ask("PUT", &format!("/api/v1/mcp/servers/{key}"), definition.clone()).await;
        assert_eq!(
            (answer.status, answer.problem()),
            (StatusCode::BAD_REQUEST, ProblemCode::BadRequest),
            "{key} {definition}"
        );
    }
    assert_eq!(fixture.ask("GET", "/api/v1/mcp/servers", Value::Null).await.json()["servers"], json!([]));
}

/// R126: what is withdrawn is ended and forgotten; what was published is there again after a restart.
#[tokio::test]
async fn what_is_published_lasts_until_it_is_withdrawn() {
    let fixture = Fixture::start().await;
    let mut page = Page::open(&fixture, "page").await;
    page.connect(command(&[])).await;
    let published = fixture.state.database().mcp_servers().await.expect("reads");
    assert_eq!(published.len(), 1);
    let text = mcp::list(fixture.state.database(), &Default::default()).await.expect("lists");
    assert!(
        text.contains("  approved  (tests~stand-in)\n") && text.contains(&format!("{:?}", Path::new(stand_in()))),
        "{text}"
    );

    let deleted = page.ask("DELETE", &format!("/api/v1/mcp/servers/{KEY}"), Value::Null).await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    let told = serde_json::to_value(page.event().await).expect("writes");
    assert_eq!((&told["type"], &told["key"], &told["status"]), (&json!("mcp_server"), &json!(KEY), &Value::Null));
    assert_eq!(fixture.state.database().mcp_servers().await.expect("reads"), []);
    fixture.state.mcp().stop().await;
}
