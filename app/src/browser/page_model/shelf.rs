//! The files of models on this device. Beside each stands a small one that says what it is; it is written last and removed first, so that
//! a file without it is one that did not arrive whole.

use std::cell::Cell;

use js_sys::Uint8Array;
use satchel_core::model::{GgufError, GgufHead, PageModel};
use wasm_bindgen::JsCast;

use super::FOLDER;
use super::file_system::{Blob, FileSystemError, Folder};
use crate::browser::build::{self, BuildError};
use crate::browser::files::BrowserFile;
use crate::browser::outgoing::{self, Outgoing, OutgoingError};
use crate::browser::spawn::spawn;
use crate::browser::{clock, service_worker, storage};

/// The folder.
const MODELS: &str = "models";
/// How much of a file is copied at a time.
const PART: u64 = 8 << 20;
/// How long to wait for the service worker, which keeps what runs a model.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
/// How often, and after which pause, the file of a model that was given up is tried to be removed.
const ATTEMPTS: usize = 20;
const PAUSE: std::time::Duration = std::time::Duration::from_millis(100);
/// What stands beside a model is a few hundred bytes.
const NOTE_BYTES: u64 = 16 << 10;

/// How far a model has come: bytes that are here, and all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Here.
    pub(crate) done: u64,
    /// Of.
    pub(crate) total: u64,
}

/// Why a model could not be brought in, listed or deleted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShelfError {
    #[error(transparent)]
    Gguf(#[from] GgufError),
    #[error(transparent)]
    Files(#[from] FileSystemError),
    #[error(
        "it needs {needed}, and the browser has only {free} left for this site; delete models or chats you no longer need, or free space on the disk"
    )]
    NoRoom {
        /// How much it needs, in words.
        needed: String,
        /// How much there is, in words.
        free: String,
    },
    #[error("what runs a model could not be stored: {0}")]
    Engine(BuildError),
    #[error("the server cannot be reached, or the connection broke; try again")]
    Unreachable,
    #[error("the server does not accept the access token; connect again in Settings")]
    Token,
    #[error("the server offers no model; its operator can name one with --model-file")]
    NoneOffered,
    #[error("the server answered {0}")]
    Status(u16),
}

/// Its sentence is part of ours, so that it is no source beside it and is said once.
impl From<BuildError> for ShelfError {
    fn from(error: BuildError) -> Self {
        Self::Engine(error)
    }
}

/// The models on this device, by name. What did not arrive whole is cleared away.
pub(crate) async fn list() -> Result<Vec<PageModel>, ShelfError> {
    let folder = Folder::open(MODELS).await?;
    let names = folder.names().await?;
    let mut models = Vec::new();
    for name in names.iter().filter_map(|name| name.strip_suffix(".gguf")) {
        match note(&folder, name).await {
            Some(model) => models.push(model),
            // Begun by a tab that is gone. One that another tab is still writing cannot be removed, and is not.
            None if folder.file(&file_name(name)).await.is_ok_and(|file| file.bytes() == 0) => {
                folder.remove(&file_name(name)).await.ok();
            }
            None => {}
        }
    }
    models.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(models)
}

