//! Both ends of a server on loopback: itself on a port, a client, and a provider whose every step the test decides.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use satchel_server::config::Limits;
use satchel_server::server::{self, Listeners};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::fixture::{Fixture, HOST};

/// Long enough for a busy machine; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for something that has to happen.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("waited in vain: {what}"))
}

/// A server on a free port.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stop: mpsc::Sender<()>,
    pub(crate) task: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start(app: Router, tls: Option<TlsAcceptor>) -> Self {
        let listeners = Listeners::bind("127.0.0.1:0".parse().expect("an address")).await.expect("listens");
        let address = listeners.address();
        let (stop, mut stops) = mpsc::channel(2);
        let asked = async move || assert!(stops.recv().await.is_some(), "the test holds the sender");
        let task = tokio::spawn(async move { server::run(listeners, tls, &Limits::default(), app, asked).await });
        Self { address, stop, task }
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("connects")
    }
}

pub(crate) async fn send(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    stream.write_all(text.as_bytes()).await.expect("sends");
    stream.flush().await.expect("sends");
}

/// Everything until the other side closes the connection.
pub(crate) async fn read_all(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("reads");
    text
}

/// A provider on loopback.
pub(crate) struct Upstream {
    listener: TcpListener,
}

/// A request that has arrived at a provider, and the connection to answer on.
pub(crate) struct Caller<S = TcpStream> {
    stream: S,
    /// First line and headers, as they were sent.
    pub(crate) head: String,
    /// The body, as it was sent.
    pub(crate) body: Vec<u8>,
}

impl Upstream {
    pub(crate) async fn start() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.expect("listens") }
    }

    pub(crate) fn port(&self) -> u16 {
        self.listener.local_addr().expect("is bound").port()
    }

    /// The part of a `satchel.toml` that makes it a provider.
    pub(crate) fn provider(&self, name: &str, format: &str) -> String {
        let base_url = format!("http://127.0.0.1:{}", self.port());
        format!("[[provider]]\nname = \"{name}\"\nbase_url = \"{base_url}\"\nformat = \"{format}\"\n")
    }

    pub(crate) async fn connection(&self) -> TcpStream {
        soon("a connection to the provider", self.listener.accept()).await.expect("accepts").0
    }

    /// The next request, on a connection of its own.
    pub(crate) async fn call(&self) -> Caller {
        Caller::read(self.connection().await).await
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Caller<S> {
    pub(crate) async fn read(mut stream: S) -> Self {
        let mut bytes = Vec::new();
        let head_end = loop {
            if let Some(end) = position(&bytes, b"\r\n\r\n") {
                break end;
            }
            let mut piece = [0; 4096];
            let read = soon("a request", stream.read(&mut piece)).await.expect("reads");
            assert!(read > 0, "the request broke off: {}", String::from_utf8_lossy(&bytes));
            bytes.extend_from_slice(&piece[..read]);
        };
        let mut body = bytes.split_off(head_end + 4);
        let head = String::from_utf8(bytes).expect("text");
        let length = header(&head, "content-length").map_or(0, |text| text.parse().expect("a number"));
        let missing = length - body.len();
        let before = body.len();
        body.resize(length, 0);
        soon("the body of a request", stream.read_exact(&mut body[before..before + missing])).await.expect("reads");
        Self { stream, head, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    pub(crate) async fn send(&mut self, text: &str) {
        send(&mut self.stream, text).await;
    }

    /// Sends one chunk of a chunked body.
    pub(crate) async fn send_chunk(&mut self, piece: &[u8]) {
        self.send(&format!("{:x}\r\n", piece.len())).await;
        self.stream.write_all(piece).await.expect("sends");
        self.send("\r\n").await;
    }

    /// Sends chunks until the other side has left or all is sent; how many bytes were taken.
    pub(crate) async fn send_chunks_until_left(&mut self, piece: &[u8], all: u64) -> u64 {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        let mut sent = 0;
        while sent < all && soon("somebody to read or to leave", self.stream.write_all(&chunk)).await.is_ok() {
            sent += piece.len() as u64;
        }
        sent
    }

    /// Sees the other side close the connection, because somebody has left just now, within the second that is promised (F15).
    pub(crate) async fn is_left_at_once(&mut self) -> Duration {
        let left = Instant::now();
        self.is_left().await;
        let took = left.elapsed();
        assert!(took < Duration::from_secs(1), "the provider was left after {took:?}");
        took
    }

    /// Sees the other side close the connection.
    pub(crate) async fn is_left(&mut self) {
        let mut byte = [0; 1];
        // An end or a reset: either way nobody is there any more.
        let read = soon("the server to leave the provider", self.stream.read(&mut byte)).await;
        assert!(matches!(read, Ok(0) | Err(_)), "the provider got more of a request");
    }
}

/// A client of the server with one request on one connection.
pub(crate) struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Client {
    /// Sends a request for an answer of a model.
    pub(crate) async fn chat(running: &Running, fixture: &Fixture, provider: &str, body: &str) -> Self {
        Self::ask(running.connect().await, HOST, &fixture.bearer(), provider, body).await
    }

    /// The same on a connection to any server, which goes by a name of its own.
    pub(crate) async fn ask(mut stream: TcpStream, host: &str, bearer: &str, provider: &str, body: &str) -> Self {
        let head = format!(
            "POST /api/v1/providers/{provider}/chat HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        send(&mut stream, &head).await;
        send(&mut stream, body).await;
        Self { stream, unread: Vec::new() }
    }

    /// First line and headers of the answer.
    pub(crate) async fn head(&mut self) -> String {
        let end = self.until(b"\r\n\r\n").await;
        let rest = self.unread.split_off(end + 4);
        let head = std::mem::replace(&mut self.unread, rest);
        String::from_utf8(head).expect("text").to_ascii_lowercase()
    }

    /// So many bytes of a chunked body; how they were cut into chunks does not matter.
    pub(crate) async fn body(&mut self, bytes: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < bytes {
            let chunk = self.chunk().await;
            assert!(!chunk.is_empty(), "the body ended after {} of {bytes} bytes", body.len());
            body.extend(chunk);
        }
        body
    }

    /// The next chunk; an empty one is the last.
    pub(crate) async fn chunk(&mut self) -> Vec<u8> {
        let end = self.until(b"\r\n").await;
        let length = std::str::from_utf8(&self.unread[..end]).expect("text");
        let length = usize::from_str_radix(length, 16).expect("a length");
        self.unread.drain(..end + 2);
        while self.unread.len() < length + 2 {
            self.more().await;
        }
        let chunk = self.unread.drain(..length).collect();
        self.unread.drain(..2);
        chunk
    }

    /// Everything until the server closes the connection.
    pub(crate) async fn rest(mut self) -> String {
        soon("the server to close the connection", self.stream.read_to_end(&mut self.unread)).await.expect("reads");
        String::from_utf8(self.unread).expect("text")
    }

    async fn until(&mut self, mark: &[u8]) -> usize {
        loop {
            match position(&self.unread, mark) {
                Some(end) => return end,
                None => self.more().await,
            }
        }
    }

    async fn more(&mut self) {
        let mut piece = [0; 4096];
        let read = soon("an answer", self.stream.read(&mut piece)).await.expect("reads");
        assert!(read > 0, "the answer broke off: {}", String::from_utf8_lossy(&self.unread));
        self.unread.extend_from_slice(&piece[..read]);
    }
}

fn position(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.split_once(':').filter(|(found, _)| found.eq_ignore_ascii_case(name));
    head.lines().find_map(value).map(|(_, value)| value.trim())
}
