//! The files of a chat, as they are at the node that is looked at.
//!
//! Whoever changes files first waits for the chat's turn ([`ChatTurn`]), then reads what is there now, and commits what follows
//! from that. So two tabs never build on the same state, and nobody removes a manifest that another has just begun to name.

mod change;
mod heads;
mod kept;
mod past;
mod upload;

use std::cell::RefCell;
use std::collections::BTreeMap;

use satchel_core::conversation::Heads;
use satchel_core::digest::BlobId;
use satchel_core::ids::ManifestId;
use satchel_core::record::{Node, NodeHead, RowRef, WorkspaceManifest};
use satchel_core::store::{self, Store as _, StoreError};
use satchel_core::workspace::{
    Base, FileEntry, Files, MoveError, PathError, Place, ReadError, Trees, WorkspaceError, WorkspacePath,
    before_last_run, diff, empty_root, flatten, lineage, read,
};

#[cfg(feature = "bench")]
pub(crate) use self::change::change;
pub(crate) use self::change::{Changed, Saved, Saving, delete, free_path, rename, restore, save, undo, write};
pub(crate) use self::heads::{Rival, choose, put_back};
pub(crate) use self::kept::{forget_text, keep_text, kept_texts, put_text_back};
pub(crate) use self::past::{Point, compare, points, versions};
pub(crate) use self::upload::{Naming, Ready, Upload, Uploaded, bring, put};
use super::chats::OpenChat;
use super::local_api::{self, LocalApiError};
use super::store::AppStore;
use crate::browser::core_worker::WorkerError;
use crate::browser::digest;
use crate::browser::files::{self, BrowserFile, FileError};
use crate::browser::raw_bytes::RawBytes;

/// Why something was not done to files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilesError {
    #[error(transparent)]
    Refused(#[from] WorkspaceError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error("\"{0}\" already exists; choose another name, or open that one")]
    Exists(WorkspacePath),
    #[error("the content of \"{0}\" is not stored on this device; run the storage check in Settings")]
    Lost(String),
    #[error(
        "the content of \"{0}\" is damaged on this device and is not shown; add the file again, or run the storage check in Settings"
    )]
    Damaged(String),
    #[error("the files of this message are not stored on this device; run the storage check in Settings")]
    LostState,
    #[error("there is nothing in it")]
    Nothing,
    #[error("{0}")]
    NotPacked(LocalApiError),
    #[error("it was stopped")]
    Stopped,
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ReadError> for FilesError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => Self::Store(error),
            ReadError::Workspace(error) => Self::Refused(error),
        }
    }
}

/// What became of a file since the last run of a tool or, where none has run, since the message before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Added,
    Changed,
    Deleted,
}

/// The files of a node, as they were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) node: Node,
    pub(crate) files: Files,
    pub(crate) marks: BTreeMap<WorkspacePath, Mark>,
    /// What was there and is not any more, as it was.
    pub(crate) deleted: Files,
    /// Whether marks are against the last run of a tool.
    pub(crate) since_run: bool,
    /// Where devices left several states to choose from: all of them, the one whose files these are first.
    pub(crate) rivals: Vec<Rival>,
}

/// The rows that say which files are where.
struct Rows {
    heads: Heads,
    manifests: BTreeMap<ManifestId, WorkspaceManifest>,
}

thread_local! {
    /// A tree never changes, so what was read once need not be read again.
    static KNOWN: RefCell<Trees> = RefCell::default();
}

/// Does something that needs trees.
pub(super) async fn reading<T>(
    store: &AppStore,
    ask: impl FnMut(&Trees) -> Result<T, WorkspaceError>,
) -> Result<T, FilesError> {
    const MOST_KNOWN: usize = 10_000;
    // Whoever reads meanwhile begins with nothing, which costs time and nothing else.
    let mut trees = KNOWN.take();
    let answer = read(store, &mut trees, ask).await;
    // What could not be read may be there the next time.
    if answer.is_ok() && trees.len() <= MOST_KNOWN {
        KNOWN.set(trees);
    }
    Ok(answer?)
}

async fn rows(store: &AppStore, open: &OpenChat) -> Result<Rows, StoreError> {
    let chat = &open.chat.id;
    let heads = store::list_where::<NodeHead>(store, "chat_id", chat.as_str()).await?;
    let manifests = store::list_where::<WorkspaceManifest>(store, "chat_id", chat.as_str()).await?;
    let manifests = manifests.into_iter().flatten().map(|manifest| (manifest.id.clone(), manifest));
    Ok(Rows { heads: Heads::new(chat, heads.into_iter().flatten()), manifests: manifests.collect() })
}

impl Rows {
    /// The state of a node; none where no files were ever there.
    fn state_at(&self, open: &OpenChat, node: &Node) -> Result<Option<&WorkspaceManifest>, FilesError> {
        let id = self.heads.manifest_at(&open.tree, node);
        id.map(|id| self.manifests.get(id).ok_or(FilesError::LostState)).transpose()
    }

