//! F16: every route of the router's own table, with everything that has to be refused.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use satchel_core::protocol::{Capability, Policy, ProblemCode};
use satchel_server::access_token::{self, AccessToken};
use satchel_server::routes::{Access, Methods, table};

use crate::fixture::{Fixture, HOST, ORIGIN, Setup, request};

/// What may be had without a token. A new public route has to be added here, by someone who means it.
const PUBLIC: [&str; 11] = [
    "/healthz",
    "/oauth/callback",
    "/local",
    "/local/",
    "/local/{*rest}",
    "/packages/{file}",
    "/",
    "/ui",
    "/ui/",
    "/ui/{*rest}",
    "/{*file}",
];

/// Addresses that no row of the table names, and some that are nearly one.
const UNLISTED: [&str; 6] =
    ["/api/v1/policy/", "/api/v1/unknown", "/api//v1/policy", "/api/../api/v1/policy", "/api/v1/%70olicy", "/api/v2"];

/// Every method and address worth trying: all rows of the table, and all unlisted addresses under `/api`.
fn targets() -> Vec<(&'static str, String, Access)> {
    let mut targets = Vec::new();
    for route in table() {
        let path = route
            .path
            .replace("{*rest}", "some/where")
            .replace("{*file}", "app-0123456789abcdef.js")
            .replace("{file}", "pyodide-lock.json")
            .replace("{name}", "SOME_NAME")
            .replace("{key}", "some~server")
            .replace("{call_id}", "some-call");
        let methods: &[&str] = match route.methods {
            Methods::Get => &["GET", "HEAD", "POST"],
            Methods::Post => &["POST", "GET"],
            Methods::PutAndDelete => &["PUT", "DELETE", "GET"],
            Methods::GetPutAndDelete => &["GET", "HEAD", "PUT", "DELETE", "POST"],
            Methods::Any => &["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "MOVE"],
        };
        targets.extend(methods.iter().map(|method| (*method, path.clone(), route.access)));
    }
    for path in UNLISTED {
        targets.extend(["GET", "POST", "DELETE"].map(|method| (method, path.to_owned(), Access::Token)));
    }
    targets
}

/// Sends a request to every target with the given headers and sees it refused before any handler.
async fn refuses(
    fixture: &Fixture,
    headers: &[(&str, &str)],
    only: Option<Access>,
    status: StatusCode,
    code: ProblemCode,
) {
    let mut tried = 0;
    for (method, path, access) in targets() {
        if only.is_some_and(|only| only != access) {
            continue;
        }
        let answer = fixture.answer(request(method, &path, headers)).await;
        assert_eq!(answer.status, status, "{method} {path} {headers:?}");
        if method != "HEAD" {
            assert_eq!(answer.problem(), code, "{method} {path} {headers:?}");
        }
        tried += 1;
    }
    assert!(tried > 20, "only {tried} requests were tried");
    assert_eq!(fixture.state.handled(), 0, "a handler ran");
}

/// F16
#[test]
fn the_public_routes_are_these() {
    let public: Vec<_> =
        table().iter().filter(|route| route.access == Access::Public).map(|route| route.path).collect();
    assert_eq!(public, PUBLIC);
    for route in table() {
        let is_api = route.path == "/api" || route.path.starts_with("/api/");
        assert!(!is_api || route.access == Access::Token, "{} has to ask for a token", route.path);
    }
}

/// F16
#[tokio::test]
async fn no_token_is_refused() {
    let fixture = Fixture::start().await;
    let (status, code) = (StatusCode::UNAUTHORIZED, ProblemCode::Unauthorized);
    refuses(&fixture, &[], Some(Access::Token), status, code).await;
    refuses(&fixture, &[("authorization", "Basic bWU6bWU=")], Some(Access::Token), status, code).await;
}

/// F16
#[tokio::test]
async fn a_wrong_token_is_refused() {
    let fixture = Fixture::start().await;
    let (status, code) = (StatusCode::UNAUTHORIZED, ProblemCode::Unauthorized);
    let other = format!("Bearer {}", AccessToken::random().expect("randomness").reveal());
    for wrong in [other.as_str(), "Bearer ", "Bearer x", "Bearer ' OR 1=1 --"] {
        refuses(&fixture, &[("authorization", wrong)], Some(Access::Token), status, code).await;
    }
}

/// F16
#[tokio::test]
async fn a_replaced_token_is_refused_at_once() {
    let fixture = Fixture::start().await;
    let old = fixture.bearer();
    access_token::replace(&fixture.folder, fixture.state.database()).await.expect("replaces");
    let headers = [("authorization", old.as_str())];
    refuses(&fixture, &headers, Some(Access::Token), StatusCode::UNAUTHORIZED, ProblemCode::Unauthorized).await;
    let answer = fixture.get("/api/v1/policy", &headers).await;
    assert!(answer.text().contains("this access token was replaced"), "{}", answer.text());
    assert_eq!(answer.header("www-authenticate"), "Bearer");
}

/// F16
#[tokio::test]
async fn a_wrong_host_is_refused_everywhere() {
    let fixture = Fixture::start().await;
    let bearer = fixture.bearer();
    for host in ["evil.example", "evil.example:8787", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil.example:8787", ""] {
        let headers = [("host", host), ("authorization", bearer.as_str())];
        refuses(&fixture, &headers, None, StatusCode::MISDIRECTED_REQUEST, ProblemCode::WrongHost).await;
    }
}

/// F16
#[tokio::test]
async fn a_foreign_or_null_origin_is_refused_everywhere() {
    let fixture = Fixture::start().await;
    let bearer = fixture.bearer();
    for origin in
        ["null", "http://evil.example", "http://127.0.0.1:9000", "https://127.0.0.1:8787", "http://localhost:8787"]
    {
        let headers = [("origin", origin), ("authorization", bearer.as_str())];
        refuses(&fixture, &headers, None, StatusCode::FORBIDDEN, ProblemCode::ForeignOrigin).await;
    }
}

/// F16
#[tokio::test]
async fn requests_of_other_sites_without_an_origin_do_not_reach_the_api() {
    let fixture = Fixture::start().await;
    let bearer = fixture.bearer();
    for site in ["cross-site", "same-site"] {
        let headers = [("sec-fetch-site", site), ("authorization", bearer.as_str())];
        refuses(&fixture, &headers, Some(Access::Token), StatusCode::FORBIDDEN, ProblemCode::ForeignOrigin).await;
    }
}

/// The counter that the walk trusts does count.
#[tokio::test]
async fn a_request_that_may_come_in_is_handled() {
    let fixture = Fixture::start().await;
    let bearer = fixture.bearer();
    let headers = [("authorization", bearer.as_str()), ("origin", ORIGIN), ("sec-fetch-site", "same-origin")];
    let answer = fixture.get("/api/v1/policy", &headers).await;
    assert_eq!((answer.status, fixture.state.handled()), (StatusCode::OK, 1));
    assert_eq!(answer.header("cache-control"), "no-store");
    let policy: Policy = serde_json::from_slice(&answer.body).expect("a policy");
    let account = fixture.state.database().first_account().await.expect("an account");
    assert_eq!(
        (policy.version.as_str(), policy.capabilities),
        (
            env!("CARGO_PKG_VERSION"),
            vec![Capability::Models, Capability::Fetch, Capability::Mcp, Capability::HttpTools, Capability::Sync]
        )
    );
    assert_eq!(policy.disabled_toolsets, [""; 0]);
    assert_eq!((policy.account.id, policy.account.name), (account.id.to_string(), "me".to_owned()));
}

/// C48
#[tokio::test]
async fn the_policy_names_the_toolsets_that_the_operator_does_not_allow() {
    let config = "[policy]\ndisabled_toolsets = [\"shell\"]\n".to_owned();
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let answer = fixture.ask("GET", "/api/v1/policy", serde_json::Value::Null).await;
    assert_eq!(answer.json()["disabled_toolsets"], serde_json::json!(["shell"]));
}

#[tokio::test]
async fn with_a_token_the_api_says_what_is_not_there() {
    let fixture = Fixture::start().await;
    let bearer = fixture.bearer();
    let headers = [("authorization", bearer.as_str())];
    for path in UNLISTED {
        let answer = fixture.get(path, &headers).await;
        assert_eq!((answer.status, answer.problem()), (StatusCode::NOT_FOUND, ProblemCode::NotFound), "{path}");
    }
    let answer = fixture.answer(request("DELETE", "/api/v1/policy", &headers)).await;
    assert_eq!((answer.status, answer.problem()), (StatusCode::METHOD_NOT_ALLOWED, ProblemCode::MethodNotAllowed));
    assert_eq!(answer.header("allow"), "GET,HEAD");
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_before_any_handler() {
    let fixture = Fixture::start().await;
    let body = vec![0; usize::try_from(fixture.state.limits().request_bytes.get()).expect("fits") + 1];
    let request = Request::builder().method("POST").uri("/api/v1/policy");
    let request = request.header("host", HOST).header("authorization", fixture.bearer());
    let answer = fixture.answer(request.body(Body::from(body)).expect("a request")).await;
    assert_eq!((answer.status, answer.problem()), (StatusCode::PAYLOAD_TOO_LARGE, ProblemCode::TooLarge));
    assert_eq!(fixture.state.handled(), 0);
}

/// R323
#[tokio::test]
async fn other_names_of_this_machine_lead_to_the_canonical_one() {
    let fixture = Fixture::start().await;
    for host in ["localhost:8787", "LOCALHOST:8787", "[::1]:8787"] {
        let answer = fixture.get("/ui/chat/1?a=b", &[("host", host)]).await;
        assert_eq!(answer.status, StatusCode::PERMANENT_REDIRECT, "{host}");
        assert_eq!(answer.header("location"), "http://127.0.0.1:8787/ui/chat/1?a=b");
    }
    let answer = fixture.get("/api/v1/policy", &[("host", "localhost:8787")]).await;
    assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST);
}
