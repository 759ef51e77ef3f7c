//! Logging in at an MCP server: what works, what is renewed, what is refused, and what is good only once.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use satchel_core::digest::BlobId;
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture, Setup, request};
use crate::mcp_page::{KEY, Page};
use crate::sockets::Running;

/// An MCP server and its authorization server, both on one port.
#[derive(Clone, Default)]
struct Guarded {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    origin: String,
    /// The token that is good now.
    good: String,
    /// How long a token says that it holds.
    expires_in: u64,
    challenge: String,
    renewed: u32,
    registered: Vec<Value>,
    /// The methods that are answered without a login.
    open: Vec<&'static str>,
    /// What was shown with each request, and was no good.
    refused: Vec<Option<String>>,
}

impl Guarded {
    async fn start(expires_in: u64) -> (Self, Running) {
        let guarded = Self::default();
        let app = Router::new()
            .route("/mcp", post(speak))
            .route("/.well-known/oauth-protected-resource", get(resource))
            .route("/.well-known/oauth-authorization-server", get(authorization))
            .route("/register", post(register))
            .route("/token", post(token))
            .with_state(guarded.clone());
        let running = Running::start(app, None).await;
        let origin = format!("http://{}", running.address);
        *guarded.locked() = Inner { origin, expires_in, good: "none yet".to_owned(), ..Inner::default() };
        (guarded, running)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().expect("whole")
    }
}

async fn speak(State(guarded): State<Guarded>, headers: HeaderMap, body: Bytes) -> Response {
    let mut inner = guarded.locked();
    let message: Value = serde_json::from_slice(&body).expect("JSON");
    let shown = headers.get(header::AUTHORIZATION).map(|value| value.to_str().expect("text"));
    let is_open = inner.open.iter().any(|open| message["method"] == *open);
    if shown != Some(&format!("Bearer {}", inner.good)) && !is_open {
        inner.refused.push(shown.map(ToOwned::to_owned));
        let challenge = format!("Bearer resource_metadata=\"{}/.well-known/oauth-protected-resource\"", inner.origin);
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)]).into_response();
    }
    let result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}),
        "tools/list" => json!({"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
        _ => json!({"content": [{"type": "text", "text": "hello"}], "resultType": "complete"}),
    };
    axum::Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}

async fn resource(State(guarded): State<Guarded>) -> axum::Json<Value> {
    let origin = &guarded.locked().origin;
    axum::Json(json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}))
}

async fn authorization(State(guarded): State<Guarded>) -> axum::Json<Value> {
    let origin = &guarded.locked().origin;
    axum::Json(json!({
        "issuer": origin, "authorization_endpoint": format!("{origin}/authorize"), "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"), "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
    }))
}

async fn register(State(guarded): State<Guarded>, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).expect("JSON");
    guarded.locked().registered.push(asked.clone());
    let client = json!({"client_id": "client-1", "redirect_uris": asked["redirect_uris"]});
    (StatusCode::CREATED, axum::Json(client)).into_response()
}

async fn token(State(guarded): State<Guarded>, body: Bytes) -> Response {
    let body = std::str::from_utf8(&body).expect("text");
    let field =
        |name: &str| body.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}="))).unwrap_or_default();
    let mut inner = guarded.locked();
    let verifier_fits =
        || URL_SAFE_NO_PAD.encode(BlobId::of(field("code_verifier").as_bytes()).as_bytes()) == inner.challenge;
    let granted = match field("grant_type") {
        "authorization_code" => field("code") == "good-code" && verifier_fits(),
        "refresh_token" => field("refresh_token") == "refresh-s3cret",
        _ => false,
    };
    if !granted {
        return (StatusCode::BAD_REQUEST, axum::Json(json!({"error": "invalid_grant"}))).into_response();
    }
    inner.renewed += u32::from(field("grant_type") == "refresh_token");
    inner.good = format!("token-s3cret-{}", inner.renewed);
    axum::Json(json!({
        "access_token": inner.good, "token_type": "Bearer", "expires_in": inner.expires_in, "refresh_token": "refresh-s3cret",
    }))
    .into_response()
}

async fn fixture(running: &Running) -> Fixture {
    let config = format!("[outbound]\nprivate_hosts = [\"{}\"]\n", running.address);
    Fixture::set_up(Setup { config, ..Setup::default() }).await
}

/// Publishes the server and begins a login; the state that it carries.
async fn begin(page: &mut Page<'_>, guarded: &Guarded) -> String {
    page.publish(json!({"url": format!("{}/mcp", guarded.locked().origin)})).await;
    page.until_status("requires_auth").await;
    begin_again(page, guarded).await
}

