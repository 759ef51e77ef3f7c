//! Requests that the server makes for tools: what goes out, what comes back, and what is not reached (F18).

use axum::body::Body;
use axum::http::StatusCode;
use satchel_core::protocol::{FetchRequest, FetchResponse, ProblemCode, frame_fetch, unframe_fetch};

use crate::fixture::{Answer, Fixture, HOST, Setup, request};
use crate::outbound::{Canary, SPELLINGS};
use crate::sockets::Upstream;

fn head(method: &str, url: &str, headers: &[(&str, &str)]) -> FetchRequest {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    FetchRequest { method: method.to_owned(), url: url.to_owned(), headers }
}

async fn send(fixture: &Fixture, body: Vec<u8>) -> Answer {
    let request = request("POST", "/api/v1/fetch", &[("authorization", &fixture.bearer())]);
    fixture.answer(request.map(|_| Body::from(body))).await
}

async fn fetch(fixture: &Fixture, asked: &FetchRequest, body: &[u8]) -> Answer {
    let mut framed = frame_fetch(asked).expect("is short");
    framed.extend(body);
    send(fixture, framed).await
}

/// A server whose operator lets it reach one host on loopback.
async fn with_host(upstream: &Upstream) -> Fixture {
    let config = format!("[outbound]\nprivate_hosts = [\"127.0.0.1:{}\"]\n", upstream.port());
    Fixture::set_up(Setup { config, ..Setup::default() }).await
}

fn refused(answer: &Answer, status: StatusCode, code: ProblemCode, expected: &str) {
    assert_eq!((answer.status, answer.problem()), (status, code), "{}", answer.text());
    assert!(answer.text().contains(expected), "{}", answer.text());
}

/// R303: the tool's own request and nothing else goes out; what comes back is data, and sets nothing at the app's address.
#[tokio::test]
async fn a_request_goes_out_and_its_answer_comes_back_as_data() {
    let upstream = Upstream::start().await;
    let fixture = with_host(&upstream).await;
    let url = format!("http://127.0.0.1:{}/a%20b?q=1#part", upstream.port());
    let headers = [
        ("X-Mine", "one two"),
        ("Authorization", "Bearer of-the-tool"),
        ("Cookie", "spy=1"),
        ("Origin", "http://evil.test"),
        ("Host", "evil.test"),
        ("Accept-Encoding", "gzip"),
    ];
    let host = async {
        let mut call = upstream.call().await;
        assert!(call.head.starts_with("PATCH /a%20b?q=1 HTTP/1.1\r\n"), "{}", call.head);
        assert_eq!(call.body, [0, 255, b'x']);
        let own = format!("127.0.0.1:{}", upstream.port());
        let sent =
            ["x-mine", "authorization", "accept-encoding", "host", "cookie", "origin"].map(|name| call.header(name));
        let kept = [Some("one two"), Some("Bearer of-the-tool"), Some("identity"), Some(own.as_str())];
        assert_eq!((&sent[..4], &sent[4..]), (&kept[..], &[None, None][..]));
        assert_eq!(call.header("user-agent"), Some(concat!("satchel/", env!("CARGO_PKG_VERSION"))));
        assert!(!call.head.contains(fixture.token.reveal()) && !call.head.contains(HOST), "{}", call.head);
        call.send("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nX-Told: \u{fc}\r\nSet-Cookie: spy=1\r\nClear-Site-Data: \"*\"\r\n").await;
        call.send("Connection: close\r\nContent-Length: 5\r\n\r\nhello").await;
    };
    let asked = head("patch", &url, &headers);
    let (answer, ()) = tokio::join!(fetch(&fixture, &asked, &[0, 255, b'x']), host);
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/octet-stream"));
    for name in ["set-cookie", "clear-site-data", "x-told"] {
        assert_eq!(answer.header(name), "", "{name}");
    }
    assert_eq!(answer.header("cache-control"), "no-store");
    let (head, body) = unframe_fetch::<FetchResponse>(&answer.body).expect("reads");
    assert_eq!((head.status, head.status_text.as_str(), &answer.body[body..]), (404, "Not Found", &b"hello"[..]));
    let told: Vec<(&str, &str)> = head.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    // The bytes of a value are told one by one, as a browser does.
    let expected = [
        ("content-type", "text/html"),
        ("x-told", "\u{c3}\u{bc}"),
        ("clear-site-data", "\"*\""),
        ("content-length", "5"),
    ];
    assert_eq!(told, expected);
}