    fn root_at(&self, open: &OpenChat, node: &Node) -> Result<BlobId, FilesError> {
        Ok(self.state_at(open, node)?.map_or_else(empty_root, |manifest| manifest.root))
    }
}

/// The files of the node that is looked at.
pub(crate) async fn list(store: &AppStore, open: &OpenChat) -> Result<Listing, FilesError> {
    let rows = rows(store, open).await?;
    let state = rows.state_at(open, &open.leaf)?;
    let root = state.map_or_else(empty_root, |manifest| manifest.root);
    let run = state.and_then(|state| before_last_run(&lineage(&rows.manifests, &state.id)));
    let base = match (run, &open.leaf) {
        (Some(before), _) => before,
        (None, Node::Root) => empty_root(),
        (None, Node::Message(id)) => rows.root_at(open, open.tree.parent(id).unwrap_or(&Node::Root))?,
    };
    let (files, difference) = reading(store, |trees| Ok((flatten(trees, root)?, diff(trees, base, root)?))).await?;
    let added = difference.added.into_keys().map(|path| (path, Mark::Added));
    let changed = difference.changed.into_keys().map(|path| (path, Mark::Changed));
    let deleted = difference.deleted.keys().map(|path| (path.clone(), Mark::Deleted));
    Ok(Listing {
        node: open.leaf.clone(),
        files,
        marks: added.chain(changed).chain(deleted).collect(),
        deleted: difference.deleted,
        since_run: run.is_some(),
        rivals: heads::rivals(store, &rows, open).await?,
    })
}

/// The state that a change of files starts from, with the stamp of its head. Only for who has the chat's turn.
async fn place(store: &AppStore, rows: &Rows, open: &OpenChat) -> Result<Place, FilesError> {
    let (chat_id, node) = (open.chat.id.clone(), open.leaf.clone());
    let Some(manifest) = rows.state_at(open, &node)?.cloned() else {
        return Ok(Place { chat_id, node, base: None });
    };
    let head = NodeHead { chat_id: chat_id.clone(), message_id: node.clone(), manifest_id: manifest.id.clone() };
    let head = store.row(&RowRef::of(&head)).await?.and_then(|row| row.stamp().cloned());
    Ok(Place { chat_id, node, base: Some(Base { manifest, head }) })
}

/// The bytes of a file, once they were found to be those that it is named after: a disk may lose a bit, and what is damaged is
/// neither shown nor given out.
pub(crate) async fn bytes(store: &AppStore, path: &WorkspacePath, file: FileEntry) -> Result<Vec<u8>, FilesError> {
    let bytes = store.blob(file.sha256).await?.ok_or_else(|| FilesError::Lost(path.to_string()))?;
    if digest::of(&bytes).await == file.sha256 { Ok(bytes) } else { Err(FilesError::Damaged(path.to_string())) }
}

/// Saves one file where the browser keeps downloads.
pub(crate) async fn download(store: &AppStore, path: &WorkspacePath, file: FileEntry) -> Result<(), FilesError> {
    files::download(path.name(), &RawBytes::from(bytes(store, path, file).await?.as_slice()));
    Ok(())
}

/// Saves files as one ZIP; the names in it are their paths.
pub(crate) async fn download_all(store: &AppStore, name: &str, chosen: &Files) -> Result<(), FilesError> {
    if chosen.is_empty() {
        return Err(FilesError::Nothing);
    }
    let chosen = chosen.iter().map(|(path, file)| (path.to_string(), file.sha256)).collect();
    let packed = local_api::pack(store, chosen).await.map_err(FilesError::NotPacked)?;
    files::download(&format!("{}.zip", file_name(name)), packed.body());
    Ok(())
}

/// A title as the name of a file: no system minds these characters.
pub(super) fn file_name(title: &str) -> String {
    let kept = |letter: char| if letter.is_alphanumeric() || " -_.".contains(letter) { letter } else { '_' };
    let name: String = title.chars().map(kept).take(60).collect();
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() { "workspace".into() } else { name.into() }
}

/// The folders of a chat that have nothing in them yet. No manifest keeps an empty folder; this device does.
pub(crate) async fn empty_folders(store: &AppStore, open: &OpenChat) -> Result<Vec<WorkspacePath>, StoreError> {
    Ok(super::positions::load(store.clone(), &folders_place(open)).await?.unwrap_or_default())
}

/// Remembers the folders that have nothing in them yet.
pub(crate) async fn keep_empty_folders(
    store: &AppStore,
    open: &OpenChat,
    folders: &[WorkspacePath],
) -> Result<(), StoreError> {
    super::positions::save(store.clone(), &folders_place(open), &folders).await
}

fn folders_place(open: &OpenChat) -> String {
    format!("folders/{}", open.chat.id)
}
