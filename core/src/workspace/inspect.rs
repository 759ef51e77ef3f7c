//! The whole check of a store: reads all rows, hashes every blob again, and puts the verdicts together (R311).

use std::collections::BTreeMap;

use super::{ReadError, Report, Rows, Stored, Trees, check, read};
use crate::digest::BlobId;
use crate::record::{RowRef, Table};
use crate::store::Store;

/// What names comes before what is named. Other tabs go on while the tables are read one after another, and they write what is named
/// no later than what names it: so nothing that they add meanwhile is taken for broken.
const READING_ORDER: [Table; 15] = [
    Table::NodeHeads,
    Table::ToolCalls,
    Table::WorkspaceManifests,
    Table::Messages,
    Table::Chats,
    Table::Toolsets,
    Table::ToolRenderConfigs,
    Table::Tools,
    Table::ToolsetFiles,
    Table::Packages,
    Table::ToolOverrides,
    Table::ToolsetMcpServers,
    Table::Settings,
    Table::Drafts,
    Table::Positions,
];

/// Checks everything that is stored, one blob in memory at a time. Nothing is changed.
pub async fn inspect(store: &impl Store) -> Result<Report, ReadError> {
    let mut rows = Rows::new();
    for table in READING_ORDER {
        let read = store.rows(table).await?;
        rows.extend(read.into_iter().map(|(key, stored)| (RowRef { table, key }, stored)));
    }
    let mut blobs: BTreeMap<BlobId, Stored> = BTreeMap::new();
    for id in store.blob_ids().await? {
        // One that is gone since it was listed was freed by the clean-up.
        if let Some(bytes) = store.blob(id).await? {
            let sound = BlobId::of(&bytes) == id;
            blobs.insert(id, if sound { Stored::Sound { size: bytes.len() as u64 } } else { Stored::Broken });
        }
    }
    read(store, &mut Trees::default(), |trees| check(trees, &rows, &blobs)).await
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{TestStore, at_once};
    use super::super::{Finding, fixtures};
    use super::*;
    use crate::store::{Blob, Commit};

    #[test]
    fn every_table_is_read() {
        let mut read = READING_ORDER.to_vec();
        read.sort();
        assert_eq!(read, Table::ALL);
    }

    /// R311: a blob whose bytes changed is found, be it named by a row or not.
    #[test]
    fn every_blob_is_hashed_again() {
        let store = TestStore::new();
        let sound = fixtures::contents(&[("a", "sound")]);
        let broken = BlobId::of(b"was");
        store.apply(Commit { blobs: sound, ..Commit::default() }.blob(Blob::named(broken, b"is".to_vec())));
        let report = at_once(inspect(&store.0)).expect("memory does not fail");
        assert_eq!((report.blobs, report.manifests), (2, 0));
        assert_eq!(report.findings, [Finding::BrokenBlob { sha256: broken }]);
    }
}
