//! Models through the server: what the provider says arrives as it says it (R260).
//!
//! Order is shown by cause and effect: the next piece is sent only when the one before has arrived. A pass-through that holds a piece
//! back makes such a test wait in vain; no clock is read.

use std::sync::Arc;

use axum::http::StatusCode;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use satchel_core::protocol::ProblemCode;
use serde_json::{Value, json};
use tokio_rustls::TlsAcceptor;

use crate::fixture::{Answer, Fixture, Setup, request};
use crate::log::Log;
use crate::sockets::{Caller, Client, Running, Upstream};

pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A stream as providers send it, cut where no reader would cut it: inside a line, a number, a character.
const PIECES: [&[u8]; 6] = [
    b"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",",
    b"\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"\"}}]}}]}\n",
    b"\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\\\"Z\xc3",
    b"\xbcrich\\\"}\"}}]}}]}\r\n\r\n: a comment\n\n",
    b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    b"data: [DONE]\n\n",
];

async fn with_provider(upstream: &Upstream, format: &str, more: &str) -> Fixture {
    let config = format!("{}{more}", upstream.provider("local", format));
    Fixture::set_up(Setup { config, environment: vec![("KEY", "sk-operator-canary")], ..Setup::default() }).await
}

/// Asks in-process while the provider does what the test says.
async fn asked(fixture: &Fixture, body: &str, provider: impl Future<Output = ()>) -> Answer {
    let request = request("POST", "/api/v1/providers/local/chat", &[("authorization", &fixture.bearer())]);
    let body = axum::body::Body::from(body.to_owned());
    tokio::join!(fixture.answer(request.map(|_| body)), provider).0
}

fn problem(answer: &Answer, status: StatusCode, code: ProblemCode, expected: &str) {
    assert_eq!((answer.status, answer.problem()), (status, code), "{}", answer.text());
    assert!(answer.text().contains(expected), "{}", answer.text());
    assert_eq!(answer.header("x-satchel-answered-by"), "");
}

/// R260
#[tokio::test]
async fn pieces_arrive_as_they_are_sent_one_after_the_other() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "").await;
    let server = Running::start(fixture.router.clone(), None).await;
    let mut client = Client::chat(&server, &fixture, "local", "{}").await;
    let mut call = upstream.call().await;
    call.send(STREAM).await;
    let head = client.head().await;
    assert!(head.starts_with("http/1.1 200 ok\r\n"), "{head}");
    assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
    assert!(head.contains("x-satchel-answered-by: provider\r\n"), "{head}");
    assert!(head.contains("cache-control: no-store\r\n"), "{head}");
    for piece in PIECES {
        call.send_chunk(piece).await;
        assert_eq!(client.body(piece.len()).await, piece);
    }
    call.send_chunk(b"").await;
    assert_eq!(client.chunk().await, b"");
}

