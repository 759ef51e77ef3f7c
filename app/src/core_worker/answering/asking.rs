//! One question to a model, and its answer as it comes.

use std::collections::BTreeMap;

use futures_channel::mpsc;
use satchel_core::digest::BlobId;
use satchel_core::model::{ModelError, ModelLimits, ModelRequest, Said, StreamReader};
use satchel_core::protocol::{ANSWERED_BY, Problem, ProviderFormat};
use satchel_core::store::Store as _;
use satchel_core::turn::TurnEvent;
use serde_json::Value;

use super::line::{Line, Via, Web};
use super::within;
use crate::browser::indexed_db::IndexedDbStore;
use crate::browser::outgoing::{self, Incoming, Outgoing, OutgoingError};
use crate::browser::page_model;
use crate::browser::picture;
use crate::browser::raw_bytes::RawBytes;

/// How long nothing may come: at first, when a model on the user's own machine may have to be loaded, and between two pieces.
const FIRST_PATIENCE: u64 = 300;
const PATIENCE: u64 = 120;

/// How long a picture's longer side may be, in pixels: what is larger providers make smaller themselves, or refuse.
const LONGEST_SIDE: u32 = 1_568;

/// Asks, and sends each piece on. What came before an error is sent already.
pub(super) async fn ask(
    store: &IndexedDbStore,
    line: &Line,
    request: &ModelRequest,
    sender: &mpsc::UnboundedSender<TurnEvent>,
) -> Result<(), ModelError> {
    let images = images(store, request).await;
    let image = |id: &BlobId| images.get(id).cloned();
    match line {
        Line::Web(web) => ask_web(web, &web.format.body(request, &image), sender).await,
        Line::Page(model) => ask_page(model, &ProviderFormat::OpenAi.body(request, &image), sender).await,
    }
}

async fn ask_web(web: &Web, body: &Value, sender: &mpsc::UnboundedSender<TurnEvent>) -> Result<(), ModelError> {
    let mut headers = web.headers.clone();
    headers.push(("content-type".into(), "application/json".into()));
    let body = RawBytes::from(body.to_string().as_bytes());
    let outgoing = Outgoing { method: "POST", href: &web.href, headers: &headers, body: Some(&body) };
    let mut incoming = within(FIRST_PATIENCE, outgoing::send(outgoing)).await?.map_err(unreachable)?;
    let limits = ModelLimits::default();
    if !incoming.is_ok() {
        return Err(refusal(web, incoming, limits).await);
    }
    let mut reader = StreamReader::new(web.format, limits);
    let mut patience = FIRST_PATIENCE;
    loop {
        let piece = within(patience, incoming.piece()).await?.map_err(|_cut| ModelError::Broken(Said::default()))?;
        let Some(piece) = piece else { break };
        patience = PATIENCE;
        let (deltas, read) = reader.read(&piece);
        send(deltas, sender);
        read?;
    }
    let (deltas, ended) = reader.end();
    send(deltas, sender);
    ended
}

/// What runs here is waited for as long as it takes: the user sees that it works, and can stop it.
async fn ask_page(model: &str, body: &Value, sender: &mpsc::UnboundedSender<TurnEvent>) -> Result<(), ModelError> {
    let mut reader = StreamReader::new(ProviderFormat::OpenAi, ModelLimits::default());
    let mut malformed = None;
    let asked = page_model::ask(model, body, |piece| {
        let (deltas, read) = reader.read(&piece);
        send(deltas, sender);
        if let Err(error) = read {
            malformed.get_or_insert(error);
        }
    });
    asked.await?;
    if let Some(error) = malformed {
        return Err(error);
    }
    let (deltas, ended) = reader.end();
    send(deltas, sender);
    ended
}

fn send(deltas: Vec<satchel_core::model::Delta>, sender: &mpsc::UnboundedSender<TurnEvent>) {
    for delta in deltas {
        // Who listens ends only together with this.
        sender.unbounded_send(TurnEvent::Delta(delta)).ok();
    }
}

/// The pictures of a request, as far as they are stored, none larger than a model looks at.
async fn images(store: &IndexedDbStore, request: &ModelRequest) -> BTreeMap<BlobId, Vec<u8>> {
    let wanted: Vec<BlobId> = request.images().into_iter().collect();
    let found = store.blobs(&wanted).await.unwrap_or_default();
    let sound = |(id, bytes): (BlobId, Option<Vec<u8>>)| Some((id, bytes.filter(|bytes| BlobId::of(bytes) == id)?));
    let mut images = BTreeMap::new();
    for (id, bytes) in wanted.into_iter().zip(found).filter_map(sound) {
        // What cannot be made smaller is sent as it is; the provider says what it thinks of that.
        let smaller = picture::fitted(&bytes, LONGEST_SIDE).await;
        images.insert(id, smaller.unwrap_or(bytes));
    }
    images
}

/// What an answer means that is none. The server's own words are told apart from those of a provider.
async fn refusal(web: &Web, incoming: Incoming, limits: ModelLimits) -> ModelError {
    let (status, headers) = (incoming.status(), incoming.headers());
    let header = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let is_ours = web.via == Via::Server && header(ANSWERED_BY).is_none();
    let retry_after = header("retry-after").and_then(|text| text.trim().parse().ok());
    let body = incoming.body(limits.body_bytes as u64, |_, _| {}).await;
    let body = body.map(|bytes| bytes.to_vec()).unwrap_or_default();
    if is_ours {
        let said = serde_json::from_slice::<Problem>(&body).map(|problem| problem.error.message);
        let said = Said::new(&said.unwrap_or_else(|_| format!("the server answered {status}")));
        // It says with these that the provider could not be reached.
        return if matches!(status, 502..=504) { ModelError::Unreachable(said) } else { ModelError::Refused(said) };
    }
    ModelError::of_response(status, retry_after, &body)
}

fn unreachable(error: OutgoingError) -> ModelError {
    match error {
        OutgoingError::Unreachable => ModelError::Unreachable(Said::default()),
        OutgoingError::TooLarge => ModelError::Malformed(Said::default()),
    }
}
