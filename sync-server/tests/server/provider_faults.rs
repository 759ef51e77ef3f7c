//! F15, the server's half: a provider on its bad days, again and again, behind the program itself. What it sent arrives as it sent it, it
//! is left at once when its client leaves, and the program's memory does not grow. What a chat makes of such days is shown in a browser.

#![cfg(target_os = "linux")]

use std::fs;
use std::time::Duration;

use tokio::net::TcpStream;

use crate::chat::STREAM;
use crate::program::{Folder, Server};
use crate::sockets::{Client, Upstream};

/// `cargo xtask faults provider` asks for more.
const ROUNDS: usize = 140;
/// Rounds after which everything that is kept for good has been made.
const WARM_UP: usize = 70;
/// How much larger the program may be afterwards. Pages come and go; a thousand rounds that leave 5 KB each would be more.
const GROWTH_KIB: u64 = 4 * 1024;

/// A line of 10 MB.
const LONG: usize = 10 << 20;
/// A piece that ends inside a character, inside a text, inside an object.
const CUT: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Z\xc3";
/// Bytes that are no text in any way.
const NO_TEXT: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\xc3\x28\"}}]}\n\n";

/// What a provider may do.
#[derive(Clone, Copy, Debug)]
enum Day {
    CutInToken,
    LongLine,
    NoText,
    Stall,
    TooMany,
    Broken,
    ClientLeaves,
}

const DAYS: [Day; 7] =
    [Day::CutInToken, Day::LongLine, Day::NoText, Day::Stall, Day::TooMany, Day::Broken, Day::ClientLeaves];

/// One round; how long it took to leave the provider, where that was what happened.
async fn live_through(day: Day, server: &Server, upstream: &Upstream) -> Option<Duration> {
    let stream = TcpStream::connect(("127.0.0.1", server.port)).await.expect("connects");
    let host = format!("127.0.0.1:{}", server.port);
    let mut client = Client::ask(stream, &host, &format!("Bearer {}", server.token), "local", "{}").await;
    let mut call = upstream.call().await;
    match day {
        Day::CutInToken => {
            call.send(STREAM).await;
            call.send_chunk(CUT).await;
            client.head().await;
            assert_eq!(client.body(CUT.len()).await, CUT);
            drop(call);
            assert_eq!(client.rest().await, "", "an answer that was cut off has no end");
            None
        }
        Day::LongLine => {
            let line = [b"data: ".as_slice(), &vec![b'x'; LONG]].concat();
            call.send(STREAM).await;
            client.head().await;
            let (arrived, ()) = tokio::join!(client.body(line.len()), call.send_chunk(&line));
            assert!(arrived == line, "a long line arrives as it is");
            None
        }
        Day::NoText => {
            call.send(STREAM).await;
            call.send_chunk(NO_TEXT).await;
            client.head().await;
            assert_eq!(client.body(NO_TEXT.len()).await, NO_TEXT);
            None
        }
        Day::Stall => {
            call.send(STREAM).await;
            call.send_chunk(CUT).await;
            client.head().await;
            client.body(CUT.len()).await;
            drop(client);
            Some(call.is_left_at_once().await)
        }
        Day::TooMany | Day::Broken => {
            let status =
                if matches!(day, Day::TooMany) { "429 Too Many Requests" } else { "500 Internal Server Error" };
            call.send(&format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}")).await;
            let head = client.head().await;
            assert!(head.starts_with(&format!("http/1.1 {}", status.to_ascii_lowercase())), "{head}");
            None
        }
        Day::ClientLeaves => {
            drop(client);
            Some(call.is_left_at_once().await)
        }
    }
}

/// F15
#[tokio::test]
async fn bad_days_of_a_provider_leave_nothing_behind() {
    let rounds = std::env::var("SATCHEL_FAULT_ROUNDS").map_or(ROUNDS, |text| text.parse().expect("a number"));
    let upstream = Upstream::start().await;
    let folder = Folder::new();
    fs::create_dir_all(folder.path()).expect("makes");
    fs::write(folder.path().join("satchel.toml"), upstream.provider("local", "openai")).expect("writes");
    let server = Server::start(&folder, &["--log", "off"]);

    let (mut settled, mut slowest) = (0, Duration::ZERO);
    for round in 0..rounds {
        if round == WARM_UP {
            settled = resident_kib(server.process_id());
        }
        let left = live_through(DAYS[round % DAYS.len()], &server, &upstream).await;
        slowest = slowest.max(left.unwrap_or_default());
    }
    let after = resident_kib(server.process_id());
    println!(
        "{rounds} rounds, the provider left after {slowest:?} at most, {settled} KiB at first and {after} KiB at the end"
    );
    assert!(settled > 0, "there were rounds enough to settle");
    assert!(after < settled + GROWTH_KIB, "{settled} KiB have become {after} KiB");
}

/// What a process has in memory.
fn resident_kib(process_id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process_id}/status")).expect("the process is there");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory is told");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
