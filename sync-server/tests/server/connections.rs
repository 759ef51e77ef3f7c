//! Real sockets on loopback: what only a connection can show.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use satchel_server::config::TlsFiles;
use satchel_server::server::{self, ListenError, Listeners};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::TlsConnector;

use crate::fixture::{Fixture, HOST};
use crate::sockets::{Running, read_all, send};

#[tokio::test]
async fn a_plain_connection_is_answered_and_kept() {
    let fixture = Fixture::start().await;
    let server = Running::start(fixture.router.clone(), None).await;
    let mut stream = server.connect().await;
    send(&mut stream, &format!("GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n\r\n")).await;
    send(&mut stream, &format!("GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n")).await;
    let text = read_all(&mut stream).await;
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
}

/// C44
#[tokio::test]
async fn a_large_body_for_the_local_api_is_answered_before_it_is_sent() {
    let fixture = Fixture::start().await;
    let server = Running::start(fixture.router.clone(), None).await;
    let mut stream = server.connect().await;
    let head = format!("POST /local/toolsets/import HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 1000000000\r\n\r\n");
    send(&mut stream, &head).await;
    let text = read_all(&mut stream).await;
    assert!(text.starts_with("HTTP/1.1 404 Not Found"), "{text}");
}

#[tokio::test]
async fn a_request_without_a_host_is_refused() {
    let fixture = Fixture::start().await;
    let server = Running::start(fixture.router.clone(), None).await;
    for head in ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"] {
        let mut stream = server.connect().await;
        send(&mut stream, head).await;
        let text = read_all(&mut stream).await;
        assert!(text.contains(" 421 "), "{text}");
    }
    assert_eq!(fixture.state.handled(), 0);
}

/// R323
#[tokio::test]
async fn https_is_spoken_with_certificate_and_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let issued = rcgen::generate_simple_self_signed(vec!["satchel.test".to_owned()]).expect("a certificate");
    let files = TlsFiles { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
    std::fs::write(&files.certificate, issued.cert.pem()).expect("writes");
    std::fs::write(&files.key, issued.signing_key.serialize_pem()).expect("writes");

    let fixture = Fixture::start().await;
    let acceptor = server::acceptor(&files).expect("a sound pair");
    let running = Running::start(fixture.router.clone(), Some(acceptor)).await;
    let mut stream = connect_tls(&running, issued.cert.der().clone()).await;
    send(&mut stream, &format!("GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n")).await;
    let text = read_all(&mut stream).await;
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.ends_with("ok"), "{text}");
}

async fn connect_tls(running: &Running, root: CertificateDer<'static>) -> impl AsyncRead + AsyncWrite + Unpin + use<> {
    let mut roots = RootCertStore::empty();
    roots.add(root).expect("a root");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("satchel.test").expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, running.connect().await).await.expect("shakes hands")
}

/// R323
#[test]
fn a_certificate_that_cannot_be_used_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let pair = |name: &str| rcgen::generate_simple_self_signed(vec![name.to_owned()]).expect("a certificate");
    let (one, other) = (pair("one.test"), pair("other.test"));
    let files = TlsFiles { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
    let check = |certificate: &str, key: &str, expected: &str| {
        std::fs::write(&files.certificate, certificate).expect("writes");
        std::fs::write(&files.key, key).expect("writes");
        let error = server::acceptor(&files).err().expect("is refused").to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("", &one.signing_key.serialize_pem(), "cannot read a certificate");
    check(&one.cert.pem(), "no key", "cannot read a private key");
    check(&one.cert.pem(), &other.signing_key.serialize_pem(), "cannot be used together");
}

#[tokio::test]
async fn a_taken_port_is_said() {
    let taken = Listeners::bind("127.0.0.1:0".parse().expect("an address")).await.expect("listens");
    let error = Listeners::bind(taken.address()).await.expect_err("is taken");
    assert!(matches!(error, ListenError::Taken(address) if address == taken.address()));
}

#[tokio::test]
async fn stopping_lets_a_request_end_and_closes_idle_connections() {
    let (arrived, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = {
        let (arrived, release) = (Arc::clone(&arrived), Arc::clone(&release));
        move || async move {
            arrived.notify_one();
            release.notified().await;
            "finished"
        }
    };
    let server = Running::start(Router::new().route("/slow", get(handler)), None).await;
    let (mut idle, mut busy) = (server.connect().await, server.connect().await);
    send(&mut busy, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").await;
    arrived.notified().await;

    server.stop.send(()).await.expect("asks");
    assert_eq!(read_all(&mut idle).await, "");
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody listens any more");
    assert!(!server.task.is_finished());
    release.notify_one();
    let text = read_all(&mut busy).await;
    assert!(text.ends_with("finished"), "{text}");
    server.task.await.expect("ends in peace");
}

#[tokio::test]
async fn asked_twice_to_stop_it_cuts_off() {
    let arrived = Arc::new(Notify::new());
    let handler = {
        let arrived = Arc::clone(&arrived);
        move || async move {
            arrived.notify_one();
            std::future::pending::<()>().await;
        }
    };
    let server = Running::start(Router::new().route("/never", get(handler)), None).await;
    let mut stream = server.connect().await;
    send(&mut stream, "GET /never HTTP/1.1\r\nHost: x\r\n\r\n").await;
    arrived.notified().await;
    server.stop.send(()).await.expect("asks");
    server.stop.send(()).await.expect("asks again");
    server.task.await.expect("ends at once");
}
