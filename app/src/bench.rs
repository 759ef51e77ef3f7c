//! What `cargo xtask bench` measures in a browser: the app's own ways to snapshot files, to store, to hash, to import, to list tools and to sync,
//! over its own store. Only preparing and taking the time are the measurement's (`tests/bench/data.mjs`).
//!
//! It differs from the app in one thing: hashing and importing are done on the page's thread, where the app leaves them to the core
//! worker.

mod sync;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use satchel_core::bundle::{self, Bundle, BundleLimits, Decision, InstallPlan, Origin};
use satchel_core::catalog::{
    InstalledToolset, ServerId, ServerKey, ServerStanding, Surroundings, ToolShelf, ToolsetId, ToolsetList,
};
use satchel_core::http_tool::{Answered, Effect, Event, HttpLimits, HttpTool, Outcome, Run, read_output};
use satchel_core::ids::Uid;
use satchel_core::mcp::NewServer;
use satchel_core::protocol::{Capability, McpStatus};
use satchel_core::record::{McpSeen, Node, SavedToolset, SourceType, ToolReference};
use satchel_core::saved::{DiscoveredTool, Discovery, NewToolset, Resolution, Shelf};
use satchel_core::settings::{LimitName, SettingChange};
use satchel_core::store::{Blob, Commit, Store as _};
use satchel_core::workspace::{self, Cause, Changes, FileEntry, NewManifest, Place, WorkspacePath};
use serde::Deserialize;

use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::{bench_page, clock, digest, random};
use crate::work::chats::{self, OpenChat};
use crate::work::settings;
use crate::work::store::AppStore;
use crate::work::workspace::change;

/// How many files are in one folder.
const FOLDER: u32 = 100;

/// What a measurement asks for.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Errand {
    /// Opens a database, with a chat in it that has no files.
    Open { name: String },
    /// Fills the chat with files, without being measured.
    Fill { files: u32, bytes: usize },
    /// Makes new contents for some files, to be stored by the next errand.
    Make { first: u32, count: u32, step: u32, bytes: usize, version: u32 },
    /// Measured: hashes what was made and puts it into the chat's files, in one manifest.
    Snapshot,
    /// Names what was made, as one commit with a manifest.
    Prepare,
    /// Measured: stores that commit.
    Store,
    /// Measured: hashes what was made.
    Hash { by: Hasher },
    /// Makes a bundle of what was made.
    Bundle,
    /// Measured: imports the bundle that comes with it, until its tools can be listed.
    Import,
    /// Gives the device so many MCP servers, each seen with forty tools, and loads their toolsets.
    Servers { count: u32 },
    /// Measured: makes the list of all tools in effect.
    Tools,
    /// Names all tools, and saves a toolset of so many of them.
    Saved { count: usize },
    /// Measured: resolves that saved toolset.
    Resolve,
    /// Gives the device so many HTTP tools, and puts them on the shelf.
    Shelve { count: u32 },
    /// Measured: finds tools on the shelf.
    Find { query: String, least: usize },
    /// Measured: so many calls of an HTTP tool, but for the request itself.
    Calls { count: u32 },
    /// Says so many things in the chat.
    Talk { rows: u32 },
    /// Measured: one round of sync through this address, by which at least so many rows go and so many changes come.
    Sync { href: String, token: String, sends: usize, receives: usize },
}

/// Whose SHA-256.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Hasher {
    App,
    Sha2,
}

#[derive(Clone)]
struct Opened {
    store: AppStore,
    chat: OpenChat,
}

