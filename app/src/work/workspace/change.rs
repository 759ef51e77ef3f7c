//! Changing files: every change is one manifest, but for those of one editing session, which share one.

use std::collections::BTreeSet;

use satchel_core::digest::BlobId;
use satchel_core::ids::ManifestId;
use satchel_core::record::ToolCall;
use satchel_core::store::{self, Blob, Commit, Store as _};
use satchel_core::workspace::{
    self, Cause, Changes, FileEntry, Made, NewManifest, Standing, WorkspacePath, edit, find, gather, names_beside,
};

use super::{AppStore, FilesError, OpenChat, empty_root, place, reading, rows};
use crate::browser::tab_news::{self, Topic};
use crate::browser::tab_roles::ChatTurn;
use crate::browser::{clock, random};
use crate::work::{chats, settings};

/// What was done, and how to take it back.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    /// What takes it back.
    pub(crate) undo: Changes,
    /// How many files were there before and have other content now.
    pub(crate) replaced: usize,
}

/// One save of an editing session.
pub(crate) struct Saving<'a> {
    /// The file.
    pub(crate) path: &'a WorkspacePath,
    /// What stands in the editor.
    pub(crate) text: String,
    /// What the file was when the session last looked.
    pub(crate) seen: Option<FileEntry>,
    /// The manifest that the session made last.
    pub(crate) last_save: Option<&'a ManifestId>,
}

/// What a save came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Saved {
    /// It is stored. Where nothing had changed there is no new manifest.
    Kept { file: FileEntry, manifest: Option<ManifestId> },
    /// The file was changed or deleted elsewhere since the session last looked. Nothing was written.
    Conflict { theirs: Option<FileEntry> },
}

/// Changes the files of the node that is looked at, or of where its branch has gone on to by the time it is the change's turn. `plan` is
/// given their tree as it is now, and reads of it what it needs: a change costs what it changes, not what is there.
pub(crate) async fn change(
    store: &AppStore,
    open: &OpenChat,
    contents: Vec<Blob>,
    cause: &Cause,
    plan: impl AsyncFnOnce(BlobId) -> Result<Changes, FilesError>,
) -> Result<Changed, FilesError> {
    let _turn = ChatTurn::wait(open.chat.id.as_str()).await;
    let open = &chats::caught_up(store, open).await?;
    let place = place(store, &rows(store, open).await?, open).await?;
    let root = place.base.as_ref().map_or_else(empty_root, |base| base.manifest.root);
    let changes = plan(root).await?;
    let before = reading(store, |trees| gather(trees, root, changes.paths())).await?;
    let limits = settings::limits(store).await?.workspace();
    let snapshot = reading(store, |trees| edit(trees, root, &changes, &limits)).await?;
    if snapshot.root == root && !contents.is_empty() {
        // Nothing changes by name, but what is stored under these names may be damaged: storing it again heals it.
        store.apply(Commit { blobs: contents, ..Commit::default() }, clock::now()).await?;
    } else if let Some(made) = workspace::record(&place, snapshot, contents, fresh(), cause) {
        commit(store, made).await?;
    }
    let replaced = changes.puts().filter(|path| before.contains_key(*path)).count();
    Ok(Changed { undo: changes.undo(&before), replaced })
}

/// A path of this name, or one like it, that nothing has yet.
pub(crate) async fn free_path(
    store: &AppStore,
    open: &OpenChat,
    wanted: &WorkspacePath,
) -> Result<WorkspacePath, FilesError> {
    let root = rows(store, open).await?.root_at(open, &open.leaf)?;
    Ok(workspace::free_path(&names_at(store, root, wanted).await?, wanted)?)
}

/// The names in the folder that a path is in.
pub(super) async fn names_at(
    store: &AppStore,
    root: BlobId,
    path: &WorkspacePath,
) -> Result<BTreeSet<String>, FilesError> {
    reading(store, |trees| names_beside(trees, root, path)).await
}