/// The file of a model, and what is known of it; none where it is not on this device.
pub(super) async fn open(name: &str) -> Result<Option<(Blob, PageModel)>, FileSystemError> {
    let folder = Folder::open(MODELS).await?;
    let Some(model) = note(&folder, name).await else { return Ok(None) };
    match folder.file(&file_name(name)).await {
        Ok(file) => Ok(Some((file, model))),
        Err(FileSystemError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Brings in a file of the user's. Dropping the future stops it, and leaves nothing behind.
pub(crate) async fn add(file: &BrowserFile, on_progress: impl Fn(Progress)) -> Result<PageModel, ShelfError> {
    let blob: &Blob = file.blob().unchecked_ref();
    let model = examine(&file.path, blob).await?;
    keep_engine().await?;
    make_room(model.bytes).await?;
    let folder = Folder::open(MODELS).await?;
    let arriving = Arriving::begin(&folder, &model.name).await?;
    let writing = folder.write(&file_name(&model.name)).await?;
    let mut done = 0;
    while done < model.bytes {
        on_progress(Progress { done, total: model.bytes });
        let to = (done + PART).min(model.bytes);
        writing.add(blob.part(done, to).as_ref()).await?;
        done = to;
    }
    writing.close().await?;
    arriving.end(&model).await?;
    Ok(model)
}

/// Fetches the model that the server offers. Dropping the future stops it, and leaves nothing behind.
pub(crate) async fn receive(
    file: &str,
    href: &str,
    headers: &[(String, String)],
    on_progress: impl Fn(Progress),
) -> Result<PageModel, ShelfError> {
    keep_engine().await?;
    let sent = outgoing::send(Outgoing { method: "GET", href, headers, body: None }).await;
    let mut incoming = sent.map_err(cut_off)?;
    match incoming.status() {
        200 => {}
        401 | 403 => return Err(ShelfError::Token),
        404 => return Err(ShelfError::NoneOffered),
        status => return Err(ShelfError::Status(status)),
    }
    let headers = incoming.headers();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let total: u64 = length.unwrap_or_default();
    make_room(total).await?;
    let name = PageModel::name_of(file);
    let folder = Folder::open(MODELS).await?;
    let arriving = Arriving::begin(&folder, &name).await?;
    let writing = folder.write(&file_name(&name)).await?;
    let done = Cell::new(0);
    while let Some(piece) = incoming.piece().await.map_err(cut_off)? {
        writing.add(Uint8Array::from(piece.as_slice()).as_ref()).await?;
        done.set(done.get() + piece.len() as u64);
        on_progress(Progress { done: done.get(), total: total.max(done.get()) });
    }
    // What ends early without a word is cut off.
    if total != 0 && done.get() != total {
        return Err(ShelfError::Unreachable);
    }
    writing.close().await?;
    let model = examine(file, &folder.file(&file_name(&name)).await?).await?;
    arriving.end(&model).await?;
    Ok(model)
}

/// Deletes a model from this device.
pub(crate) async fn delete(name: &str) -> Result<(), ShelfError> {
    let folder = Folder::open(MODELS).await?;
    folder.remove(&note_name(name)).await?;
    Ok(folder.remove(&file_name(name)).await?)
}

/// A model that is on its way: it is not listed until it is all there, and its file goes if it never is.
struct Arriving<'a> {
    folder: &'a Folder,
    name: String,
    is_here: bool,
}

impl<'a> Arriving<'a> {
    async fn begin(folder: &'a Folder, name: &str) -> Result<Self, FileSystemError> {
        folder.remove(&note_name(name)).await?;
        Ok(Self { folder, name: name.to_owned(), is_here: false })
    }

    async fn end(mut self, model: &PageModel) -> Result<(), FileSystemError> {
        let writing = self.folder.write(&note_name(&model.name)).await?;
        let text = serde_json::to_string(model).expect("it is JSON");
        writing.add(&text.into()).await?;
        writing.close().await?;
        self.is_here = true;
        Ok(())
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        if !self.is_here {
            spawn(clear_away(file_name(&self.name)));
        }
    }
}

/// Removes a file that is no longer written; the browser may need a moment to know that.
async fn clear_away(file: String) {
    let Ok(folder) = Folder::open(MODELS).await else { return };
    for _ in 0..ATTEMPTS {
        // Whoever lists models next clears away what could not be removed now.
        match folder.remove(&file).await {
            Err(FileSystemError::InUse) => clock::wait(PAUSE).await,
            Ok(()) | Err(_) => return,
        }
    }
}

/// What stands beside the file of a model, where it is of that file.
async fn note(folder: &Folder, name: &str) -> Option<PageModel> {
    let note = folder.file(&note_name(name)).await.ok()?;
    let text = note.part(0, NOTE_BYTES).read().await.ok()?;
    let model: PageModel = serde_json::from_slice(&text).ok()?;
    (model.name == name).then_some(model)
}

/// What a file says it is.
async fn examine(file_name: &str, file: &Blob) -> Result<PageModel, ShelfError> {
    let head = file.part(0, GgufHead::BYTES as u64).read().await?;
    let bytes = file.bytes();
    Ok(PageModel::new(file_name, bytes, GgufHead::read(&head, bytes)?))
}

/// Has what runs a model be there without a network: asked for once, the service worker keeps it.
async fn keep_engine() -> Result<(), BuildError> {
    service_worker::until_controlled(PATIENCE).await;
    for file in build::files_below(&build::id(), &[FOLDER]).await? {
        build::raw_bytes_at(&file.path).await?;
    }
    Ok(())
}

/// Finds out whether there is room, before anything is written: what the browser says it would give.
async fn make_room(bytes: u64) -> Result<(), ShelfError> {
    // Where the browser does not say, writing will.
    let Ok(summary) = storage::summary().await else { return Ok(()) };
    let free = summary.quota.saturating_sub(summary.used);
    if bytes <= free {
        return Ok(());
    }
    let words = |bytes: u64| format!("{} MB", bytes.div_ceil(1_000_000));
    Err(ShelfError::NoRoom { needed: words(bytes), free: words(free) })
}

fn cut_off(error: OutgoingError) -> ShelfError {
    match error {
        OutgoingError::Unreachable | OutgoingError::TooLarge => ShelfError::Unreachable,
    }
}

fn file_name(name: &str) -> String {
    format!("{name}.gguf")
}

fn note_name(name: &str) -> String {
    format!("{name}.json")
}