/// The pieces of a long answer are handed on as they come; when the page leaves, the host is left.
#[tokio::test]
async fn nobody_waits_for_the_whole() {
    let upstream = Upstream::start().await;
    let fixture = with_host(&upstream).await;
    let asked = head("GET", &format!("http://127.0.0.1:{}/", upstream.port()), &[]);
    let request = request("POST", "/api/v1/fetch", &[("authorization", &fixture.bearer())]);
    let request = request.map(|_| Body::from(frame_fetch(&asked).expect("is short")));
    let host = async {
        let mut call = upstream.call().await;
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await;
        call.send_chunk(b"first").await;
        call
    };
    let asking = tower::ServiceExt::oneshot(fixture.router.clone(), request);
    let (answer, mut call) = tokio::join!(asking, host);
    let mut pieces = answer.expect("a router always answers").into_body().into_data_stream();
    let mut came = Vec::new();
    while !came.ends_with(b"first") {
        let piece = futures_util::StreamExt::next(&mut pieces).await.expect("more comes").expect("comes whole");
        came.extend_from_slice(&piece);
    }
    drop(pieces);
    call.is_left().await;
}

/// F18: this machine in every spelling, and public names that lead to it; the server itself also where its host is listed.
#[tokio::test]
async fn what_is_not_public_is_not_reached() {
    let canary = Canary::start();
    let names = vec![("localhost", "127.0.0.1"), ("one.example", "127.0.0.1"), ("two.example", "::ffff:10.0.0.1")];
    let fixture = Fixture::set_up(Setup { names, ..Setup::default() }).await;
    for host in SPELLINGS.iter().chain(&["one.example", "two.example"]) {
        let answer = fetch(&fixture, &head("GET", &format!("http://{host}:{}/", canary.port()), &[]), b"").await;
        refused(&answer, StatusCode::FORBIDDEN, ProblemCode::AddressRefused, "not a public address");
    }
    canary.is_untouched();

    let config = "[outbound]\nprivate_hosts = [\"127.0.0.1\", \"localhost\"]\n".to_owned();
    let names = vec![("localhost", "127.0.0.1")];
    let fixture = Fixture::set_up(Setup { config, names, ..Setup::default() }).await;
    for host in [HOST, "localhost:8787", "0x7f.1:8787"] {
        let answer = fetch(&fixture, &head("GET", &format!("http://{host}/api/v1/policy"), &[]), b"").await;
        refused(&answer, StatusCode::BAD_REQUEST, ProblemCode::BadRequest, "the address of Satchel itself");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (upstream, canary) = (Upstream::start().await, Canary::start());
    let fixture = with_host(&upstream).await;
    let asked = head("GET", &format!("http://127.0.0.1:{}/", upstream.port()), &[]);
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let host = async {
            let location = format!("http://127.0.0.1:{}/", canary.port());
            let answer =
                format!("HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            upstream.call().await.send(&answer).await;
        };
        let (answer, ()) = tokio::join!(fetch(&fixture, &asked, b""), host);
        refused(&answer, StatusCode::BAD_GATEWAY, ProblemCode::BadAnswer, "redirects");
    }
    canary.is_untouched();
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_a_sentence() {
    let config = "[limits]\nfetch_request_bytes = 2000\n".to_owned();
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let check = async |asked: FetchRequest, expected: &str| {
        let answer = fetch(&fixture, &asked, b"").await;
        refused(&answer, StatusCode::BAD_REQUEST, ProblemCode::BadRequest, expected);
    };
    check(head("TRACE", "https://one.example/", &[]), "pages may not send").await;
    check(head("GET", "file:///etc/passwd", &[]), "begin with https:// or http://").await;
    check(head("GET", "https://me:key@one.example/", &[]), "a user name or a password").await;
    check(head("GET", "https://one.example/a b", &[]), "have to be written as %").await;
    check(head("GET", "https://one.example/", &[("x-mine", "\u{20ac}")]), "no header can have").await;
    let answer = send(&fixture, b"\0\0\0\x02[]".to_vec()).await;
    refused(&answer, StatusCode::BAD_REQUEST, ProblemCode::BadRequest, "not the JSON");
    let answer = fetch(&fixture, &head("POST", "https://one.example/", &[]), &[0; 2000]).await;
    refused(&answer, StatusCode::PAYLOAD_TOO_LARGE, ProblemCode::TooLarge, "larger than 2000 bytes");
    let answer = fetch(&fixture, &head("GET", "https://no.example/", &[]), b"").await;
    refused(&answer, StatusCode::BAD_GATEWAY, ProblemCode::Unreachable, "the name no.example was not found");
}