/// Makes a new file; refused where something has that path.
pub(crate) async fn write(
    store: &AppStore,
    open: &OpenChat,
    path: WorkspacePath,
    text: &str,
) -> Result<Changed, FilesError> {
    let blob = Blob::new(text.as_bytes().to_vec());
    let file = FileEntry { sha256: blob.id(), size: text.len() as u64 };
    change(store, open, vec![blob], &Cause::Edit, async |root| {
        if reading(store, |trees| find(trees, root, &path)).await?.is_some() {
            return Err(FilesError::Exists(path));
        }
        Ok(Changes::default().put(path, file))
    })
    .await
}

/// Moves a file, or a folder with everything in it.
pub(crate) async fn rename(
    store: &AppStore,
    open: &OpenChat,
    from: &WorkspacePath,
    to: &WorkspacePath,
) -> Result<Changed, FilesError> {
    change(store, open, Vec::new(), &Cause::Edit, async |root| {
        let files = reading(store, |trees| gather(trees, root, [from, to])).await?;
        Ok(workspace::rename(&files, from, to)?)
    })
    .await
}

/// Deletes a file, or a folder with everything in it.
pub(crate) async fn delete(store: &AppStore, open: &OpenChat, path: &WorkspacePath) -> Result<Changed, FilesError> {
    change(store, open, Vec::new(), &Cause::Edit, async |_root| Ok(Changes::default().delete(path.clone()))).await
}

/// Makes a file what it was in another state.
pub(crate) async fn restore(
    store: &AppStore,
    open: &OpenChat,
    path: &WorkspacePath,
    file: FileEntry,
) -> Result<Changed, FilesError> {
    change(store, open, Vec::new(), &Cause::Edit, async |_root| Ok(Changes::default().put(path.clone(), file))).await
}

/// Takes a change back.
pub(crate) async fn undo(store: &AppStore, open: &OpenChat, changes: Changes) -> Result<Changed, FilesError> {
    change(store, open, Vec::new(), &Cause::Edit, async |_root| Ok(changes)).await
}

/// Saves what stands in an editor, unless the file has changed elsewhere meanwhile.
pub(crate) async fn save(store: &AppStore, open: &OpenChat, saving: Saving<'_>) -> Result<Saved, FilesError> {
    let Saving { path, text, seen, last_save } = saving;
    let blob = Blob::new(text.into_bytes());
    let file = FileEntry { sha256: blob.id(), size: blob.bytes().len() as u64 };
    let _turn = ChatTurn::wait(open.chat.id.as_str()).await;
    let open = &chats::caught_up(store, open).await?;
    let rows = rows(store, open).await?;
    let place = place(store, &rows, open).await?;
    let root = place.base.as_ref().map_or_else(empty_root, |base| base.manifest.root);
    let now = reading(store, |trees| find(trees, root, path)).await?;
    if now == Some(file) {
        return Ok(Saved::Kept { file, manifest: last_save.cloned() });
    }
    if now != seen {
        return Ok(Saved::Conflict { theirs: now });
    }
    let changes = Changes::default().put(path.clone(), file);
    let limits = settings::limits(store).await?.workspace();
    let snapshot = reading(store, |trees| edit(trees, root, &changes, &limits)).await?;
    let standing = match last_save {
        None => None,
        Some(id) => {
            let calls = store::list_where::<ToolCall>(store, "chat_id", open.chat.id.as_str()).await?;
            let calls: Vec<ToolCall> = calls.into_iter().flatten().collect();
            let manifests: Vec<_> = rows.manifests.values().cloned().collect();
            Some((id, Standing::of(id, &rows.heads.rows(&open.chat.id), &manifests, &calls)))
        }
    };
    let Some(made) = workspace::save_edit(&place, standing, snapshot, vec![blob], fresh()) else {
        return Ok(Saved::Kept { file, manifest: last_save.cloned() });
    };
    let manifest = Some(made.manifest.id.clone());
    commit(store, made).await?;
    Ok(Saved::Kept { file, manifest })
}

async fn commit(store: &AppStore, made: Made) -> Result<(), FilesError> {
    store.apply(made.commit, clock::now()).await?;
    tab_news::tell(Topic::Chats);
    Ok(())
}

fn fresh() -> NewManifest {
    NewManifest { id: random::manifest_id(), created_at: clock::now() }
}