/// R260: what the app asks goes out as it is, with the key and without anything of ours.
#[tokio::test]
async fn a_request_goes_out_as_it_came() {
    let body = "{ \"model\":\"m\",\n\t\"stream\": true, \"n\": 1.0, \"unknown\": \"\\u00fc ü\" }";
    let check = async |format: &str, path: &str, header: &str, value: &str| {
        let upstream = Upstream::start().await;
        let fixture = with_provider(&upstream, format, "key_env = \"KEY\"\n").await;
        let answer = asked(&fixture, body, async {
            let mut call = upstream.call().await;
            assert!(call.head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{}", call.head);
            assert_eq!(String::from_utf8_lossy(&call.body), body);
            assert_eq!(call.header(header), Some(value));
            assert_eq!(call.header("host"), Some(format!("127.0.0.1:{}", upstream.port()).as_str()));
            assert_eq!(call.header("accept-encoding"), None, "an answer that is compressed could not stream");
            assert!(!call.head.contains(fixture.token.reveal()), "{}", call.head);
            call.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await;
        });
        let answer = answer.await;
        assert_eq!((answer.status, answer.text()), (StatusCode::OK, "{}"));
    };
    check("openai", "/chat/completions", "authorization", "Bearer sk-operator-canary").await;
    check("anthropic", "/v1/messages", "x-api-key", "sk-operator-canary").await;
    check("anthropic", "/v1/messages", "anthropic-version", "2023-06-01").await;
}

/// A provider's refusal is the provider's: its status, its body, when to come again; nothing that speaks for its own address.
#[tokio::test]
async fn an_error_of_the_provider_is_kept() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "").await;
    let body = "{\"error\": {\"message\": \"slow  down\"}}\n";
    let answer = asked(&fixture, "{}", async {
        let mut call = upstream.call().await;
        call.send(&format!(
            "HTTP/1.1 429 Slow Down\r\nContent-Type: application/problem+json\r\nRetry-After: 7\r\nX-RateLimit-Remaining-Tokens: 0\r\n\
             X-Request-Id: r1\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n\
             Strict-Transport-Security: max-age=1\r\nClear-Site-Data: \"*\"\r\nAlt-Svc: h3=\":443\"\r\nLink: </x>; rel=preload\r\n\
             Access-Control-Allow-Origin: *\r\nWWW-Authenticate: Basic\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
        .await;
    })
    .await;
    assert_eq!((answer.status, answer.text()), (StatusCode::TOO_MANY_REQUESTS, body));
    let expected = [
        ("content-type", "application/problem+json"),
        ("retry-after", "7"),
        ("x-ratelimit-remaining-tokens", "0"),
        ("x-request-id", "r1"),
        ("x-satchel-answered-by", "provider"),
    ];
    for (name, value) in expected {
        assert_eq!(answer.header(name), value, "{name}");
    }
    let ours = ["cache-control", "x-accel-buffering", "x-content-type-options", "referrer-policy", "content-length"];
    for (name, value) in &answer.headers {
        let known =
            expected.iter().any(|(known, kept)| name == known && value == kept) || ours.contains(&name.as_str());
        assert!(known, "{name}: {value:?}");
    }
}

/// A wrong key is the provider's 401, which an app must not take for a wrong access token.
#[tokio::test]
async fn a_refused_key_can_be_told_from_a_refused_token() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "").await;
    let answer = asked(&fixture, "{}", async {
        upstream.call().await.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}").await;
    });
    let answer = answer.await;
    let marks = (answer.status, answer.header("x-satchel-answered-by"), answer.header("www-authenticate"));
    assert_eq!(marks, (StatusCode::UNAUTHORIZED, "provider", ""));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (upstream, canary) = (Upstream::start().await, std::net::TcpListener::bind("127.0.0.1:0").expect("listens"));
    canary.set_nonblocking(true).expect("can be asked without waiting");
    let fixture = with_provider(&upstream, "openai", "").await;
    for status in ["301 Moved", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let location = canary.local_addr().expect("is bound");
        let answer = asked(&fixture, "{}", async {
            let mut call = upstream.call().await;
            call.send(&format!(
                "HTTP/1.1 {status}\r\nLocation: http://{location}/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            ))
            .await;
        });
        problem(&answer.await, StatusCode::BAD_GATEWAY, ProblemCode::BadAnswer, "which is not followed");
    }
    assert!(canary.accept().is_err(), "somebody followed");
}

/// C38, F15: whoever leaves in the middle of an answer takes the server along, within a second.
#[tokio::test]
async fn when_the_client_leaves_the_provider_is_left() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "").await;
    let server = Running::start(fixture.router.clone(), None).await;

    let client = Client::chat(&server, &fixture, "local", "{}").await;
    let mut before = upstream.call().await;
    drop(client);
    before.is_left_at_once().await;

    let mut client = Client::chat(&server, &fixture, "local", "{}").await;
    let mut amid = upstream.call().await;
    amid.send(STREAM).await;
    amid.send_chunk(PIECES[0]).await;
    client.head().await;
    client.body(PIECES[0].len()).await;
    drop(client);
    amid.is_left_at_once().await;
}

#[tokio::test]
async fn when_the_server_stops_the_provider_is_left() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "").await;
    let server = Running::start(fixture.router.clone(), None).await;
    let mut client = Client::chat(&server, &fixture, "local", "{}").await;
    let mut call = upstream.call().await;
    call.send(STREAM).await;
    client.head().await;
    server.stop.send(()).await.expect("asks");
    server.stop.send(()).await.expect("asks again");
    server.task.await.expect("ends");
    call.is_left().await;
    assert_eq!(client.rest().await, "", "an answer that was cut off has no end");
}

