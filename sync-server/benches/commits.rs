//! Commits that are acknowledged once they are on the disk, from 32 clients at a time: changes of sync pushed to a running server, against bare
//! rusqlite in the same durability with one commit for each (P14). `cargo xtask bench sync` starts the server and reads what this prints.
//!
//! usage: commits ADDRESS TOKEN FOLDER COMMITS ROUNDS STORED
//! Prints `[{arm: milliseconds, …}, …]`, a round each: what COMMITS of them take where STORED are there before.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::error::Error;
use std::hash::BuildHasher as _;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use rusqlite::Connection;
use satchel_core::ids::DeviceId;
use satchel_core::protocol::{
    SYNC_CONTENT_TYPE, SyncAnswer, SyncAsk, SyncEpoch, SyncKeyId, SyncRequest, frame_sync, unframe_sync,
};

const CLIENTS: usize = 32;
/// Of one sealed change: a message or two.
const SEALED_BYTES: usize = 1_000;

type Failure = Box<dyn Error + Send + Sync>;

/// A device of the account, on a connection that stays open.
struct Client {
    connection: BufReader<TcpStream>,
    head: String,
    device: DeviceId,
    epoch: Option<SyncEpoch>,
    sequence: u64,
}

impl Client {
    fn connect(address: &str, token: &str, number: usize) -> Result<Self, Failure> {
        let connection = TcpStream::connect(address)?;
        connection.set_nodelay(true)?;
        let head = format!(
            "POST /api/v1/sync HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: {SYNC_CONTENT_TYPE}\r\n"
        );
        let device = DeviceId::parse(format!("0198c5a4-7c1e-7000-8000-{number:012}"))?;
        let mut client = Self { connection: BufReader::new(connection), head, device, epoch: None, sequence: 0 };
        match client.ask(SyncRequest::Begin, &[])? {
            SyncAnswer::Status(status) => {
                client.epoch = Some(status.epoch);
                client.sequence = status.sequence;
                Ok(client)
            }
            other => Err(format!("{other:?}").into()),
        }
    }

    fn push(&mut self) -> Result<(), Failure> {
        self.sequence += 1;
        let sealed = vec![self.sequence as u8; SEALED_BYTES];
        match self.ask(SyncRequest::Push { sequence: self.sequence, names: Vec::new() }, &[sealed])? {
            SyncAnswer::Pushed { .. } => Ok(()),
            other => Err(format!("{other:?}").into()),
        }
    }

    fn ask(&mut self, request: SyncRequest, beside: &[Vec<u8>]) -> Result<SyncAnswer, Failure> {
        let key = SyncKeyId::new([7; 32]);
        let ask = SyncAsk { device: self.device.clone(), key, epoch: self.epoch.clone(), request };
        let body = frame_sync(&ask, beside);
        let mut message = format!("{}content-length: {}\r\n\r\n", self.head, body.len()).into_bytes();
        message.extend(body);
        self.connection.get_mut().write_all(&message)?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.connection.read_line(&mut line)? == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        self.connection.read_exact(&mut body)?;
        Ok(unframe_sync::<SyncAnswer>(&body)?.0)
    }
}

/// Has every client do its share of `commits`; how many milliseconds all of them took.
fn together<C: Send>(
    clients: &mut [C],
    commits: usize,
    commit: impl Fn(&mut C) -> Result<(), Failure> + Sync,
) -> Result<f64, Failure> {
    let (share, commit) = (commits / clients.len(), &commit);
    let started = Instant::now();
    thread::scope(|scope| {
        let all: Vec<_> =
            clients.iter_mut().map(|client| scope.spawn(move || (0..share).try_for_each(|_| commit(client)))).collect();
        all.into_iter().try_for_each(|client| client.join().map_err(|_panic| "a client panicked")?)
    })?;
    Ok(started.elapsed().as_secs_f64() * 1_000.0)
}

/// The peer: one connection, one row and one commit for each of its callers.
fn bare(folder: &Path) -> Result<Mutex<Connection>, Failure> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("bare.db");
    for left in ["bare.db", "bare.db-wal", "bare.db-shm"] {
        if folder.join(left).exists() {
            std::fs::remove_file(folder.join(left))?;
        }
    }
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch("CREATE TABLE changes (position INTEGER PRIMARY KEY, device TEXT, sealed BLOB)")?;
    Ok(Mutex::new(connection))
}

fn commit_bare(connection: &Mutex<Connection>, device: usize) -> Result<(), Failure> {
    let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
    let mut statement = connection.prepare_cached("INSERT INTO changes (device, sealed) VALUES (?1, ?2)")?;
    statement.execute((device as i64, vec![0_u8; SEALED_BYTES]))?;
    Ok(())
}

/// The rows that are there before, not measured: in few commits, since that is nothing that is measured.
fn fill_bare(connection: &Mutex<Connection>, stored: usize) -> Result<(), Failure> {
    let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
    let transaction = connection.transaction()?;
    for _ in 0..stored {
        transaction.execute("INSERT INTO changes (sealed) VALUES (?1)", [vec![0_u8; SEALED_BYTES]])?;
    }
    Ok(transaction.commit()?)
}

fn main() -> Result<(), Failure> {
    // Cargo adds one of its own.
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [address, token, folder, commits, rounds, stored] = given.as_slice() else {
        return Err("usage: commits ADDRESS TOKEN FOLDER COMMITS ROUNDS STORED".into());
    };
    let (commits, rounds, stored): (usize, usize, usize) = (commits.parse()?, rounds.parse()?, stored.parse()?);
    let mut clients =
        (0..CLIENTS).map(|number| Client::connect(address, token, number)).collect::<Result<Vec<_>, _>>()?;
    let bare = bare(Path::new(folder))?;
    let mut devices: Vec<usize> = (0..CLIENTS).collect();
    let app = |clients: &mut [Client], commits| together(clients, commits, Client::push);
    let peer = |devices: &mut [usize], commits| together(devices, commits, |device| commit_bare(&bare, *device));

    app(&mut clients, stored.max(CLIENTS))?;
    fill_bare(&bare, stored)?;
    peer(&mut devices, CLIENTS)?;
    let chance = RandomState::new();
    let mut results = Vec::new();
    for round in 0..rounds {
        let mut result = BTreeMap::new();
        let mut arms = ["app", "rusqlite"];
        arms.sort_by_key(|arm| chance.hash_one((round, arm)));
        for arm in arms {
            let took = if arm == "app" { app(&mut clients, commits)? } else { peer(&mut devices, commits)? };
            result.insert(arm, took);
        }
        eprintln!("    round {} of {rounds}: {result:?}", round + 1);
        results.push(result);
    }
    println!("{}", serde_json::to_string(&results)?);
    Ok(())
}
