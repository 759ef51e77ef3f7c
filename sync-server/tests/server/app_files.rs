//! The built app as it arrives at a browser: pages, headers, caching, encodings, and what is not there.

use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use futures_util::stream;
use satchel_server::app_files::{AppFiles, AppFilesError, EmbeddedFile};

use crate::fixture::{
    APP_POLICY, CAGE_POLICY, FILES, FRAME_POLICY, Fixture, HOST, compress, description, is_compressed, request,
    write_app,
};

const PAGE: &str = "<!doctype html><title>Satchel</title>";
const SCRIPT: &str = "/app-0123456789abcdef.js";

/// R232
#[tokio::test]
async fn every_address_of_the_app_answers_its_page() {
    let fixture = Fixture::start().await;
    for path in ["/", "/ui", "/ui/", "/ui/chat", "/ui/chat/0198c5a4", "/ui/toolsets?x=y", "/index.html"] {
        let answer = fixture.get(path, &[]).await;
        assert_eq!((answer.status, answer.text()), (StatusCode::OK, PAGE), "{path}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!(answer.header("content-security-policy"), APP_POLICY, "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
    }
}

#[tokio::test]
async fn cage_and_frame_carry_their_own_policies() {
    let fixture = Fixture::start().await;
    assert_eq!(fixture.get("/cage.html", &[]).await.header("content-security-policy"), CAGE_POLICY);
    assert_eq!(fixture.get("/frame.html", &[]).await.header("content-security-policy"), FRAME_POLICY);
    assert_eq!(fixture.get(SCRIPT, &[]).await.header("content-security-policy"), "");
}

#[tokio::test]
async fn the_common_headers_are_on_every_answer() {
    let fixture = Fixture::start().await;
    for path in ["/", SCRIPT, "/nowhere", "/healthz", "/api/v1/policy", "/local/x"] {
        for host in [HOST, "localhost:8787", "evil.example"] {
            let answer = fixture.get(path, &[("host", host)]).await;
            assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path} at {host}");
            assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path} at {host}");
        }
    }
}

#[tokio::test]
async fn compressed_copies_go_to_those_who_take_them() {
    let fixture = Fixture::start().await;
    for (path, content, content_type, _) in FILES {
        let plain = fixture.get(path, &[("accept-encoding", "gzip")]).await;
        assert_eq!((plain.text(), plain.header("content-encoding")), (content, ""), "{path}");
        assert_eq!(plain.header("content-length"), content.len().to_string(), "{path}");

        let answer = fixture.get(path, &[("accept-encoding", "gzip, br")]).await;
        assert_eq!(answer.header("content-type"), content_type, "{path}");
        if is_compressed(path) {
            assert_eq!(answer.body, compress(content), "{path}");
            assert_eq!(answer.header("content-encoding"), "br", "{path}");
            assert_eq!(answer.header("content-length"), answer.body.len().to_string(), "{path}");
            assert_eq!((answer.header("vary"), plain.header("vary")), ("accept-encoding", "accept-encoding"), "{path}");
        } else {
            assert_eq!((answer.text(), answer.header("content-encoding")), (content, ""), "{path}");
        }
    }
}

#[tokio::test]
async fn an_embedded_app_answers_like_one_in_a_folder() {
    let in_folder = Fixture::start().await;
    let file = |(path, content, _, _): (&'static str, &'static str, _, _)| EmbeddedFile {
        path,
        brotli: is_compressed(path),
        bytes: if is_compressed(path) { Vec::leak(compress(content)) } else { content.as_bytes() },
    };
    let files: &'static [EmbeddedFile] = Vec::leak(FILES.map(file).to_vec());
    let embedded = AppFiles::from_embedded(description().as_bytes(), files).expect("loads");
    let embedded = Fixture::with_files(tempfile::tempdir().expect("a folder"), embedded).await;
    for (path, ..) in FILES {
        for encoding in ["identity", "br"] {
            let headers = [("accept-encoding", encoding)];
            let (one, other) = (in_folder.get(path, &headers).await, embedded.get(path, &headers).await);
            assert_eq!((one.status, one.headers, one.body), (other.status, other.headers, other.body), "{path}");
        }
    }
}