async fn begin_again(page: &Page<'_>, guarded: &Guarded) -> String {
    let login = page.ask("POST", &format!("/api/v1/mcp/servers/{KEY}/login"), Value::Null).await;
    assert_eq!(login.status, StatusCode::OK, "{}", login.text());
    let url = login.json()["authorize_url"].as_str().expect("an address").to_owned();
    let field = |name: &str| {
        let query = url.split_once('?').expect("a query").1;
        query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}="))).unwrap_or_default().to_owned()
    };
    assert!(url.starts_with(&format!("{}/authorize?", guarded.locked().origin)), "{url}");
    assert_eq!(field("code_challenge_method"), "S256");
    assert_eq!(field("redirect_uri"), "http%3A%2F%2F127.0.0.1%3A8787%2Foauth%2Fcallback");
    guarded.locked().challenge = field("code_challenge");
    field("state")
}

/// The browser comes back.
async fn come_back(fixture: &Fixture, query: &str) -> Answer {
    // As a browser does it that comes from another site.
    let headers = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
    fixture.answer(request("GET", &format!("/oauth/callback?{query}"), &headers)).await
}

/// R129: the login is run by the server, kept in the vault, and the connection is made by itself.
#[tokio::test]
async fn a_login_connects_the_server_by_itself() {
    let (guarded, running) = Guarded::start(3600).await;
    let fixture = fixture(&running).await;
    let mut page = Page::open(&fixture, "page").await;
    let state = begin(&mut page, &guarded).await;
    let back = come_back(&fixture, &format!("code=good-code&state={state}")).await;
    assert_eq!(back.status, StatusCode::OK, "{}", back.text());
    assert!(back.text().contains("You are signed in"), "{}", back.text());
    page.until_status("connected").await;
    assert_eq!(page.text_of("c", "hello", json!({})).await, "hello");
    assert_eq!(guarded.locked().registered[0]["client_name"], "Satchel");

    let seen = format!("{} {}", page.state().await, page.ask("GET", "/api/v1/secrets", Value::Null).await.text());
    assert!(!seen.contains("s3cret"), "{seen}");
    fixture.state.database().close().await;
    let stored = std::fs::read(fixture.folder.database_path()).expect("reads");
    assert!(!stored.windows(6).any(|bytes| bytes == b"s3cret"), "a login is sealed");
}

#[tokio::test]
async fn a_login_that_has_run_out_is_renewed() {
    let (guarded, running) = Guarded::start(1).await;
    let fixture = fixture(&running).await;
    let mut page = Page::open(&fixture, "page").await;
    let state = begin(&mut page, &guarded).await;
    come_back(&fixture, &format!("code=good-code&state={state}")).await;
    page.until_status("connected").await;
    let before = guarded.locked().renewed;
    assert!(before > 0, "a token of one second has run out before it is used");
    assert_eq!(page.text_of("c", "hello", json!({})).await, "hello");
    assert!(guarded.locked().renewed > before);
}

/// A token that is taken back before its time is renewed too; when that is refused, somebody has to sign in again.
#[tokio::test]
async fn a_login_that_was_taken_back_is_asked_for_again() {
    let (guarded, running) = Guarded::start(3600).await;
    let fixture = fixture(&running).await;
    let mut page = Page::open(&fixture, "page").await;
    let state = begin(&mut page, &guarded).await;
    come_back(&fixture, &format!("code=good-code&state={state}")).await;
    page.until_status("connected").await;
    guarded.locked().good = "another".to_owned();
    let refused = page.call("c", "hello", json!({})).await;
    assert_eq!(refused.status, StatusCode::BAD_GATEWAY, "{}", refused.text());
    page.until_status("connected").await;
    assert_eq!(guarded.locked().renewed, 1);
    assert_eq!(page.text_of("c", "hello", json!({})).await, "hello");
}

#[tokio::test]
async fn a_login_that_is_refused_leaves_everything_as_it_was() {
    let (guarded, running) = Guarded::start(3600).await;
    let fixture = fixture(&running).await;
    let mut page = Page::open(&fixture, "page").await;
    let state = begin(&mut page, &guarded).await;
    let denied =
        come_back(&fixture, &format!("error=access_denied&error_description=%3Cscript%3E&state={state}")).await;
    assert_eq!(denied.status, StatusCode::BAD_REQUEST);
    assert!(denied.text().contains("was refused") && !denied.text().contains("script"), "{}", denied.text());
    let state = begin_again(&page, &guarded).await;
    let wrong_code = come_back(&fixture, &format!("code=bad-code&state={state}")).await;
    assert_eq!(wrong_code.status, StatusCode::BAD_REQUEST);
    assert_eq!(page.state().await["status"], "requires_auth");
}

