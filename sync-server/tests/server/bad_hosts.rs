//! Hosts that behave badly while an HTTP tool asks them: each is left, with a sentence, and soon.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::http_tools::{asking, call, failure, own, with_host};
use crate::sockets::{Caller, Upstream};

/// Longest that any of this may take on a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// A host, and a server that may ask it.
struct Scene {
    upstream: Upstream,
    fixture: Fixture,
    host: String,
}

impl Scene {
    async fn set() -> Self {
        let upstream = Upstream::start().await;
        let (fixture, host) = (with_host(&upstream).await, own(&upstream));
        Self { upstream, fixture, host }
    }

    /// The failure of a call while the host does its worst.
    async fn told(&self, more: Value, worst: impl AsyncFnOnce(Caller)) -> String {
        let mut definition = asking(&format!("http://{}/", self.host), &[&self.host]);
        definition["request"]["timeoutMS"] = json!(500);
        for (key, value) in more.as_object().expect("is a map") {
            definition[key] = value.clone();
        }
        let begun = Instant::now();
        let there = async { worst(self.upstream.call().await).await };
        let (answer, ()) = tokio::join!(call(&self.fixture, definition, json!({})), there);
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        failure(&answer)
    }
}

#[tokio::test]
async fn one_that_stalls_is_left() {
    let scene = Scene::set().await;
    let told = scene.told(json!({}), async |mut call: Caller| {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf").await;
        call.is_left().await;
    });
    assert_eq!(told.await, format!("{} did not answer completely within 500 ms", scene.host));
}

#[tokio::test]
async fn one_that_promises_a_gigabyte_is_left_at_once() {
    let scene = Scene::set().await;
    let told = scene.told(json!({"maxResponseBytes": 1000}), async |mut call: Caller| {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\nxxxx").await;
        call.is_left().await;
    });
    assert_eq!(told.await, format!("the answer of {} is larger than 1000 bytes", scene.host));
}

/// It says nothing of how much, and sends for as long as anybody reads.
#[tokio::test]
async fn one_that_sends_a_gigabyte_is_left_long_before_its_end() {
    let scene = Scene::set().await;
    let told = scene.told(json!({"maxResponseBytes": 1_000_000}), async |mut call: Caller| {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await;
        let sent = call.send_chunks_until_left(&[b'x'; 64 << 10], 1 << 30).await;
        assert!(sent < 64 << 20, "{sent} bytes were taken");
    });
    assert_eq!(told.await, format!("the answer of {} is larger than 1000000 bytes", scene.host));
}

#[tokio::test]
async fn one_that_resets_is_told() {
    let scene = Scene::set().await;
    let told = scene.told(json!({}), async |call: Caller| drop(call)).await;
    assert!(told.contains("broke before there was an answer"), "{told}");
}

#[tokio::test]
async fn one_that_speaks_no_http_is_told() {
    let scene = Scene::set().await;
    let told = scene.told(json!({}), async |mut call: Caller| call.send("what? ${WEATHER_KEY}\r\n\r\n").await).await;
    assert!(told.contains("broke before there was an answer"), "{told}");
}

#[tokio::test]
async fn one_that_redirects_in_a_loop_is_followed_five_times() {
    const ON: &str = "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let scene = Scene::set().await;
    let told = scene.told(json!({}), async |mut call: Caller| {
        call.send(ON).await;
        for _ in 0..5 {
            scene.upstream.call().await.send(ON).await;
        }
    });
    assert_eq!(told.await, format!("{} redirects more than 5 times", scene.host));
}

/// What is no JSON although it says so stops a sequence before the next request; what it is at the end of one is core's to judge.
#[tokio::test]
async fn one_that_sends_malformed_json_stops_a_sequence() {
    let scene = Scene::set().await;
    let asked = |path: &str| json!({"urlTemplate": format!("http://{}/{path}", scene.host)});
    let steps =
        json!([{"name": "first", "request": asked("")}, {"name": "second", "request": asked("${steps.first.id}")}]);
    let told = scene.told(json!({"request": null, "steps": steps}), async |mut call: Caller| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
        call.send(&format!("{head}Content-Length: 9\r\n\r\n{{\"id\": 1,")).await;
    });
    let told = told.await;
    assert!(told.contains("cannot be read as JSON") || told.contains("JSON"), "{told}");
}