thread_local! {
    static OPENED: RefCell<Option<Opened>> = const { RefCell::new(None) };
    static MADE: RefCell<Vec<(WorkspacePath, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
    static PREPARED: RefCell<Option<Commit>> = const { RefCell::new(None) };
    static LOADED: RefCell<(Vec<InstalledToolset>, Surroundings)> = RefCell::default();
    /// The tools by name, and the saved toolset that is resolved.
    static SAVED: RefCell<Option<(Discovery, SavedToolset)>> = const { RefCell::new(None) };
    static SHELF: Rc<ToolShelf> = Rc::default();
}

/// Answers errands until the page ends.
pub(crate) fn run() {
    bench_page::serve(|errand, bytes| async move {
        let errand = serde_json::from_str(&errand).map_err(|error| error.to_string())?;
        answer(errand, bytes).await
    });
}

async fn answer(errand: Errand, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    match errand {
        Errand::Open { name } => open(&name).await?,
        Errand::Fill { files, bytes } => fill(files, bytes).await?,
        Errand::Make { first, count, step, bytes, version } => {
            let numbers = (0..count).map(|at| first + at * step);
            MADE.set(numbers.map(|number| (path(number), content(number, version, bytes))).collect());
        }
        Errand::Snapshot => snapshot(MADE.take()).await?,
        Errand::Prepare => PREPARED.set(Some(prepare(MADE.take())?)),
        Errand::Store => {
            let commit = PREPARED.take().ok_or("nothing is prepared")?;
            opened()?.store.apply(commit, clock::now()).await.map_err(told)?;
        }
        Errand::Hash { by } => hash(by).await,
        Errand::Bundle => return Ok(make_bundle(MADE.take())),
        Errand::Import => import(&bytes).await?,
        Errand::Servers { count } => servers(count).await?,
        Errand::Tools => tools()?,
        Errand::Saved { count } => saved(count)?,
        Errand::Resolve => resolve()?,
        Errand::Shelve { count } => shelve(count).await?,
        Errand::Find { query, least } => find(&query, least).await?,
        Errand::Calls { count } => calls(count)?,
        Errand::Talk { rows } => sync::talk(rows).await?,
        Errand::Sync { href, token, sends, receives } => sync::round(href, token, sends, receives).await?,
    }
    Ok(Vec::new())
}

async fn open(name: &str) -> Result<(), String> {
    let store = IndexedDbStore::open(name, random::device_id(), || {}).await.map_err(told)?;
    let store = AppStore::Kept(store);
    let most = LimitName::WorkspaceFiles.bounds().1;
    settings::save(store.clone(), SettingChange::Limit(LimitName::WorkspaceFiles, most)).await.map_err(told)?;
    let chat = chats::create(store.clone()).await.map_err(told)?;
    OPENED.set(Some(Opened { store, chat }));
    Ok(())
}

fn opened() -> Result<Opened, String> {
    OPENED.with_borrow(Clone::clone).ok_or_else(|| "no database is open".to_owned())
}

/// Portion by portion, as an upload does.
async fn fill(files: u32, bytes: usize) -> Result<(), String> {
    const PORTION: u32 = 1_000;
    let Opened { store, chat } = opened()?;
    let mut changes = Changes::default();
    for first in (0..files).step_by(PORTION as usize) {
        let mut blobs = Vec::new();
        for number in first..files.min(first + PORTION) {
            let blob = Blob::new(content(number, 0, bytes));
            changes = changes.put(path(number), entry(&blob));
            blobs.push(blob);
        }
        store.apply(Commit { blobs, ..Commit::relaxed() }, clock::now()).await.map_err(told)?;
    }
    change(&store, &chat, Vec::new(), &Cause::Upload, async |_root| Ok(changes)).await.map_err(told)?;
    Ok(())
}

async fn snapshot(made: Vec<(WorkspacePath, Vec<u8>)>) -> Result<(), String> {
    let Opened { store, chat } = opened()?;
    let (mut blobs, mut changes) = (Vec::with_capacity(made.len()), Changes::default());
    for (path, bytes) in made {
        let blob = Blob::new(bytes);
        changes = changes.put(path, entry(&blob));
        blobs.push(blob);
    }
    change(&store, &chat, blobs, &Cause::Edit, async |_root| Ok(changes)).await.map_err(told)?;
    Ok(())
}

fn prepare(made: Vec<(WorkspacePath, Vec<u8>)>) -> Result<Commit, String> {
    // Not copied: a hundred thousand of them fill a good part of what a tab may have.
    let (paths, blobs): (Vec<WorkspacePath>, Vec<Blob>) =
        made.into_iter().map(|(path, bytes)| (path, Blob::new(bytes))).unzip();
    let files = paths.into_iter().zip(blobs.iter().map(entry)).collect();
    let limits = workspace::WorkspaceLimits { files: 1_000_000, ..workspace::WorkspaceLimits::default() };
    let snapshot = workspace::build(&files, &limits).map_err(told)?;
    let place = Place { chat_id: opened()?.chat.chat.id, node: Node::Root, base: None };
    let new = NewManifest { id: random::manifest_id(), created_at: clock::now() };
    let made = workspace::record(&place, snapshot, blobs, new, &Cause::Upload);
    made.map(|made| made.commit).ok_or_else(|| "there is nothing to store".to_owned())
}

async fn hash(by: Hasher) {
    let made = MADE.take();
    match by {
        Hasher::App => {
            let (paths, pieces): (Vec<WorkspacePath>, Vec<Vec<u8>>) = made.into_iter().unzip();
            let ids = digest::of_all(&pieces).await;
            std::hint::black_box(ids);
            // What was made stays for the next round.
            MADE.set(paths.into_iter().zip(pieces).collect());
        }
        Hasher::Sha2 => {
            for (_, bytes) in &made {
                std::hint::black_box(<sha2::Sha256 as sha2::Digest>::digest(bytes));
            }
            MADE.set(made);
        }
    }
}

fn make_bundle(made: Vec<(WorkspacePath, Vec<u8>)>) -> Vec<u8> {
    let manifest = "manifest_version: '1'\nid: measured\nname: Measured\nversion: 1.0.0\ntools:\n  - {id: run, entrypoint: 'tools.run:run'}\n";
    let files = made.into_iter().map(|(path, bytes)| (format!("assets/{path}"), bytes));
    let manifest = (bundle::MANIFEST_FILE.to_owned(), manifest.as_bytes().to_vec());
    bundle::archive::write(&files.chain([manifest]).collect())
}

async fn import(bytes: &[u8]) -> Result<(), String> {
    let Opened { store, .. } = opened()?;
    let bundle = Bundle::open(bytes, &BundleLimits::default()).map_err(told)?;
    let origin = Origin { source_type: SourceType::Zip, source_ref: Some("measured.zip".into()) };
    let plan = InstallPlan::new(bundle, origin, None).map_err(told)?;
    let decision = Decision { enabled: true, connect: false, replace: false };
    let uid = || Uid::parse(random::uuid_v7()).expect("a fresh UUID is one");
    let commit = plan.into_commit(clock::now(), decision, uid).map_err(told)?;
    store.apply(commit, clock::now()).await.map_err(told)?;
    let installed = InstalledToolset::find(&store, "measured").await.map_err(told)?;
    let usable = installed.is_some_and(|installed| installed.tools.len() == 1 && installed.faults.is_empty());
    if usable { Ok(()) } else { Err("what was imported cannot be used".to_owned()) }
}

/// How many tools each server has.
const TOOLS: u32 = 40;

async fn servers(count: u32) -> Result<(), String> {
    let Opened { store, .. } = opened()?;
    let mut surroundings = Surroundings { capabilities: vec![Capability::Mcp], ..Surroundings::default() };
    for number in 0..count {
        let id = ServerId::parse(format!("server-{number}")).map_err(told)?;
        let config = serde_json::json!({"url": format!("https://{id}.test/mcp")});
        let new = NewServer { id: id.clone(), name: id.to_string(), config, enabled: true };
        let uid = || Uid::parse(random::uuid_v7()).expect("a fresh UUID is one");
        store.apply(new.into_commit(None, clock::now(), uid).map_err(told)?, clock::now()).await.map_err(told)?;
        let tool = |tool: u32| {
            serde_json::json!({
                "name": format!("tool_{tool}"),
                "description": "Finds what is asked for and gives it back with where it was found, in the order of how well it fits.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "query": {"type": "string", "description": "What to look for"},
                        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
                    },
                    "required": ["query"],
                },
            })
        };
        let key = ServerKey { toolset: ToolsetId::parse(id.as_str()).map_err(told)?, server: id };
        let seen = McpSeen {
            toolset_id: key.toolset.clone(),
            server_id: key.server.clone(),
            identity: None,
            tools: (0..TOOLS).map(tool).collect(),
            seen_at: clock::now(),
        };
        store.apply(Commit::default().put(&seen), clock::now()).await.map_err(told)?;
        let standing = ServerStanding { status: McpStatus::Connected, reason: None, approval: None };
        surroundings.servers.insert(key, standing);
    }
    LOADED.set((ToolsetList::load(&store).await.map_err(told)?.toolsets, surroundings));
    Ok(())
}

