//! Calls of HTTP tools through the server: what goes out with which secret, what is not reached (F18), and that no secret is found anywhere
//! afterwards (F20).

use std::borrow::Borrow;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use satchel_core::protocol::{HttpToolEnd, ProblemCode, unframe_fetch};
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture, Setup};
use crate::outbound::{Canary, SPELLINGS};
use crate::sockets::Upstream;

const SECRET: &str = "sk-canary-0123456789";

/// A server whose operator lets it reach one host on loopback, with a key in its vault.
pub(crate) async fn with_host(upstream: &Upstream) -> Fixture {
    let config = format!("[outbound]\nprivate_hosts = [\"127.0.0.1:{}\"]\n", upstream.port());
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    fixture.ask("PUT", "/api/v1/secrets/WEATHER_KEY", json!({"value": SECRET})).await;
    fixture
}

pub(crate) async fn call(fixture: &Fixture, definition: impl Borrow<Value>, arguments: Value) -> Answer {
    let definition = definition.borrow();
    let body = json!({"definition": definition, "declared": ["city"], "arguments": arguments, "time_limit_ms": 20_000});
    fixture.ask("POST", "/api/v1/http-tools/call", body).await
}

pub(crate) fn end(answer: &Answer) -> (HttpToolEnd, Vec<u8>) {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let (end, at) = unframe_fetch(&answer.body).expect("is framed");
    (end, answer.body[at..].to_vec())
}

