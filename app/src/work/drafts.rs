//! Keeping what was written and not sent.

use satchel_core::record::{Attachment, Draft, RowKey, RowRef};
use satchel_core::store::{self, Commit, Store as _, StoreError};

use super::store::AppStore;
use crate::browser::clock;

/// What is written: words, and the files that go along with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) attachments: Vec<Attachment>,
    /// The draft that it was taken from, which goes when it is stored as a message.
    pub(crate) draft: Option<RowRef>,
}

impl Written {
    /// Whether there is nothing in it.
    pub(crate) fn is_nothing(&self) -> bool {
        self.text.is_empty() && self.attachments.is_empty()
    }
}

/// What was written at a place; nothing where nothing was.
pub(crate) async fn load(store: AppStore, place: &str) -> Result<Written, StoreError> {
    let draft: Option<Draft> = store::get(&store, RowKey::one(place)).await?;
    Ok(draft.map(|Draft { text, attachments, .. }| Written { text, attachments, draft: None }).unwrap_or_default())
}

/// Keeps what is written at a place; nothing leaves nothing behind.
pub(crate) async fn save(store: AppStore, place: &str, written: &Written) -> Result<(), StoreError> {
    let Written { text, attachments, .. } = written.clone();
    let draft = Draft { place: place.into(), text, attachments, file: None };
    let commit =
        if written.is_nothing() { Commit::relaxed().delete(row(place)) } else { Commit::relaxed().put(&draft) };
    store.apply(commit, clock::now()).await.map(drop)
}

/// The row of the draft at a place.
pub(crate) fn row(place: &str) -> RowRef {
    RowRef::to::<Draft>(RowKey::one(place))
}