fn tools() -> Result<(), String> {
    LOADED.with_borrow(|(toolsets, surroundings)| {
        let tools: Vec<_> = toolsets.iter().flat_map(|installed| installed.tools_in_effect(surroundings)).collect();
        let usable = tools.iter().filter(|tool| tool.seen.is_some() && tool.unavailable.is_none()).count();
        let wanted = surroundings.servers.len() * TOOLS as usize;
        if usable == wanted { Ok(()) } else { Err(format!("{usable} of {wanted} tools can be used")) }
    })
}

/// How many tools a bundle has that is put on the shelf.
const SHELVED: u32 = 500;

async fn shelve(count: u32) -> Result<(), String> {
    let Opened { store, .. } = opened()?;
    for first in (0..count).step_by(SHELVED as usize) {
        let tool = |number: u32| {
            serde_json::json!({
                "id": format!("tool_{number}"),
                "name": format!("Tool {number}"),
                "description": "Says what the weather will be like in a city, for as many days as are asked for.",
                "type": "http",
                "http": {"allowedHosts": ["a.test"], "request": {"urlTemplate": "https://a.test/"}},
            })
        };
        let tools: Vec<_> = (first..count.min(first + SHELVED)).map(tool).collect();
        let manifest = serde_json::json!({
            "manifest_version": "1", "id": format!("bundle-{first}"), "name": "Measured", "version": "1.0.0", "tools": tools,
        });
        let bundle = Bundle::of_manifest(&manifest, &BundleLimits::default()).map_err(told)?;
        let origin = Origin { source_type: SourceType::Created, source_ref: None };
        let plan = InstallPlan::new(bundle, origin, None).map_err(told)?;
        let decision = Decision { enabled: true, connect: false, replace: false };
        let uid = || Uid::parse(random::uuid_v7()).expect("a fresh UUID is one");
        let commit = plan.into_commit(clock::now(), decision, uid).map_err(told)?;
        store.apply(commit, clock::now()).await.map_err(told)?;
    }
    let shelf = SHELF.with(Rc::clone);
    shelf.now(&store).await.map_err(told)?;
    Ok(())
}

