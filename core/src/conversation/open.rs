//! A chat with all that belongs to it, read from a store, and the place in it that this device is at.

use super::{Heads, MessageTree};
use crate::ids::{ChatId, ManifestId};
use crate::record::{Chat, Message, Node, NodeHead, Position, Record, RowKey, RowRef, WorkspaceManifest};
use crate::store::{self, Lookup, Rows, Store, StoreError};
use crate::workspace::{Base, Place};

/// A chat that was not deleted.
#[derive(Debug)]
pub struct OpenChat {
    /// Its row.
    pub chat: Chat,
    /// Its messages.
    pub tree: MessageTree,
    /// Which files belong to which message.
    pub heads: Heads,
    /// The leaf that is shown on this device.
    pub leaf: Node,
    /// The rows of it that could not be read; what hung on them is shown at the root.
    pub unreadable: Vec<StoreError>,
}

/// Why the files of a chat cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A head names a state that is gone.
    #[error("the state {0} of this chat's files is not stored; run the storage check in Settings")]
    NoManifest(ManifestId),
}

/// The position in which a device keeps the leaf of a chat that it shows (R037); its value is the [`Node`].
#[must_use]
pub fn leaf_place(chat: &ChatId) -> String {
    format!("leaf/{chat}")
}

impl OpenChat {
    /// Opens a chat; nothing where there is none of that id, or it was deleted.
    pub async fn open(store: &impl Store, id: &ChatId) -> Result<Option<Self>, StoreError> {
        let (chat_row, position_row) =
            (RowRef::to::<Chat>(RowKey::one(id.as_str())), RowRef::to::<Position>(RowKey::one(leaf_place(id))));
        let [chat, messages, heads, position] = store
            .look_up([
                Lookup::Row(&chat_row),
                Lookup::records_where::<Message>("chat_id", id.as_str()),
                Lookup::records_where::<NodeHead>("chat_id", id.as_str()),
                Lookup::Row(&position_row),
            ])
            .await?;
        let chat = store::record_of::<Chat>(chat)?;
        let Some(chat) = chat.filter(|chat| chat.soft_deleted_at.is_none()) else { return Ok(None) };
        let mut unreadable = Vec::new();
        let tree = MessageTree::new(&chat.id, readable(messages, &mut unreadable));
        let heads = Heads::new(&chat.id, readable(heads, &mut unreadable));
        let position = store::record_of::<Position>(position)?;
        // A position in a shape this version does not know means that nothing is remembered.
        let remembered = position.and_then(|position| serde_json::from_value::<Node>(position.value).ok());
        let leaf = tree.active_leaf(remembered.as_ref());
        Ok(Some(Self { chat, tree, heads, leaf, unreadable }))
    }

    /// The state of a node's files: its own, or that of the nearest node before it. None while there never were any.
    pub async fn manifest_at(&self, store: &impl Store, node: &Node) -> Result<Option<WorkspaceManifest>, OpenError> {
        let Some(id) = self.heads.manifest_at(&self.tree, node) else { return Ok(None) };
        let manifest: Option<WorkspaceManifest> = store::get(store, RowKey::one(id.as_str())).await?;
        manifest.map(Some).ok_or_else(|| OpenError::NoManifest(id.clone()))
    }

    /// Where to start from for changing the files of a node.
    pub async fn place_at(&self, store: &impl Store, node: &Node) -> Result<Place, OpenError> {
        let base = match self.heads.manifest_at(&self.tree, node) {
            None => None,
            Some(id) => {
                let (chat_id, manifest_id) = (self.chat.id.clone(), id.clone());
                let row = RowRef::of(&NodeHead { chat_id, message_id: node.clone(), manifest_id });
                let manifest = RowRef::to::<WorkspaceManifest>(RowKey::one(id.as_str()));
                let [found, mut head] = store.look_up([Lookup::Row(&manifest), Lookup::Row(&row)]).await?;
                let manifest = store::record_of(found)?.ok_or_else(|| OpenError::NoManifest(id.clone()))?;
                Some(Base { manifest, head: head.pop().and_then(|(_, row)| row.stamp().cloned()) })
            }
        };
        Ok(Place { chat_id: self.chat.id.clone(), node: node.clone(), base })
    }
}

fn readable<R: Record>(found: Rows, unreadable: &mut Vec<StoreError>) -> Vec<R> {
    let records = store::records_of(found).into_iter();
    records.filter_map(|record| record.map_err(|error| unreadable.push(error)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{chat, chat_id, head, manifest, manifest_id, message, node};
    use super::*;
    use crate::at_once::at_once;
    use crate::ids::DeviceId;
    use crate::store::{Commit, MemoryStore};
    use crate::time::Timestamp;

    /// Two branches below the first message; only the second has files of its own.
    fn store() -> MemoryStore {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let store = MemoryStore::new(device);
        let rows = Commit::default()
            .put(&chat())
            .put(&message(1, None))
            .put(&message(2, Some(1)))
            .put(&message(3, Some(1)))
            .put(&manifest(1, None))
            .put(&manifest(2, Some(1)))
            .put(&head(Node::Root, 1))
            .put(&head(node(2), 2));
        apply(&store, rows);
        store
    }

    fn apply(store: &MemoryStore, commit: Commit) {
        at_once(store.apply(commit, Timestamp::from_millis(1))).expect("the commit fits");
    }

    fn open(store: &MemoryStore) -> OpenChat {
        at_once(OpenChat::open(store, &chat_id(1))).expect("memory does not fail").expect("is there")
    }

    /// R016, R037: the leaf that the device remembers, else the latest.
    #[test]
    fn the_leaf_is_the_one_last_looked_at() {
        let store = store();
        assert_eq!(open(&store).leaf, node(3));
        let value = serde_json::to_value(node(2)).expect("is a text");
        apply(&store, Commit::relaxed().put(&Position { place: leaf_place(&chat_id(1)), value }));
        assert_eq!(open(&store).leaf, node(2));
        assert!(at_once(OpenChat::open(&store, &chat_id(2))).expect("memory does not fail").is_none());
    }

    /// C25: only a head of the node itself is replaced by a change.
    #[test]
    fn a_place_knows_whether_the_state_is_its_own() {
        let store = store();
        let check = |at: Node, expected: u32, own: bool| {
            let place = at_once(open(&store).place_at(&store, &at)).expect("is there");
            let base = place.base.expect("has files");
            assert_eq!((base.manifest.id, base.head.is_some()), (manifest_id(expected), own), "{at:?}");
        };
        check(Node::Root, 1, true);
        check(node(2), 2, true);
        check(node(3), 1, false);
    }

    #[test]
    fn a_state_that_is_gone_is_told() {
        let store = store();
        apply(&store, Commit::default().delete(RowRef::of(&manifest(2, None))));
        let error = at_once(open(&store).manifest_at(&store, &node(2))).expect_err("is gone");
        let expected = format!(
            "the state {} of this chat's files is not stored; run the storage check in Settings",
            manifest_id(2)
        );
        assert_eq!(error.to_string(), expected);
    }
}
