//! The records of calls, and the contents they are shown from. Nothing here runs anything: what a call showed is all stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use satchel_core::digest::BlobId;
use satchel_core::ids::{ChatId, MessageId};
use satchel_core::record::{RowKey, Table, ToolCall, WorkspaceManifest};
use satchel_core::store::{self, Store as _, StoreError};
use satchel_core::workspace::{Files, flatten};

use super::store::AppStore;
use super::workspace::{FilesError, reading};
use crate::browser::digest;

/// The calls of a chat.
#[derive(Default)]
pub(crate) struct CallRows {
    /// All of them, by the ids of their rows.
    all: BTreeMap<String, Arc<ToolCall>>,
    /// Those that messages ask for.
    asked: BTreeMap<(MessageId, String), Arc<ToolCall>>,
}

impl CallRows {
    /// The call that a message asks for by this id.
    pub(crate) fn get(&self, message: &MessageId, call_id: &str) -> Option<Arc<ToolCall>> {
        self.asked.get(&(message.clone(), call_id.to_owned())).cloned()
    }

    fn of(rows: impl IntoIterator<Item = Arc<ToolCall>>) -> Self {
        let mut calls = Self::default();
        for row in rows {
            if let (Some(message), Some(call_id)) = (&row.message_id, &row.call_id) {
                calls.asked.insert((message.clone(), call_id.clone()), Arc::clone(&row));
            }
            calls.all.insert(row.id.to_string(), row);
        }
        calls
    }
}

/// Reads the calls of a chat. A row that cannot be read is left out. Of what was read `before`, only what had not ended is read again: what
/// has ended does not change.
pub(crate) async fn of_chat(
    store: &AppStore,
    chat: &ChatId,
    before: Option<Arc<CallRows>>,
) -> Result<Arc<CallRows>, StoreError> {
    let Some(before) = before else {
        let rows = store::list_where::<ToolCall>(store, "chat_id", chat.as_str()).await?;
        return Ok(Arc::new(CallRows::of(rows.into_iter().flatten().map(Arc::new))));
    };
    let mut rows = Vec::new();
    for key in store.row_keys_where(Table::ToolCalls, "chat_id", chat.as_str()).await? {
        match before.all.get(&key.to_string()).filter(|call| call.finished_at.is_some()) {
            Some(ended) => rows.push(Arc::clone(ended)),
            None => rows.extend(store::get::<ToolCall>(store, key).await.ok().flatten().map(Arc::new)),
        }
    }
    Ok(Arc::new(CallRows::of(rows)))
}

/// A content by its name, once it was found to be what it is named after. `path` is for the words where it is not.
pub(crate) async fn content(store: &AppStore, path: &str, sha256: BlobId) -> Result<Vec<u8>, FilesError> {
    let bytes = store.blob(sha256).await?.ok_or_else(|| FilesError::Lost(path.to_owned()))?;
    if digest::of(&bytes).await == sha256 { Ok(bytes) } else { Err(FilesError::Damaged(path.to_owned())) }
}

/// The same, as text.
pub(crate) async fn text(store: &AppStore, path: &str, sha256: BlobId) -> Result<String, FilesError> {
    let bytes = content(store, path, sha256).await?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Several contents, by their paths. What is lost or damaged is left out.
pub(crate) async fn contents(store: &AppStore, files: &BTreeMap<String, BlobId>) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for (path, sha256) in files {
        if let Ok(bytes) = content(store, path, *sha256).await {
            found.insert(path.clone(), bytes);
        }
    }
    found
}

/// The files of the workspace as a call left them.
pub(crate) async fn files_after(store: &AppStore, call: &ToolCall) -> Result<Files, FilesError> {
    let Some(id) = &call.post_manifest_id else { return Ok(Files::default()) };
    let manifest: Option<WorkspaceManifest> = store::get(store, RowKey::one(id.as_str())).await?;
    let root = manifest.ok_or(FilesError::LostState)?.root;
    reading(store, |trees| flatten(trees, root)).await
}
