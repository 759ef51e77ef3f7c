//! The models that run in the page: brought in, tried, deleted.

use std::time::Duration;

use satchel_core::local_api::RefusalBody;
use satchel_core::model::{Draft, ModelLimits, PageModel, StreamReader};
use satchel_core::protocol::{PageModelOffer, ProviderFormat};
use serde_json::json;

use super::server;
use super::store::AppStore;
use crate::browser::core_worker::{self, Post};
use crate::browser::outgoing::{self, Outgoing};
use crate::browser::page_model;
use crate::browser::raw_bytes::RawBytes;
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::ActiveRun;
use crate::browser::{clock, storage};
use crate::core_worker::{Answer, Job};

pub(crate) use crate::browser::files::{BrowserFile, picked};
pub(crate) use crate::browser::page_model::{Means, Progress, ShelfError, list, means};

/// The largest answer to the question which model there is.
const OFFER_BYTES: u64 = 64 << 10;

/// What a trial came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tried {
    /// What the model said.
    pub(crate) said: String,
    /// How long all of it took, loading included.
    pub(crate) took: Duration,
}

/// Calls back when a model has come or gone, in whichever tab.
pub(crate) fn on_news(callback: impl Fn() + 'static) {
    tab_news::on(Topic::Models, callback);
}

/// The model that the connected server gives to pages; none where there is no server, or it has none.
pub(crate) async fn offer(store: &AppStore) -> Option<PageModelOffer> {
    let (href, headers) = way(store, "/api/v1/page-model").await?;
    let incoming = outgoing::send(Outgoing { method: "GET", href: &href, headers: &headers, body: None }).await.ok()?;
    let body = incoming.is_ok().then(|| incoming.body(OFFER_BYTES, |_, _| {}))?.await.ok()?;
    serde_json::from_slice(&body.to_vec()).ok()
}

/// Fetches that model. Dropping the future stops it.
pub(crate) async fn receive(
    store: &AppStore,
    offer: &PageModelOffer,
    on_progress: impl Fn(Progress),
) -> Result<PageModel, ShelfError> {
    let (href, headers) = way(store, "/api/v1/page-model/file").await.ok_or(ShelfError::Token)?;
    // What is this large should not be cleared away by the browser; where it does not promise that, it still works.
    storage::persist().await;
    let model = page_model::receive(&offer.file, &href, &headers, on_progress).await?;
    tab_news::tell_every_tab(Topic::Models);
    Ok(model)
}

/// Brings in a file of the user's. Dropping the future stops it.
pub(crate) async fn add(file: &BrowserFile, on_progress: impl Fn(Progress)) -> Result<PageModel, ShelfError> {
    storage::persist().await;
    let model = page_model::add(file, on_progress).await?;
    tab_news::tell_every_tab(Topic::Models);
    Ok(model)
}

/// Deletes a model from this device.
pub(crate) async fn delete(name: &str) -> Result<(), ShelfError> {
    page_model::delete(name).await?;
    tab_news::tell_every_tab(Topic::Models);
    Ok(())
}

/// Has a model say something, to see whether it runs here and how fast; else a sentence why it does not.
pub(crate) async fn try_out(model: String) -> Result<Tried, String> {
    let _run = ActiveRun::begin();
    let begun = clock::monotonic();
    let question = json!([{"role": "user", "content": "Say hello in one short sentence."}]);
    let body = json!({"messages": question, "max_tokens": 40, "temperature": 0}).to_string();
    let job = Job::AskPageModel { model };
    let running = core_worker::start_job(Post::Tools, &job, vec![RawBytes::from(body.as_bytes())], None);
    let answered = running.map_err(|error| error.to_string())?.end().await.map_err(|error| error.to_string())?;
    let body = answered.pieces.first().map(RawBytes::to_vec).unwrap_or_default();
    if !matches!(answered.answer, Answer::Responded { status: 200, .. }) {
        let refusal = serde_json::from_slice::<RefusalBody>(&body);
        return Err(refusal.map_or_else(|_| "the model did not answer".into(), |refusal| refusal.error.message));
    }
    let limits = ModelLimits::default();
    let (mut reader, mut draft) = (StreamReader::new(ProviderFormat::OpenAi, limits), Draft::default());
    for delta in reader.read(&body).0 {
        draft.add(delta, &limits).map_err(|error| error.to_string())?;
    }
    Ok(Tried { said: draft.text.trim().to_owned(), took: clock::monotonic().saturating_sub(begun) })
}

/// Where the server is asked, and with which headers.
async fn way(store: &AppStore, path: &str) -> Option<(String, Vec<(String, String)>)> {
    let AppStore::Kept(kept) = store else { return None };
    let server = server::access(kept).await.ok().flatten()?;
    let bearer = ("authorization".to_owned(), format!("Bearer {}", server.token));
    Some((format!("{}{path}", server.address), vec![bearer]))
}