#[tokio::test]
async fn an_answer_that_breaks_off_does_not_look_whole() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "").await;
    let server = Running::start(fixture.router.clone(), None).await;
    let mut client = Client::chat(&server, &fixture, "local", "{}").await;
    let mut call = upstream.call().await;
    call.send(STREAM).await;
    call.send_chunk(PIECES[0]).await;
    client.head().await;
    client.body(PIECES[0].len()).await;
    drop(call);
    assert_eq!(client.rest().await, "");
}

#[tokio::test]
async fn silence_has_its_limits() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "[limits]\nanswer_seconds = 1\nsilence_seconds = 1\n").await;
    let mut silent = None;
    let answer = asked(&fixture, "{}", async { silent = Some(upstream.call().await) });
    problem(
        &answer.await,
        StatusCode::GATEWAY_TIMEOUT,
        ProblemCode::TimedOut,
        "did not begin to answer within 1 seconds",
    );
    silent.expect("was called").is_left().await;

    let server = Running::start(fixture.router.clone(), None).await;
    let mut client = Client::chat(&server, &fixture, "local", "{}").await;
    let mut call = upstream.call().await;
    call.send(STREAM).await;
    call.send_chunk(PIECES[0]).await;
    client.head().await;
    client.body(PIECES[0].len()).await;
    call.is_left().await;
    assert_eq!(client.rest().await, "");
}

/// Each way in which a provider is not reached has its sentence.
#[tokio::test]
async fn what_goes_wrong_before_an_answer_is_said() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("listens").local_addr().expect("is bound");
    let provider = |name: &str, base_url: &str, more: &str| {
        format!("[[provider]]\nname = \"{name}\"\nbase_url = \"{base_url}\"\nformat = \"openai\"\n{more}\n")
    };
    let config = [
        provider("no-env", "https://a.test", "key_env = \"NOT_SET\""),
        provider("no-secret", "https://a.test", "secret = \"MY_KEY\""),
        provider("no-name", "https://nowhere.test", ""),
        provider("rebound", "https://rebound.test", ""),
        provider("gone", &format!("http://{gone}"), ""),
    ];
    let names = vec![("rebound.test", "10.0.0.1"), ("rebound.test", "::1")];
    let fixture = Fixture::set_up(Setup { config: config.concat(), names, ..Setup::default() }).await;
    let check = async |name: &str, status: StatusCode, code: ProblemCode, expected: &str| {
        let answer = fixture.ask("POST", &format!("/api/v1/providers/{name}/chat"), json!({})).await;
        problem(&answer, status, code, expected);
    };
    check("no-env", StatusCode::CONFLICT, ProblemCode::NoKey, "has to set NOT_SET in its environment").await;
    check("no-secret", StatusCode::CONFLICT, ProblemCode::NoKey, "enter the secret MY_KEY").await;
    check("no-name", StatusCode::BAD_GATEWAY, ProblemCode::Unreachable, "the name nowhere.test was not found").await;
    check("rebound", StatusCode::FORBIDDEN, ProblemCode::AddressRefused, "rebound.test leads to 10.0.0.1").await;
    check("gone", StatusCode::BAD_GATEWAY, ProblemCode::Unreachable, "no connection to 127.0.0.1").await;
    check("unknown", StatusCode::NOT_FOUND, ProblemCode::NotFound, "no provider with this name").await;
}

#[tokio::test]
async fn a_provider_that_speaks_no_http_is_said() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "").await;
    for words in ["SSH-2.0-OpenSSH_9\r\n", ""] {
        let answer = asked(&fixture, "{}", async { upstream.call().await.send(words).await });
        problem(&answer.await, StatusCode::BAD_GATEWAY, ProblemCode::Unreachable, "broke before there was an answer");
    }
}