pub(crate) fn failure(answer: &Answer) -> String {
    match end(answer).0 {
        HttpToolEnd::Failed { message } => message,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn asking(url: &str, hosts: &[&str]) -> Value {
    json!({"allowedHosts": hosts, "maxRetries": 0, "request": {"urlTemplate": url, "headers": {"X-Key": "${WEATHER_KEY}"}}})
}

pub(crate) fn own(upstream: &Upstream) -> String {
    format!("127.0.0.1:{}", upstream.port())
}

/// R091, R095: the secret goes to the host, and what the host echoes comes back without it.
#[tokio::test]
async fn a_secret_goes_out_and_does_not_come_back() {
    let upstream = Upstream::start().await;
    let fixture = with_host(&upstream).await;
    let host = own(&upstream);
    let definition = json!({
        "allowedHosts": [host],
        "request": {
            "method": "POST",
            "urlTemplate": format!("http://{host}/${{city}}"),
            "query": {"key": "${WEATHER_KEY}"},
            "auth": {"type": "bearer", "valueTemplate": "${WEATHER_KEY}"},
            "body": {"city": "${city}"},
        },
    });
    let there = async {
        let mut call = upstream.call().await;
        assert!(
            call.head.starts_with(&format!("POST /a%2Fb%20%24%7BWEATHER_KEY%7D?key={SECRET} HTTP/1.1\r\n")),
            "{}",
            call.head
        );
        assert_eq!(call.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
        assert_eq!(call.body, br#"{"city":"a/b ${WEATHER_KEY}"}"#);
        let echo = format!("{{\"you\": \"{SECRET}\", \"and\": [1]}}");
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
        call.send(&format!("{head}Content-Length: {}\r\n\r\n{echo}", echo.len())).await;
    };
    let (answer, ()) = tokio::join!(call(&fixture, &definition, json!({"city": "a/b ${WEATHER_KEY}"})), there);
    let (end, body) = end(&answer);
    assert_eq!(end, HttpToolEnd::Answered { status: 200, media_type: "application/json".into() });
    assert_eq!(body, br#"{"you": "${WEATHER_KEY}", "and": [1]}"#);
    is_nowhere(&fixture, &answer);
}

/// F20: the secret is in no file of the data folder in clear, and not in the answer.
fn is_nowhere(fixture: &Fixture, answer: &Answer) {
    assert!(!has(&answer.body, SECRET), "it is in the answer");
    is_in_no_file(fixture, SECRET);
}

/// F20: a secret is in no file of the data folder in clear.
pub(crate) fn is_in_no_file(fixture: &Fixture, secret: &str) {
    let database = fixture.folder.database_path();
    let mut read = 0;
    for entry in std::fs::read_dir(database.parent().expect("a folder")).expect("reads") {
        let path = entry.expect("reads").path();
        if let Ok(bytes) = std::fs::read(&path) {
            assert!(!has(&bytes, secret), "it is in {}", path.display());
            read += bytes.len();
        }
    }
    assert!(read > 4096, "the database is there");
}

fn has(bytes: &[u8], secret: &str) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
}

/// R091: what is missing is named, and nothing was sent.
#[tokio::test]
async fn a_missing_secret_is_named_before_anything_is_sent() {
    let canary = Canary::start();
    let host = format!("127.0.0.1:{}", canary.port());
    let config = format!("[outbound]\nprivate_hosts = [\"{host}\"]\n");
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let answer = call(&fixture, asking(&format!("http://{host}/"), &[&host]), json!({})).await;
    assert_eq!(
        failure(&answer),
        "the secret WEATHER_KEY has no value; enter it in Settings, under Secrets and variables"
    );
    canary.is_untouched();
}

/// Each account has its own vault.
#[tokio::test]
async fn another_accounts_secret_is_not_found() {
    let upstream = Upstream::start().await;
    let fixture = with_host(&upstream).await;
    let host = own(&upstream);
    let body = json!({"definition": asking(&format!("http://{host}/"), &[&host]), "declared": [], "arguments": {}, "time_limit_ms": 5_000});
    let other = fixture.second_account();
    let answer = fixture.ask_as(&other, "POST", "/api/v1/http-tools/call", body).await;
    assert!(failure(&answer).starts_with("the secret WEATHER_KEY has no value"));
}

/// Addresses of machines that hand out keys, of the local network, and ranges that are no public service.
const INSIDE: [&str; 24] = [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "192.0.0.192",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[64:ff9b::169.254.169.254]",
    "[2002:a9fe:a9fe::]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[::1]",
    "metadata.google.internal",
    "router.lan",
];

/// F18, R262: more than forty forbidden targets, each of them also as the goal of a redirect; nobody connects to the canary.
#[tokio::test]
async fn what_is_not_public_is_not_reached() {
    let canary = Canary::start();
    let upstream = Upstream::start().await;
    let names = vec![
        ("localhost", "127.0.0.1"),
        ("metadata.google.internal", "127.0.0.1"),
        ("router.lan", "127.0.0.1"),
        ("rebind.example", "127.0.0.1"),
        ("mapped.example", "::ffff:127.0.0.1"),
        ("zero.example", "0.0.0.0"),
        ("six.example", "::1"),
    ];
    let config = format!("[outbound]\nprivate_hosts = [\"127.0.0.1:{}\"]\n", upstream.port());
    let fixture = Fixture::set_up(Setup { config, names, ..Setup::default() }).await;
    fixture.ask("PUT", "/api/v1/secrets/WEATHER_KEY", json!({"value": SECRET})).await;
    let leading = ["rebind.example", "mapped.example", "zero.example", "six.example"];
    let targets: Vec<&str> = SPELLINGS.iter().chain(&INSIDE).chain(&leading).copied().collect();
    assert!(targets.len() >= 40, "{}", targets.len());
    let port = canary.port();
    let own = own(&upstream);
    for target in targets {
        let there = format!("{target}:{port}");
        let direct = call(&fixture, asking(&format!("http://{there}/latest"), &[&there]), json!({})).await;
        let said = failure(&direct);
        assert!(said.contains("not a public address") || said.contains("Satchel itself"), "{target}: {said}");

        let from = asking(&format!("http://{own}/"), &[&own, &there]);
        let led = async {
            let mut call = upstream.call().await;
            call.send(&format!(
                "HTTP/1.1 302 Found\r\nLocation: http://{there}/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ))
            .await;
        };
        let (redirected, ()) = tokio::join!(call(&fixture, &from, json!({})), led);
        let said = failure(&redirected);
        assert!(said.contains("not a public address") || said.contains("Satchel itself"), "{target}: {said}");

        let unlisted = asking(&format!("http://{own}/"), &[&own]);
        let led = async {
            let mut call = upstream.call().await;
            call.send(&format!(
                "HTTP/1.1 307 Elsewhere\r\nLocation: http://{there}/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ))
            .await;
        };
        let (redirected, ()) = tokio::join!(call(&fixture, &unlisted, json!({})), led);
        assert!(failure(&redirected).contains("allowedHosts"), "{target}: {}", failure(&redirected));
    }
    canary.is_untouched();
}

/// R092: the server reads the list itself, whatever the page thinks of it.
#[tokio::test]
async fn the_server_checks_the_list_too() {
    let fixture = Fixture::start().await;
    let answer = call(&fixture, asking("https://evil.example/", &["good.example"]), json!({})).await;
    assert_eq!((answer.status, answer.problem()), (StatusCode::BAD_REQUEST, ProblemCode::BadRequest));
    assert!(answer.text().contains("the host evil.example is not among allowedHosts"), "{}", answer.text());
    let in_host = json!({"allowedHosts": ["good.example"], "request": {"urlTemplate": "https://${city}.example/"}});
    let said = failure(&call(&fixture, &in_host, json!({"city": "evil"})).await);
    assert_eq!(said, "the host evil.example is not among the tool's allowedHosts");
}

/// The server itself is not asked, even where its own address is listed.
#[tokio::test]
async fn the_server_does_not_ask_itself() {
    let config = "[outbound]\nprivate_hosts = [\"127.0.0.1\"]\n".to_owned();
    let fixture = Fixture::set_up(Setup { config, ..Setup::default() }).await;
    let definition =
        json!({"allowedHosts": ["127.0.0.1:8787"], "request": {"urlTemplate": "http://127.0.0.1:8787/api/v1/secrets"}});
    let said = failure(&call(&fixture, &definition, json!({})).await);
    assert_eq!(said, "this is the address of Satchel itself, which no tool may reach");
}

/// R093: a host that is busy for a moment is asked again, as it wishes.
#[tokio::test]
async fn a_busy_host_is_asked_again() {
    let upstream = Upstream::start().await;
    let fixture = with_host(&upstream).await;
    let host = own(&upstream);
    let mut definition = asking(&format!("http://{host}/"), &[&host]);
    definition["maxRetries"] = json!(2);
    let there = async {
        let mut call = upstream.call().await;
        call.send("HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
        let begun = Instant::now();
        let mut call = upstream.call().await;
        let waited = begun.elapsed();
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok").await;
        waited
    };
    let (answer, waited) = tokio::join!(call(&fixture, &definition, json!({})), there);
    assert_eq!(end(&answer).1, b"ok");
    assert!(waited >= Duration::from_millis(950), "{waited:?}");
}

/// The whole has a limit too.
#[tokio::test]
async fn a_call_ends_with_its_time() {
    let upstream = Upstream::start().await;
    let fixture = with_host(&upstream).await;
    let host = own(&upstream);
    let body = json!({"definition": asking(&format!("http://{host}/"), &[&host]), "declared": [], "arguments": {}, "time_limit_ms": 300});
    let there = async {
        let mut call = upstream.call().await;
        call.is_left().await;
    };
    let (answer, ()) = tokio::join!(fixture.ask("POST", "/api/v1/http-tools/call", body), there);
    assert_eq!(end(&answer).0, HttpToolEnd::TimedOut);
}
