//! The whole check of a store: reads all rows, hashes every blob again, and puts the verdicts together (R311).

use std::collections::BTreeMap;

use super::{ReadError, Report, Rows, Stored, Trees, check, read};
use crate::digest::BlobId;
use crate::record::{RowRef, Table};
use crate::store::{Store, StoreError};

/// What names comes before what is named. Other tabs go on while the tables are read one after another, and they write what is named
/// no later than what names it: so nothing that they add meanwhile is taken for broken.
const READING_ORDER: [Table; 23] = [
    Table::NodeHeads,
    Table::ToolCalls,
    Table::WorkspaceManifests,
    Table::Messages,
    Table::Chats,
    Table::Toolsets,
    Table::ToolRenderConfigs,
    Table::Tools,
    Table::ToolsetFiles,
    Table::PythonPackages,
    Table::Packages,
    Table::ToolOverrides,
    Table::ToolsetMcpServers,
    Table::Settings,
    Table::Drafts,
    Table::Positions,
    Table::SavedToolsets,
    Table::Kv,
    Table::Pins,
    Table::Grants,
    Table::Approvals,
    Table::ToolMetrics,
    Table::McpSeen,
];

/// How far the check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The blobs that were hashed.
    pub blobs: u64,
    /// Of how many.
    pub of: u64,
}

/// Every row of every table that was not deleted.
pub async fn all_rows(store: &impl Store) -> Result<Rows, StoreError> {
    let mut rows = Rows::new();
    for table in READING_ORDER {
        let read = store.rows(table).await?;
        rows.extend(read.into_iter().map(|(key, stored)| (RowRef { table, key }, stored)));
    }
    Ok(rows)
}

/// Checks everything that is stored, one blob in memory at a time. Nothing is changed. `go_on` is told how far it has come, and nothing
/// comes of the check once it says no.
pub async fn inspect(store: &impl Store, go_on: impl Fn(Checked) -> bool) -> Result<Option<Report>, ReadError> {
    let rows = all_rows(store).await?;
    let mut blobs: BTreeMap<BlobId, Stored> = BTreeMap::new();
    let ids = store.blob_ids().await?;
    for (done, id) in ids.iter().enumerate() {
        if !go_on(Checked { blobs: done as u64, of: ids.len() as u64 }) {
            return Ok(None);
        }
        // One that is gone since it was listed was freed by the clean-up.
        if let Some(bytes) = store.blob(*id).await? {
            let sound = BlobId::of(&bytes) == *id;
            blobs.insert(*id, if sound { Stored::Sound { size: bytes.len() as u64 } } else { Stored::Broken });
        }
    }
    read(store, &mut Trees::default(), |trees| check(trees, &rows, &blobs)).await.map(Some)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::TestStore;
    use super::super::{Finding, fixtures};
    use super::*;
    use crate::at_once::at_once;
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
        let report = at_once(inspect(&store.0, |_| true)).expect("memory does not fail").expect("was not stopped");
        assert_eq!((report.blobs, report.manifests), (2, 0));
        assert_eq!(report.findings, [Finding::BrokenBlob { sha256: broken }]);
    }

    #[test]
    fn it_tells_how_far_it_is_and_stops_when_told() {
        let store = TestStore::new();
        store.apply(Commit { blobs: fixtures::contents(&[("a", "1"), ("b", "2"), ("c", "3")]), ..Commit::default() });
        let told = std::cell::RefCell::new(Vec::new());
        let go_on = |checked: Checked| {
            told.borrow_mut().push((checked.blobs, checked.of));
            checked.blobs < 1
        };
        assert!(at_once(inspect(&store.0, go_on)).expect("memory does not fail").is_none());
        assert_eq!(told.into_inner(), [(0, 3), (1, 3)]);
    }
}
