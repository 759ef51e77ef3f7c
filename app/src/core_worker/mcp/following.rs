//! Following how MCP servers are doing: one worker over all tabs tells the Satchel server which are wanted, and stores what comes back.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use futures_channel::mpsc;
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use satchel_core::catalog::{ServerKey, ServerStanding, ToolsetList};
use satchel_core::mcp::{EventReader, Publication, SeenLimits, definitions_wanted, note_seen};
use satchel_core::protocol::{McpServerList, McpStatus, ServerEvent, parse_server_key};
use satchel_core::store::{Store as _, StoreError};

use super::line::{LineError, NOTHING, ServerLine};
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::Incoming;
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::FollowTurn;
use crate::browser::{clock, random};
use crate::core_worker::surroundings;
use crate::work::mcp::{self, Standings};
use crate::work::positions;
use crate::work::store::AppStore;

/// Where it is remembered which servers this device has published.
const PUBLISHED: &str = "mcp_published";

const LIST: &str = "/api/v1/mcp/servers";

/// How long is waited before the next attempt, in seconds; the last counts for all that follow.
const PATIENCE: [u64; 5] = [1, 3, 10, 30, 60];

/// Several servers change at once more often than not.
const GATHERED: Duration = Duration::from_millis(150);

thread_local! {
    static FOLLOWS: Cell<bool> = const { Cell::new(false) };
    /// Hears that toolsets have changed here.
    static CHANGED: RefCell<Option<mpsc::UnboundedSender<()>>> = const { RefCell::new(None) };
}

/// Why what is stored and what the server says were not brought together.
#[derive(Debug, thiserror::Error)]
enum NotFollowed {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Follows from now on, until no server is known any more; once in the life of this worker, and in one worker at a time.
pub(in crate::core_worker) fn follow(store: &IndexedDbStore) {
    // Whoever asks again has learnt something of the server, so that it is looked at again.
    if FOLLOWS.replace(true) {
        CHANGED.with_borrow(|changed| changed.as_ref().map(|changed| changed.unbounded_send(()).ok()));
        return;
    }
    let store = store.clone();
    spawn(async move {
        let _turn = FollowTurn::wait().await;
        let (sender, mut changes) = mpsc::unbounded();
        CHANGED.set(Some(sender.clone()));
        tab_news::on(Topic::Toolsets, move || drop(sender.unbounded_send(())));
        let mut attempt = 0;
        while let Some(line) = ServerLine::of(&store).await {
            match connected(&store, &line, &mut changes).await {
                // It knows nothing of MCP servers.
                Err(NotFollowed::Line(LineError::Refused { status: 404, .. })) => break,
                Ok(()) => attempt = 0,
                Err(_tried_again) => {}
            }
            let seconds = PATIENCE[attempt.min(PATIENCE.len() - 1)];
            attempt += 1;
            // A change here is worth an attempt at once.
            select(pin!(clock::wait(Duration::from_secs(seconds))), pin!(changes.next())).await;
        }
        CHANGED.set(None);
        FOLLOWS.set(false);
    });
}

/// Follows for as long as the connection lasts.
async fn connected(
    store: &IndexedDbStore,
    line: &ServerLine,
    changes: &mut mpsc::UnboundedReceiver<()>,
) -> Result<(), NotFollowed> {
    bring_together(store, line).await?;
    let path = format!("/api/v1/events?client={}", random::uuid_v7());
    let mut incoming = line.send("GET", &path, None).await?;
    let mut reader = EventReader::default();
    loop {
        let is_news = match select(pin!(heard(&mut incoming, &mut reader)), pin!(changes.next())).await {
            Either::Left((Some(is_news), _)) => is_news,
            // The connection has ended.
            Either::Left((None, _)) => return Ok(()),
            Either::Right(_) => true,
        };
        if is_news {
            clock::wait(GATHERED).await;
            while changes.try_recv().is_ok() {}
            // Another server may have been connected meanwhile, or none.
            if !ServerLine::of(store).await.is_some_and(|now| now.is(line)) {
                return Ok(());
            }
            bring_together(store, line).await?;
        }
    }
}

/// Whether what comes next says something of a server; none where nothing comes any more.
async fn heard(incoming: &mut Incoming, reader: &mut EventReader) -> Option<bool> {
    let piece = incoming.piece().await.ok().flatten()?;
    let events = reader.read(&piece).ok()?;
    let is_news = |event: &ServerEvent| match event {
        ServerEvent::Ready | ServerEvent::McpServer(_) => true,
        ServerEvent::McpProgress(_)
        | ServerEvent::McpInput(_)
        | ServerEvent::McpInputEnded { .. }
        | ServerEvent::Unknown => false,
    };
    Some(events.iter().any(is_news))
}

/// Publishes what is wanted and withdraws what is not, stores what is offered, and remembers how each is doing.
async fn bring_together(store: &IndexedDbStore, line: &ServerLine) -> Result<(), NotFollowed> {
    let kept = AppStore::Kept(store.clone());
    let mut list: McpServerList = line.ask("GET", LIST, NOTHING).await?;
    let toolsets = ToolsetList::load(store).await?.toolsets;
    let wanted = definitions_wanted(&toolsets, &surroundings::known(store, Vec::new()).await);
    let own: BTreeSet<ServerKey> = (positions::load::<Vec<String>>(kept.clone(), PUBLISHED).await?.unwrap_or_default())
        .iter()
        .filter_map(|key| parse_server_key(key).ok())
        .collect();
    let plan = Publication::plan(&wanted, &list.servers, &own);
    let mut refused = Vec::new();
    if !plan.is_empty() {
        // Before it is said: what was published and then forgotten would be withdrawn by nobody.
        let published: BTreeSet<String> = own.iter().chain(wanted.keys()).map(ToString::to_string).collect();
        positions::save(kept.clone(), PUBLISHED, &published).await?;
        for (key, definition) in &plan.put {
            match line.say("PUT", &format!("{LIST}/{key}"), Some(definition)).await {
                Ok(_taken) => {}
                // One that is not taken keeps none of the others from being reached, and says why.
                Err(LineError::Refused { message, .. }) => refused.push((key.to_string(), message)),
                Err(error) => return Err(error.into()),
            }
        }
        for key in &plan.withdraw {
            line.say("DELETE", &format!("{LIST}/{key}"), NOTHING).await?;
        }
        list = line.ask("GET", LIST, NOTHING).await?;
    }
    let mut is_news = false;
    for state in &list.servers {
        if let Some(commit) = note_seen(store, state, &SeenLimits::default(), clock::now()).await? {
            store.apply(commit, clock::now()).await?;
            is_news = true;
        }
    }
    let standing = |status, reason, approval| ServerStanding { status, reason, approval };
    let known = list.servers.into_iter();
    let known = known.map(|state| (state.key.to_string(), standing(state.status, state.reason, state.approval)));
    let refused = refused.into_iter().map(|(key, why)| (key, standing(McpStatus::Error, Some(why), None)));
    let said = Standings { servers: known.chain(refused).collect(), offers: list.offers };
    is_news |= mcp::remember(kept, &said).await;
    if is_news {
        tab_news::tell_every_tab(Topic::Servers);
    }
    Ok(())
}
