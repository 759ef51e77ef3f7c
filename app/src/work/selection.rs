//! Which tools a chat offers its model: what there is to choose from, what it costs, and keeping what was chosen.

use std::collections::BTreeMap;

use satchel_core::catalog::{Offered, SelectableToolset, Selection, ToolsetId};
use satchel_core::conversation;
use satchel_core::ids::ChatId;
use satchel_core::record::{Chat, KeptValue, RowKey, RowRef};
use satchel_core::saved::{LAST_EQUIPPED_KEY, LastEquipped, choose_seen};
use satchel_core::store::{Commit, Store as _, StoreError};

use super::local_api::{self, LocalApiError};
use super::store::AppStore;
use crate::browser::tab_news::{self, Topic};
use crate::browser::{clock, last_selection};
use crate::core_worker::Job;

/// What is chosen, as a chat keeps it (R172).
pub(crate) type Chosen = BTreeMap<String, Vec<String>>;

/// How often a change is tried again that came upon another one of the same chat.
const ATTEMPTS: usize = 8;

/// What was last chosen, for the next chat (R173); nothing where nothing ever was.
pub(crate) fn last() -> Option<Chosen> {
    // By way of a value, as rows are read: the page carries that code already.
    let kept = serde_json::from_str(&last_selection::read()?).ok()?;
    serde_json::from_value(kept).ok()
}

/// Keeps what was chosen for the next chat.
pub(crate) fn keep_last(selection: &Selection) {
    last_selection::write(&selection.to_last());
}

/// Calls back when another tab may have chosen.
pub(crate) fn on_last_change(callback: impl Fn() + 'static) {
    last_selection::on_change(callback);
}

/// What a model is offered by a choice. The worker counts: it knows which tools can be used.
pub(crate) async fn count(
    store: &AppStore,
    chosen: Chosen,
    equipped: Option<String>,
    known: Option<Chosen>,
) -> Option<Offered> {
    let job = Job::Selection { chosen: Some(chosen), equipped, known, capabilities: local_api::capabilities() };
    let counted = local_api::run(store, job, Vec::new(), None).await.ok()?;
    let counted = String::from_utf8(counted.body().to_vec()).ok()?;
    let (tools, tokens) = counted.split_once(' ')?;
    Some(Offered { tools: tools.parse().ok()?, tokens: tokens.parse().ok()? })
}

/// All there is to choose from, within the saved toolset that is equipped.
pub(crate) async fn list(store: &AppStore, equipped: Option<String>) -> Result<Vec<SelectableToolset>, LocalApiError> {
    let job = Job::Selection { chosen: None, equipped, known: None, capabilities: local_api::capabilities() };
    local_api::run(store, job, Vec::new(), None).await?.json()
}

/// Has a chat offer these tools of one toolset, of those that were to be seen. What another tab chooses of other toolsets meanwhile stays.
pub(crate) async fn choose(
    store: &AppStore,
    chat: &str,
    toolset: &ToolsetId,
    wanted: &Selection,
    seen: &[String],
) -> Result<(), StoreError> {
    let row = RowRef::to::<Chat>(RowKey::one(chat));
    for attempt in 1.. {
        // A chat that is gone needs no tools.
        let Some(stored) = store.row(&row).await? else { return Ok(()) };
        let stamp = stored.stamp().cloned();
        let before: Chat = stored.record(&row)?;
        let after = choose_seen(&before, toolset, wanted, seen);
        if after == before {
            return Ok(());
        }
        let commit = Commit::default().change(&before, &after).expect(row.clone(), stamp);
        match store.apply(commit, clock::now()).await {
            Ok(_) => break,
            Err(StoreError::Changed(_)) if attempt < ATTEMPTS => {}
            Err(error) => return Err(error),
        }
    }
    tab_news::tell(Topic::Chats);
    Ok(())
}

/// What is equipped for the next chat; what cannot be read is nothing.
pub(crate) async fn equipped_next(store: &AppStore) -> Option<LastEquipped> {
    LastEquipped::load(store).await.ok().flatten()
}

/// Keeps what was chosen of it.
pub(crate) async fn keep_next(store: &AppStore, next: &LastEquipped) -> Result<(), StoreError> {
    let value = serde_json::to_value(next).expect("texts are JSON");
    store.apply(Commit::default().put(&KeptValue { key: LAST_EQUIPPED_KEY.into(), value }), clock::now()).await?;
    tab_news::tell(Topic::Toolsets);
    Ok(())
}

/// Moves the switch of a chat's configuration mode (R142).
pub(crate) async fn configure(store: &AppStore, chat: &str, enabled: bool) -> Result<(), LocalApiError> {
    let path = format!("/local/chats/{chat}/configuration-mode");
    local_api::call(store, "POST", &path, &format!("{{\"enabled\":{enabled}}}")).await?;
    tab_news::tell(Topic::Chats);
    Ok(())
}

/// Has an answer of a chat take at most so many rounds of tool calls; nothing for what the settings say (R191).
pub(crate) async fn limit_rounds(store: &AppStore, chat: &ChatId, rounds: Option<u32>) -> Result<(), StoreError> {
    let row = RowRef::to::<Chat>(RowKey::one(chat.as_str()));
    // A chat that is gone needs no rounds.
    let Some(stored) = store.row(&row).await? else { return Ok(()) };
    store.apply(conversation::limit_iterations(&stored.record(&row)?, rounds), clock::now()).await?;
    tab_news::tell(Topic::Chats);
    Ok(())
}