#[tokio::test]
async fn hashed_files_are_kept_for_ever_and_others_are_asked_about() {
    let fixture = Fixture::start().await;
    assert_eq!(fixture.get(SCRIPT, &[]).await.header("cache-control"), "public, max-age=31536000, immutable");
    for path in ["/", "/icons/icon.png", "/cage.html", "/satchel-build.json"] {
        assert_eq!(fixture.get(path, &[]).await.header("cache-control"), "no-cache", "{path}");
    }
}

#[tokio::test]
async fn a_known_version_is_not_sent_again() {
    let fixture = Fixture::start().await;
    let first = fixture.get("/", &[]).await;
    assert_eq!(first.header("etag"), "W/\"hash of /index.html\"");
    let again = fixture.get("/ui/chat", &[("if-none-match", first.header("etag")), ("accept-encoding", "br")]).await;
    assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(again.header("etag"), first.header("etag"));
    assert_eq!(again.header("content-security-policy"), APP_POLICY);
    let changed = fixture.get("/", &[("if-none-match", "W/\"of yesterday\"")]).await;
    assert_eq!(changed.status, StatusCode::OK);
}

#[tokio::test]
async fn head_says_what_get_would() {
    let fixture = Fixture::start().await;
    for path in ["/", SCRIPT, "/icons/icon.png"] {
        let (get, head) = (fixture.get(path, &[]).await, fixture.answer(request("HEAD", path, &[])).await);
        assert_eq!((head.status, head.headers, head.body.len()), (get.status, get.headers, 0), "{path}");
    }
}

#[tokio::test]
async fn the_description_is_served_as_it_is() {
    let fixture = Fixture::start().await;
    let answer = fixture.get("/satchel-build.json", &[]).await;
    assert_eq!((answer.text(), answer.header("content-type")), (description().as_str(), "application/json"));
}

#[tokio::test]
async fn who_goes_astray_gets_the_page_and_programs_get_a_problem() {
    let fixture = Fixture::start().await;
    for path in ["/nowhere", "/app-fedcba9876543210.js", "/satchel-build.json.br", "/../Cargo.toml", "/%2e%2e/x", "//"]
    {
        let person = fixture.get(path, &[("accept", "text/html,*/*")]).await;
        assert_eq!((person.status, person.text()), (StatusCode::NOT_FOUND, PAGE), "{path}");
        assert_eq!(person.header("content-security-policy"), APP_POLICY, "{path}");
        let program = fixture.get(path, &[("accept", "*/*")]).await;
        assert_eq!(
            (program.status, program.header("content-type")),
            (StatusCode::NOT_FOUND, "application/json"),
            "{path}"
        );
    }
    let answer = fixture.answer(request("POST", "/ui/chat", &[])).await;
    assert_eq!((answer.status, answer.header("allow")), (StatusCode::METHOD_NOT_ALLOWED, "GET,HEAD"));
}

/// C44
#[tokio::test]
async fn the_local_api_is_not_here_and_bodies_for_it_are_not_read() {
    let fixture = Fixture::start().await;
    for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        for path in ["/local", "/local/", "/local/toolsets/import?replace=true"] {
            let unread = stream::poll_fn(|_| -> std::task::Poll<Option<Result<Bytes, std::io::Error>>> {
                panic!("the body was read")
            });
            let request = Request::builder().method(method).uri(path).header("host", HOST);
            let request = request.header("content-length", 1_000_000_000).header("accept", "text/html");
            let answer = fixture.answer(request.body(Body::from_stream(unread)).expect("a request")).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn without_an_app_its_addresses_say_how_to_build_it() {
    let fixture = Fixture::with_files(tempfile::tempdir().expect("a folder"), AppFiles::none()).await;
    for path in ["/", "/ui/chat", "/index.html"] {
        let answer = fixture.get(path, &[]).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert!(answer.text().contains("cargo xtask build"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    }
    assert_eq!(fixture.get("/healthz", &[]).await.text(), "ok");
}

#[test]
fn a_folder_that_does_not_keep_its_word_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = || AppFiles::from_folder(folder.path()).expect_err("is refused");
    assert!(matches!(load(), AppFilesError::NoApp { .. }));
    write_app(folder.path());
    std::fs::write(folder.path().join("cage.html"), "cut").expect("writes");
    assert!(matches!(load(), AppFilesError::Incomplete(path) if path == "/cage.html"));
}
