//! The hub of the Satchel server: takes over what other programs have changed of the saved toolsets, and publishes them.

use satchel_core::catalog::ToolsetList;
use satchel_core::digest::BlobId;
use satchel_core::protocol::{Capability, HubPublication, HubPut, HubState};
use satchel_core::saved::{Kept, Reachable};
use satchel_core::store::{Store as _, StoreError};

use super::following::NotFollowed;
use super::line::{LineError, NOTHING, ServerLine};
use crate::browser::clock;
use crate::browser::indexed_db::IndexedDbStore;
use crate::core_worker::surroundings;
use crate::work::positions;
use crate::work::store::AppStore;

const HUB: &str = "/api/v1/hub";
/// Under this name it is kept whether this device has published something.
const PUBLISHED: &str = "hub_published";

/// What the server's hub is known to have, for as long as one connection lasts: who knows need not ask.
#[derive(Debug, Default)]
pub(super) struct HubKnowledge(Option<Published>);

/// What was published last: a hash of it, or nothing.
#[derive(Debug, PartialEq, Eq)]
struct Published(Option<BlobId>);

impl HubKnowledge {
    /// Something has changed there.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}

impl Published {
    fn of(publication: Option<&HubPublication>) -> Self {
        let written = |publication| serde_json::to_vec(publication).expect("plain data can be written as JSON");
        Self(publication.map(|publication| BlobId::of(&written(publication))))
    }
}

/// Brings both together; whether something has changed here. Where both are known to be the same, nobody is asked.
pub(super) async fn bring_together(
    store: &IndexedDbStore,
    line: &ServerLine,
    known: &mut HubKnowledge,
) -> Result<bool, NotFollowed> {
    let surroundings = surroundings::known(store, vec![Capability::Mcp, Capability::HttpTools]).await;
    let mut kept = Kept::load(store, &surroundings, None).await?;
    let toolsets = ToolsetList::load(store).await?.toolsets;
    let reachable = Reachable::find(store, &toolsets, &surroundings).await?;
    if known.0.is_some() && known.0 == Some(Published::of(kept.publication(&reachable).as_ref())) {
        return Ok(false);
    }
    let state: HubState = match line.ask("GET", HUB, NOTHING).await {
        Ok(state) => state,
        // A server that has no hub.
        Err(LineError::Refused { status: 404, .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    for change in &state.changes {
        kept.shelf.replay(change);
    }
    let commit = kept.commit(store).await?;
    let is_news = !(commit.puts.is_empty() && commit.deletes.is_empty());
    if is_news {
        store.apply(commit, clock::now()).await?;
    }
    let publication = kept.publication(&reachable);
    let published = Published::of(publication.as_ref());
    match publication {
        // Nothing is saved any more: what was published from here goes. A device that never had anything has nothing to take away.
        None if state.published.is_some() && has_published(store).await? => {
            line.say("DELETE", HUB, NOTHING).await?;
            positions::save(AppStore::Kept(store.clone()), PUBLISHED, &false).await?;
        }
        None => {}
        Some(publication) if state.published.as_ref() == Some(&publication) && state.changes.is_empty() => {}
        Some(publication) => {
            // Before it is published: from its first use on, a tool has to stay what it is (C14).
            let pins = reachable.pin_first(clock::now());
            if !pins.puts.is_empty() {
                store.apply(pins, clock::now()).await?;
            }
            positions::save(AppStore::Kept(store.clone()), PUBLISHED, &true).await?;
            line.say("PUT", HUB, Some(&HubPut { publication, taken: state.revision })).await?;
        }
    }
    known.0 = Some(published);
    Ok(is_news)
}

async fn has_published(store: &IndexedDbStore) -> Result<bool, StoreError> {
    let has = positions::load::<bool>(AppStore::Kept(store.clone()), PUBLISHED).await?;
    Ok(has.unwrap_or_default())
}
