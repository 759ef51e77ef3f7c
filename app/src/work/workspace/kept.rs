//! Texts that could not be saved into their files: kept as drafts of this device, and put back.

use satchel_core::ids::ChatId;
use satchel_core::record::Draft;
use satchel_core::store::{self, Commit, Store as _, StoreError};
use satchel_core::workspace::{KeptText, WorkspacePath, find};

use super::{AppStore, FilesError, OpenChat, Saved, Saving, free_path, reading, rows, save, write};
use crate::browser::clock;
use crate::work::drafts;

/// Keeps a text. It is all there is of it, so it is written as durably as a message.
pub(crate) async fn keep_text(store: &AppStore, kept: &KeptText) -> Result<(), StoreError> {
    store.apply(Commit::default().put(&kept.to_draft()), clock::now()).await.map(drop)
}

/// Lets a text go.
pub(crate) async fn forget_text(store: &AppStore, place: &str) -> Result<(), StoreError> {
    store.apply(Commit::default().delete(drafts::row(place)), clock::now()).await.map(drop)
}

/// The texts that wait in a chat, the oldest first.
pub(crate) async fn kept_texts(store: &AppStore, chat: &ChatId) -> Result<Vec<KeptText>, StoreError> {
    let drafts = store::list::<Draft>(store).await?.into_iter().flatten();
    Ok(drafts.filter_map(|draft| KeptText::of_draft(draft, chat)).collect())
}

/// Puts a text into its file if that is still what it was, else beside it; where it is now.
pub(crate) async fn put_text_back(
    store: &AppStore,
    open: &OpenChat,
    kept: &KeptText,
) -> Result<WorkspacePath, FilesError> {
    let root = rows(store, open).await?.root_at(open, &open.leaf)?;
    let now = reading(store, |trees| find(trees, root, &kept.path)).await?;
    let seen = now.filter(|file| Some(file.sha256) == kept.seen);
    let saving = Saving { path: &kept.path, text: kept.text.clone(), seen, last_save: None };
    match save(store, open, saving).await? {
        Saved::Kept { .. } => Ok(kept.path.clone()),
        Saved::Conflict { .. } => {
            let path = free_path(store, open, &kept.path).await?;
            write(store, open, path.clone(), &kept.text).await?;
            Ok(path)
        }
    }
}
