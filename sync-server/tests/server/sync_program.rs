//! What the operator says about sync, with the program itself: accounts, devices, backups put back; and a server that is killed.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use rusqlite::Connection;
use satchel_core::ids::DeviceId;
use satchel_core::protocol::{SyncAnswer, SyncAsk, SyncKeyId, SyncRequest, frame_sync, unframe_sync};

use crate::program::{Folder, Server, check_failure, run, text};

const DEVICE: &str = "0198c5a4-7c1e-7000-8000-0000000000d1";

/// Asks a running server; none where it did not answer.
fn try_ask(server: &Server, token: &str, request: SyncRequest, beside: &[Vec<u8>]) -> Option<SyncAnswer> {
    let device = DeviceId::parse(DEVICE).expect("is a UUID");
    let body = frame_sync(&SyncAsk { device, key: SyncKeyId::new([1; 32]), epoch: None, request }, beside);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).ok()?;
    let head = format!(
        "POST /api/v1/sync HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        server.port,
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let at = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    unframe_sync(&answer[at + 4..]).ok().map(|(answer, _)| answer)
}

fn ask(server: &Server, request: SyncRequest, beside: &[Vec<u8>]) -> SyncAnswer {
    try_ask(server, &server.token, request, beside).expect("answers")
}

fn said(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).trim_end().to_owned()
}

#[test]
fn accounts_are_added_beside_a_running_server() {
    let folder = Folder::new();
    let (server, data) = (Server::start(&folder, &[]), folder.argument());
    let token = said(&["account", "add", "--data", &data, "you"]);
    assert!(server.get("/api/v1/policy", &token).contains("\"name\":\"you\""));
    assert!(server.get("/api/v1/policy", &server.token).contains("\"name\":\"me\""));
    check_failure(&["account", "add", "--data", &data, "you"], 2, &["there is already an account \"you\""]);
    check_failure(&["account", "add", "--data", &data, ""], 2, &["an account's name has 1 to 64 characters"]);
    assert_eq!(folder.token(), server.token, "the first account's token is what it was");

    let new = said(&["token", "--new", "--data", &data, "you"]);
    assert_ne!(new, token);
    assert!(server.get("/api/v1/policy", &token).starts_with("HTTP/1.1 401 "), "the old one is refused");
    assert!(server.get("/api/v1/policy", &new).starts_with("HTTP/1.1 200 OK"));
    assert!(server.get("/api/v1/policy", &server.token).starts_with("HTTP/1.1 200 OK"), "of nobody else");
    assert_eq!(said(&["token", "--data", &data, "me"]), server.token, "the first account has a name too");
    check_failure(&["token", "--data", &data, "you"], 2, &["only its hash is kept", "--new"]);
    check_failure(&["token", "--new", "--data", &data, "them"], 2, &["no account \"them\"; there are me, you"]);
}

/// R325
#[test]
fn a_device_is_shut_out_by_the_operator() {
    let folder = Folder::new();
    let (server, data) = (Server::start(&folder, &[]), folder.argument());
    assert_eq!(said(&["device", "list", "--data", &data]), "no devices sync");
    assert!(matches!(ask(&server, SyncRequest::Begin, &[]), SyncAnswer::Status(_)));
    let listed = said(&["device", "list", "--data", &data]);
    assert!(listed.starts_with(&format!("{DEVICE}  me  active  last seen 20")), "{listed}");
    let other = "0198c5a4-7c1e-7000-8000-0000000000d2";
    check_failure(&["device", "revoke", "--data", &data, other], 2, &["there is no device", "satchel device list"]);
    check_failure(&["device", "revoke", "--data", &data, "mine"], 2, &["not a device id", "satchel device list"]);
    assert_eq!(said(&["device", "revoke", "--data", &data, DEVICE]), format!("{DEVICE} is revoked"));
    assert_eq!(ask(&server, SyncRequest::Status, &[]), SyncAnswer::Revoked);
    assert!(said(&["device", "list", "--data", &data]).contains("revoked 20"));
}

/// F5: a backup is put back while no server runs; what was there is kept, and every log begins another life.
#[test]
fn a_backup_is_put_back() {
    let folder = Folder::new();
    let (data, file) = (folder.argument(), folder.path().join("copy.db"));
    let copy = file.display().to_string();
    check_failure(&["restore", "--data", &data, &copy], 2, &["there is no backup at", "satchel backup"]);
    let server = Server::start(&folder, &[]);
    let push = |server: &Server, sequence| {
        ask(server, SyncRequest::Push { sequence, names: vec![] }, &[vec![u8::try_from(sequence).expect("is small")]])
    };
    let status = |server: &Server| match ask(server, SyncRequest::Begin, &[]) {
        SyncAnswer::Status(status) => status,
        other => panic!("{other:?}"),
    };
    let before = status(&server);
    assert_eq!(push(&server, 1), SyncAnswer::Pushed { position: 1 });
    said(&["backup", "--data", &data, &copy]);
    assert_eq!(push(&server, 2), SyncAnswer::Pushed { position: 2 });
    check_failure(&["restore", "--data", &data, &copy], 1, &["another satchel server is using the data folder"]);
    assert_eq!(status(&server).head, 2, "nothing was touched");
    drop(server);

    std::fs::write(folder.path().join("diary"), "not a database at all, but quite long: ".repeat(99)).expect("writes");
    let diary = folder.path().join("diary").display().to_string();
    check_failure(&["restore", "--data", &data, &diary], 2, &["is not a sound backup"]);
    let restored = said(&["restore", "--data", &data, &copy]);
    assert!(restored.contains("satchel.db.before-restore-"), "{restored}");
    let server = Server::start(&folder, &[]);
    let after = status(&server);
    assert_eq!((after.head, after.sequence), (1, 1));
    assert_ne!(after.epoch, before.epoch);
}

/// F9: a server that is killed in the middle of writing has, when it starts again, everything that it had acknowledged, and a sound database.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_server_has_what_it_acknowledged() {
    let times: u64 = std::env::var("SATCHEL_FAULT_ROUNDS").ok().and_then(|times| times.parse().ok()).unwrap_or(4);
    let folder = Folder::new();
    let mut acknowledged = 0;
    for round in 0..times {
        let server = Server::start(&folder, &[]);
        let SyncAnswer::Status(status) = ask(&server, SyncRequest::Begin, &[]) else { panic!("no status") };
        assert!(status.sequence >= acknowledged, "{} of {acknowledged} are there", status.sequence);
        acknowledged = status.sequence;
        let process = server.process_id().to_string();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(5 + round * 7 % 60));
                std::process::Command::new("kill").args(["-KILL", &process]).status().expect("runs");
            });
            loop {
                let push = SyncRequest::Push { sequence: acknowledged + 1, names: vec![] };
                match try_ask(&server, &server.token, push, &[vec![7; 20_000]]) {
                    Some(SyncAnswer::Pushed { .. }) => acknowledged += 1,
                    Some(other) => panic!("{other:?}"),
                    None => break,
                }
            }
        });
    }
    let database = Connection::open(folder.path().join("satchel.db")).expect("opens");
    let sound: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("checks");
    let (count, last): (u64, u64) = database
        .query_row("SELECT count(*), max(position) FROM sync_changes", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("counts");
    assert_eq!(sound, "ok");
    assert!(count >= acknowledged && count == last, "{count} changes, the last is {last}, {acknowledged} acknowledged");
}
