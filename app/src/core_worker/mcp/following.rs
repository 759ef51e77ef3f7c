//! Following how MCP servers are doing: one worker over all tabs tells the Satchel server which are wanted, stores what comes back, and hands
//! on what calls say. It has the one stream of events of the browser's profile.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::time::Duration;

use futures_channel::mpsc;
use futures_util::future::{Either, select};
use futures_util::{Stream, StreamExt as _, stream};
use satchel_core::catalog::{ServerStanding, ToolsetList};
use satchel_core::mcp::{
    EventReader, OwnPublications, Publication, PublishedElsewhere, SeenLimits, definitions_wanted, note_seen,
};
use satchel_core::protocol::{McpServerList, McpStatus, ServerEvent};
use satchel_core::store::{Store as _, StoreError};

use super::hub::{self, HubKnowledge};
use super::line::{LineError, NOTHING, ServerLine};
use super::listening;
use crate::browser::clock;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::Incoming;
use crate::browser::spawn::spawn;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::FollowTurn;
use crate::core_worker::surroundings;
use crate::work::mcp::{self, Standings};
use crate::work::positions;
use crate::work::store::AppStore;

/// Where it is remembered which servers this device has published.
const PUBLISHED: &str = "mcp_published";

const LIST: &str = "/api/v1/mcp/servers";

/// Why a server is not reached that another browser has replaced.
const REPLACED: &str = "another browser of your account has published another server in its place";

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
pub(super) enum NotFollowed {
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

/// The same for who only wants that somebody follows.
pub(super) fn follow_if_nobody_does(store: &IndexedDbStore) {
    if !FOLLOWS.get() {
        follow(store);
    }
}

/// Follows for as long as the connection lasts.
async fn connected(
    store: &IndexedDbStore,
    line: &ServerLine,
    changes: &mut mpsc::UnboundedReceiver<()>,
) -> Result<(), NotFollowed> {
    let mut hub_has = HubKnowledge::default();
    bring_together(store, line, &mut hub_has).await?;
    let client = listening::client(store).await.ok_or_else(|| StoreError::Backend("the store has no device".into()))?;
    let path = format!("/api/v1/events?client={client}");
    // A stream and not a future a piece: one that is dropped for a change here would lose what it was about to hear.
    let mut told = pin!(events(line.send("GET", &path, None).await?));
    loop {
        let news = match select(told.next(), changes.next()).await {
            Either::Left((Some(events), _)) => heard(&events),
            // The connection has ended.
            Either::Left((None, _)) => return Ok(()),
            Either::Right(_) => Some(News::Here),
        };
        if let Some(news) = news {
            match news {
                News::Hub => hub_has.forget(),
                News::Servers | News::Here => {}
            }
            clock::wait(GATHERED).await;
            while changes.try_recv().is_ok() {}
            // Another server may have been connected meanwhile, or none.
            if !ServerLine::of(store).await.is_some_and(|now| now.is(line)) {
                return Ok(());
            }
            bring_together(store, line, &mut hub_has).await?;
        }
    }
}

/// The events of a connection, as they come, until it ends.
fn events(incoming: Incoming) -> impl Stream<Item = Vec<ServerEvent>> {
    stream::unfold((incoming, EventReader::default()), |(mut incoming, mut reader)| async move {
        let piece = incoming.piece().await.ok().flatten()?;
        let events = reader.read(&piece).ok()?;
        Some((events, (incoming, reader)))
    })
}

/// What there is to be looked at again; the later says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum News {
    /// Something has changed on this device.
    Here,
    /// A server is doing otherwise.
    Servers,
    /// The hub has changed too.
    Hub,
}

/// What these say is new. What is of a call is handed on.
fn heard(events: &[ServerEvent]) -> Option<News> {
    let news = |event: &ServerEvent| match event {
        ServerEvent::McpServer(_) => Some(News::Servers),
        // A stream that begins says nothing of what was before.
        ServerEvent::Ready | ServerEvent::HubChanged => Some(News::Hub),
        ServerEvent::McpProgress(_)
        | ServerEvent::McpInput(_)
        | ServerEvent::McpInputEnded { .. }
        | ServerEvent::Synced { .. }
        | ServerEvent::SyncMembersChanged
        | ServerEvent::Unknown => None,
    };
    events.iter().for_each(listening::hand_on);
    events.iter().filter_map(news).max()
}

/// Publishes what is wanted and withdraws what is not, stores what is offered, and remembers how each is doing.
async fn bring_together(
    store: &IndexedDbStore,
    line: &ServerLine,
    hub_has: &mut HubKnowledge,
) -> Result<(), NotFollowed> {
    let kept = AppStore::Kept(store.clone());
    let mut list: McpServerList = line.ask("GET", LIST, NOTHING).await?;
    let toolsets = ToolsetList::load(store).await?.toolsets;
    let wanted = definitions_wanted(&toolsets, &surroundings::known(store, Vec::new()).await);
    let own: OwnPublications = positions::load(kept.clone(), PUBLISHED).await?.unwrap_or_default();
    let plan = Publication::plan(&wanted, &list.servers, &own);
    let mut refused = Vec::new();
    let before = own.before(&plan);
    if before != own {
        // Before it is said: what was published and then forgotten would be withdrawn by nobody.
        positions::save(kept.clone(), PUBLISHED, &before).await?;
    }
    if !plan.is_empty() {
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
    let after = before.after(&wanted, &list.servers);
    if after != before {
        positions::save(kept.clone(), PUBLISHED, &after).await?;
    }
    let elsewhere = PublishedElsewhere::among(&list.servers, &wanted);
    list.servers.retain(|state| wanted.get(&state.key) == Some(&state.definition));
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
    let replaced = elsewhere.iter().filter(|other| wanted.keys().any(|key| key.to_string() == other.key));
    let replaced = replaced.map(|other| (other.key.clone(), standing(McpStatus::Error, Some(REPLACED.into()), None)));
    let servers = replaced.chain(known).chain(refused).collect();
    let said = Standings { servers, offers: list.offers, elsewhere };
    is_news |= mcp::remember(kept, &said).await;
    if is_news {
        tab_news::tell_every_tab(Topic::Servers);
    }
    if hub::bring_together(store, line, hub_has).await? {
        tab_news::tell_every_tab(Topic::Toolsets);
    }
    Ok(())
}
