//! Requests and answers on one connection that stays open, read byte by byte so that it is known when the first of them came. It speaks the HTTP/1.1
//! of the measured servers and no more.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// No answer takes nearly as long.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// A conversation of ordinary length.
const QUESTION_BYTES: usize = 1_000;

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Exchange {
    stream: TcpStream,
    /// What every request says of itself.
    headers: String,
    question: String,
}

/// What came of a request.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Until the first byte of its body.
    pub(crate) first: Duration,
    /// Until its end.
    pub(crate) whole: Duration,
    pub(crate) body: Vec<u8>,
}

impl Exchange {
    /// Connects to a server that goes by `host` (its address, where that is empty) and wants `token` (none, where that is empty).
    pub(crate) fn open(address: SocketAddr, host: &str, token: &str) -> io::Result<Self> {
        let host = if host.is_empty() { address.to_string() } else { host.to_owned() };
        let content = "x".repeat(QUESTION_BYTES);
        let question = format!(
            "{{\"model\":\"m\",\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"{content}\"}}]}}"
        );
        Self::asking(address, &format!("host: {host}\r\n{}", authorization(token)), question)
    }

    /// Connects to a server that will be asked the same thing again and again, with these headers, each ended by a line's end.
    pub(crate) fn asking(address: SocketAddr, headers: &str, question: String) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(ANSWER_TIME))?;
        stream.set_nodelay(true)?;
        let length = question.len();
        let headers = format!("{headers}content-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        Ok(Self { stream, headers, question })
    }

    /// Asks and waits for the whole answer; anything but 200 is an error.
    pub(crate) fn ask(&mut self, path: &str) -> io::Result<Answer> {
        let request = format!("POST {path} HTTP/1.1\r\n{}{}", self.headers, self.question);
        let started = Instant::now();
        self.stream.write_all(request.as_bytes())?;
        let mut reader = Reader::new(&self.stream);
        let head = reader.head()?.ok_or_else(|| io::Error::other("there was no answer"))?;
        if !head.starts_with("HTTP/1.1 200 ") {
            return Err(io::Error::other(head.lines().next().unwrap_or_default().to_owned()));
        }
        let mut first = None;
        let mut body = Vec::new();
        let mut keep = |piece: &[u8]| {
            first.get_or_insert_with(|| started.elapsed());
            body.extend_from_slice(piece);
        };
        match content_length(&head)? {
            Some(length) => reader.take(length, &mut keep)?,
            None => reader.take_chunks(&mut keep)?,
        }
        let whole = started.elapsed();
        Ok(Answer { first: first.unwrap_or(whole), whole, body })
    }
}

impl Answer {
    /// How many events it has, where it is a stream.
    pub(crate) fn frames(&self) -> usize {
        self.body.windows(2).filter(|pair| pair == b"\n\n").count()
    }
}

/// The header that a token is sent in; nothing where there is none.
pub(crate) fn authorization(token: &str) -> String {
    if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") }
}

/// Asks once, on a connection of its own: the head of the answer, whatever it says, and its body.
pub(crate) fn ask_once(address: SocketAddr, line: &str, headers: &str, body: &str) -> io::Result<(String, Vec<u8>)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(ANSWER_TIME))?;
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nhost: {address}\r\n{headers}content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes())?;
    let mut reader = Reader::new(&stream);
    let head = reader.head()?.ok_or_else(|| io::Error::other("there was no answer"))?;
    // What is left is the body, chunks or not: whoever reads it looks for words in it.
    let mut body = reader.unread;
    stream.read_to_end(&mut body)?;
    Ok((head, body))
}

/// Reads messages from one end of a connection.
pub(crate) struct Reader<'stream> {
    stream: &'stream TcpStream,
    unread: Vec<u8>,
}

impl<'stream> Reader<'stream> {
    pub(crate) fn new(stream: &'stream TcpStream) -> Self {
        Self { stream, unread: Vec::new() }
    }

    /// First line and headers; none when the other end has closed the connection.
    pub(crate) fn head(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = self.unread.drain(..end + 4).collect();
                return String::from_utf8(head).map(Some).map_err(io::Error::other);
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    /// The body that a head promises.
    pub(crate) fn body(&mut self, head: &str) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        self.take(content_length(head)?.unwrap_or_default(), &mut |piece| body.extend_from_slice(piece))?;
        Ok(body)
    }

    fn take(&mut self, mut length: usize, keep: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        while length > 0 {
            if self.unread.is_empty() && !self.more()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let piece = self.unread.len().min(length);
            keep(&self.unread[..piece]);
            self.unread.drain(..piece);
            length -= piece;
        }
        Ok(())
    }

    fn take_chunks(&mut self, keep: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        loop {
            let Some(end) = self.unread.windows(2).position(|window| window == b"\r\n") else {
                if self.more()? {
                    continue;
                }
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            let size = String::from_utf8_lossy(&self.unread[..end]).into_owned();
            let size = usize::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
            self.unread.drain(..end + 2);
            self.take(size, keep)?;
            self.take(2, &mut |_| {})?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    /// Whether there was more to read.
    fn more(&mut self) -> io::Result<bool> {
        let mut piece = [0; 16 * 1024];
        let read = self.stream.read(&mut piece)?;
        self.unread.extend_from_slice(&piece[..read]);
        Ok(read > 0)
    }
}

fn content_length(head: &str) -> io::Result<Option<usize>> {
    let value = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().to_owned())
    };
    head.lines().find_map(value).map(|value| value.parse().map_err(io::Error::other)).transpose()
}
