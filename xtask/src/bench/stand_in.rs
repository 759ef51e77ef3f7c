//! A provider of models that costs nothing: what it says is decided beforehand, and it says it at once or at a fixed pace. It stands on this machine, in
//! this process.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use crate::bench::exchange::Reader;

/// Frames of a streamed answer.
pub(crate) const FRAMES: usize = 64;
/// Between two of them, at a pace.
const PACE: Duration = Duration::from_millis(20);
const FRAME: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"four\"}}]}\n\n";
const WHOLE: &str = "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"four\"},\"finish_reason\":\"stop\"}]}";

/// How it answers, by the first part of the path that it is asked under.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Manner {
    /// In one piece, at once.
    Whole,
    /// In frames, at once.
    Quick,
    /// In frames, one every 20 ms.
    Paced,
}

impl Manner {
    pub(crate) const ALL: [Self; 3] = [Self::Whole, Self::Quick, Self::Paced];

    /// Its part of the path, and the name of the provider that a server knows it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Quick => "quick",
            Self::Paced => "paced",
        }
    }

    fn of(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|manner| path.trim_start_matches('/').starts_with(manner.name()))
    }
}

/// Starts it; where it is. It lives as long as the process.
pub(crate) fn start() -> io::Result<SocketAddr> {
    listen(serve)
}

/// Gives every connection to a free port to `serve`, each on a thread of its own; where that is.
pub(crate) fn listen(serve: fn(&TcpStream) -> io::Result<()>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A connection that breaks off is its other end's to notice.
            thread::spawn(move || serve(&connection).is_ok());
        }
    });
    Ok(address)
}

/// The part of a `satchel.toml` that makes it a provider in every manner.
pub(crate) fn providers(address: SocketAddr) -> String {
    let provider = |manner: Manner| {
        let name = manner.name();
        format!(
            "[[provider]]\nname = \"{name}\"\nbase_url = \"http://{address}/{name}\"\nformat = \"openai\"\nmodels = [\"m\"]\n"
        )
    };
    Manner::ALL.map(provider).concat()
}

/// Answers one request after the other.
fn serve(connection: &TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = Reader::new(connection);
    while let Some(head) = reader.head()? {
        reader.body(&head)?;
        let path = head.split(' ').nth(1).unwrap_or_default();
        let manner = Manner::of(path).ok_or_else(|| io::Error::other("asked for nothing it knows"))?;
        answer(connection, manner)?;
    }
    Ok(())
}

fn answer(mut connection: &TcpStream, manner: Manner) -> io::Result<()> {
    if manner == Manner::Whole {
        let length = WHOLE.len();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        return connection.write_all((head + WHOLE).as_bytes());
    }
    connection
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let chunk = format!("{:x}\r\n{FRAME}\r\n", FRAME.len());
    for frame in 0..FRAMES {
        if manner == Manner::Paced && frame > 0 {
            thread::sleep(PACE);
        }
        connection.write_all(chunk.as_bytes())?;
    }
    connection.write_all(b"0\r\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::exchange::Exchange;

    #[test]
    fn it_answers_whole_and_in_frames_on_one_connection() {
        let address = start().expect("listens");
        let mut exchange = Exchange::open(address, "", "").expect("connects");
        let whole = exchange.ask("/whole/chat/completions").expect("answers");
        assert_eq!(whole.body, WHOLE.as_bytes());
        let streamed = exchange.ask("/quick/chat/completions").expect("answers");
        assert_eq!(streamed.body, FRAME.repeat(FRAMES).as_bytes());
        assert_eq!(streamed.frames(), FRAMES);
        assert!(exchange.ask("/other").is_err());
    }
}