async fn find(query: &str, least: usize) -> Result<(), String> {
    let Opened { store, .. } = opened()?;
    let shelf = SHELF.with(Rc::clone);
    let shelved = shelf.now(&store).await.map_err(told)?;
    let hits = shelved.find(query, false);
    // A search that finds nothing would be quick for the wrong reason.
    if hits.len() < least {
        return Err(format!("{query:?} found {} tools, and should find {least}", hits.len()));
    }
    let surroundings = Surroundings::default();
    let shown: Vec<_> = hits.iter().take(25).map(|hit| shelved.tool(hit, &surroundings)).collect();
    std::hint::black_box(shown);
    Ok(())
}

fn calls(count: u32) -> Result<(), String> {
    let definition = serde_json::json!({
        "allowedHosts": ["a.test"],
        "request": {"method": "POST", "urlTemplate": "https://a.test/${city}", "query": {"days": "${days}"}, "body": {"city": "${city}"}},
    });
    let (declared, none) = (["city", "days"].into(), BTreeMap::new());
    let arguments = serde_json::Map::from_iter([("city".to_owned(), "Rome".into()), ("days".to_owned(), 3.into())]);
    for _ in 0..count {
        let tool = HttpTool::read(&definition, &declared, &HttpLimits::default()).map_err(told)?;
        let mut run = Run::new(&tool, &arguments, &none, HttpLimits::default());
        let sent = run.handle(Event::Begin, clock::now(), 0);
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let answer = Answered { status: 200, headers, body: br#"{"degrees": 7, "sky": ["blue", "grey"]}"#.to_vec() };
        match (sent, run.handle(Event::Answered(answer), clock::now(), 0)) {
            (Effect::Send(_), Effect::Done(Outcome::Answered(answer))) => {
                std::hint::black_box(read_output(answer, &tool.last().response).map_err(told)?);
            }
            (sent, ended) => return Err(format!("{sent:?} ended as {ended:?}")),
        }
    }
    Ok(())
}

fn path(number: u32) -> WorkspacePath {
    let text = format!("folder-{:04}/file-{number:06}.txt", number / FOLDER);
    WorkspacePath::parse(text).expect("names of letters and digits are fine")
}

fn entry(blob: &Blob) -> FileEntry {
    FileEntry { sha256: blob.id(), size: blob.bytes().len() as u64 }
}

/// Hexadecimal digits that no other file and no other version has: packed, they take half the room, as many texts do.
fn content(number: u32, version: u32, bytes: usize) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut state = u64::from(number) << 32 | u64::from(version) << 1 | 1;
    let mut content = Vec::with_capacity(bytes);
    while content.len() < bytes {
        // Marsaglia's xorshift, spread by a multiplication.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut word = state.wrapping_mul(0x2545_f491_4f6c_dd1d);
        for _ in 0..16.min(bytes - content.len()) {
            content.push(DIGITS[(word & 15) as usize]);
            word >>= 4;
        }
    }
    content
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn saved(count: usize) -> Result<(), String> {
    let discovery = LOADED.with_borrow(|(toolsets, surroundings)| Discovery::of_toolsets(toolsets, surroundings));
    let usable: Vec<_> = discovery.tools().iter().filter(|tool| tool.unavailable.is_none()).collect();
    // Spread over all servers.
    let step = (usable.len() / count).max(1);
    let reference = |tool: &&DiscoveredTool| ToolReference::new(Some(tool.namespaced_name.clone()), None);
    let tools = usable.iter().step_by(step).take(count).map(reference).collect::<Result<_, _>>().map_err(told)?;
    let mut shelf = Shelf::default();
    let new = NewToolset { name: "measured".into(), tools, ..NewToolset::default() };
    let saved = shelf.build(new, &discovery, clock::now()).map_err(told)?.clone();
    SAVED.set(Some((discovery, saved)));
    Ok(())
}

fn resolve() -> Result<(), String> {
    SAVED.with_borrow(|saved| {
        let (discovery, saved) = saved.as_ref().ok_or("nothing is saved")?;
        let resolution = Resolution::of(saved, discovery);
        let (found, wanted) = (resolution.tools.len(), saved.tools.len());
        if found == wanted { Ok(()) } else { Err(format!("{found} of {wanted} references were resolved")) }
    })
}