#[tokio::test]
async fn a_state_is_good_once_and_only_if_it_was_given_out() {
    let (guarded, running) = Guarded::start(3600).await;
    let fixture = fixture(&running).await;
    let mut page = Page::open(&fixture, "page").await;
    let state = begin(&mut page, &guarded).await;
    for query in ["", "code=good-code", "code=good-code&state=", "code=good-code&state=made-up"] {
        let wrong = come_back(&fixture, query).await;
        assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "{query}");
        assert!(wrong.text().contains("unknown here"), "{}", wrong.text());
    }
    assert_eq!(come_back(&fixture, &format!("code=good-code&state={state}")).await.status, StatusCode::OK);
    let again = come_back(&fixture, &format!("code=good-code&state={state}")).await;
    assert_eq!(again.status, StatusCode::BAD_REQUEST);
    assert!(again.text().contains("already finished"), "{}", again.text());
}

/// R129: a server may let everybody in and ask for a login only when its tools are listed, or when one is called.
#[tokio::test]
async fn a_login_that_is_wanted_late_is_asked_for_too() {
    for open in [&["server/discover"][..], &["server/discover", "tools/list"]] {
        let (guarded, running) = Guarded::start(3600).await;
        guarded.locked().open = open.to_vec();
        let fixture = fixture(&running).await;
        let mut page = Page::open(&fixture, "page").await;
        page.publish(json!({"url": format!("{}/mcp", guarded.locked().origin)})).await;
        if open.contains(&"tools/list") {
            page.until_status("connected").await;
            assert_eq!(page.call("a", "hello", json!({})).await.status, StatusCode::BAD_GATEWAY);
        }
        page.until_status("requires_auth").await;
        let state = begin_again(&page, &guarded).await;
        come_back(&fixture, &format!("code=good-code&state={state}")).await;
        page.until_status("connected").await;
        assert_eq!(page.text_of("b", "hello", json!({})).await, "hello");
    }
}

/// A login that is renewed and refused all the same is not renewed for ever.
#[tokio::test]
async fn a_login_that_never_helps_is_asked_for_again() {
    let (guarded, running) = Guarded::start(3600).await;
    guarded.locked().open = vec!["server/discover", "tools/list"];
    let fixture = fixture(&running).await;
    let mut page = Page::open(&fixture, "page").await;
    page.publish(json!({"url": format!("{}/mcp", guarded.locked().origin)})).await;
    page.until_status("connected").await;
    page.call("a", "hello", json!({})).await;
    page.until_status("requires_auth").await;
    let state = begin_again(&page, &guarded).await;
    come_back(&fixture, &format!("code=good-code&state={state}")).await;
    page.until_status("connected").await;
    for expected in ["connected", "requires_auth"] {
        guarded.locked().good = "of somebody else".to_owned();
        assert_eq!(page.call("b", "hello", json!({})).await.status, StatusCode::BAD_GATEWAY);
        page.until_status(expected).await;
    }
    assert_eq!(guarded.locked().renewed, 1);
}

/// A token is for who gave it: at another address it is neither shown nor renewed, and back at its own it is good again.
#[tokio::test]
async fn a_login_is_good_at_its_own_address_alone() {
    let (guarded, running) = Guarded::start(3600).await;
    let (other, other_running) = Guarded::start(3600).await;
    let hosts = format!("\"{}\", \"{}\"", running.address, other_running.address);
    let config = format!("[outbound]\nprivate_hosts = [{hosts}]\n");
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let mut page = Page::open(&fixture, "page").await;
    let state = begin(&mut page, &guarded).await;
    come_back(&fixture, &format!("code=good-code&state={state}")).await;
    page.until_status("connected").await;

    page.publish(json!({"url": format!("{}/mcp", other.locked().origin)})).await;
    page.until_status("requires_auth").await;
    let shown = other.locked().refused.clone();
    assert!(!shown.is_empty() && shown.iter().all(Option::is_none), "{shown:?}");
    assert_eq!(other.locked().renewed, 0);

    page.publish(json!({"url": format!("{}/mcp", guarded.locked().origin)})).await;
    page.until_status("connected").await;
}