/// The certificate has to be for the name that was asked for, by an authority that is trusted.
#[tokio::test]
async fn tls_is_checked_by_name_and_authority() {
    let issued = rcgen::generate_simple_self_signed(vec!["models.test".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::try_from(issued.signing_key.serialize_der()).expect("a key");
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![issued.cert.der().clone()], key)
        .expect("a pair");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let upstream = Upstream::start().await;
    let set_up = async |host: &'static str, roots: Vec<CertificateDer<'static>>| {
        let base_url = format!("https://{host}:{}", upstream.port());
        let config = format!(
            "[[provider]]\nname = \"local\"\nbase_url = \"{base_url}\"\nformat = \"openai\"\n[outbound]\nprivate_hosts = [\"{host}\"]\n"
        );
        Fixture::set_up(Setup { config, names: vec![(host, "127.0.0.1")], roots, ..Setup::default() }).await
    };
    let trusting = || vec![issued.cert.der().clone()];

    let fixture = set_up("models.test", trusting()).await;
    let answer = asked(&fixture, "{}", async {
        let stream = acceptor.accept(upstream.connection().await).await.expect("shakes hands");
        Caller::read(stream).await.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await;
    });
    assert_eq!(answer.await.text(), "{}");

    for fixture in [set_up("models.test", Vec::new()).await, set_up("other.test", trusting()).await] {
        let answer = asked(&fixture, "{}", async {
            assert!(acceptor.accept(upstream.connection().await).await.is_err(), "was trusted");
        });
        problem(&answer.await, StatusCode::BAD_GATEWAY, ProblemCode::Unreachable, "no secure connection to");
    }
}

/// A conversation with pictures is larger than any other request may be, and still has its limit.
#[tokio::test]
async fn a_large_conversation_has_a_limit_of_its_own() {
    let upstream = Upstream::start().await;
    let limits = "[limits]\nrequest_bytes = 1000\nmodel_request_bytes = 3000000\n";
    let fixture = with_provider(&upstream, "openai", limits).await;
    let large = "x".repeat(3_000_000);
    let answer = asked(&fixture, &large, async {
        let mut call = upstream.call().await;
        assert_eq!(call.body.len(), large.len());
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    });
    assert_eq!(answer.await.status, StatusCode::OK);
    let answer = asked(&fixture, &"x".repeat(3_000_001), async {}).await;
    problem(&answer, StatusCode::PAYLOAD_TOO_LARGE, ProblemCode::TooLarge, "3000000 bytes");
    let answer = fixture.ask("PUT", "/api/v1/secrets/KEY", json!({"value": "x".repeat(1000)})).await;
    problem(&answer, StatusCode::PAYLOAD_TOO_LARGE, ProblemCode::TooLarge, "1000 bytes");
}

/// I8: neither keys nor what is said is ever logged, at the most talkative level, whether it goes well or not.
#[tokio::test]
async fn keys_and_conversations_are_in_no_log() {
    let log = Log::start();
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "secret = \"LOGGED_KEY\"\n").await;
    fixture.ask("PUT", "/api/v1/secrets/LOGGED_KEY", json!({"value": "sk-vault-canary"})).await;
    let body = r#"{"messages": [{"content": "question-canary"}]}"#;
    let answer = asked(&fixture, body, async {
        let mut call = upstream.call().await;
        assert_eq!(call.header("authorization"), Some("Bearer sk-vault-canary"));
        call.send("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 13\r\n\r\nanswer-canary").await;
    });
    assert_eq!(answer.await.text(), "answer-canary");
    asked(&fixture, body, async { drop(upstream.call().await) }).await;
    fixture.ask("GET", "/api/v1/secrets", Value::Null).await;
    let text = log.text();
    assert!(text.contains("/api/v1/secrets/LOGGED_KEY") && text.contains("hyper_util"), "the log was on");
    for line in text.lines() {
        assert!(!line.contains("canary") && !line.contains(fixture.token.reveal()), "{line}");
    }
    let shown = format!("{:?}", fixture.state);
    assert!(!shown.contains("canary"), "{shown}");
}

/// An account's key is its own: another account cannot use it, nor the operator's for a provider of its own.
#[tokio::test]
async fn keys_of_accounts_are_kept_apart() {
    let upstream = Upstream::start().await;
    let fixture = with_provider(&upstream, "openai", "secret = \"MY_KEY\"\n").await;
    let other = fixture.second_account();
    fixture.ask("PUT", "/api/v1/secrets/MY_KEY", json!({"value": "mine"})).await;
    let answer = fixture.ask_as(&other, "POST", "/api/v1/providers/local/chat", json!({})).await;
    problem(&answer, StatusCode::CONFLICT, ProblemCode::NoKey, "enter the secret MY_KEY");
    let settings = json!({"base_url": "https://a.test", "format": "openai", "key_env": "KEY"});
    let put = fixture.ask_as(&other, "PUT", "/api/v1/providers/own", settings).await;
    assert_eq!(put.json()["key"], "not_needed", "an account cannot name a variable");
}
