//! What takes how much room.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{RowRef, Table};
use crate::store::{Store, StoreError, StoredRow};
use crate::workspace::{ReadError, Rows, Trees, all_rows, read, stored_files};

/// The room that each kind of thing takes, before whatever the browser adds to it. Rows count as the text they would be sent as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Conversations: their number and the text of all that was said and called.
    pub chats: Amount,
    /// The different files of all chats, in all their states; nothing where a folder is damaged and they cannot be counted.
    pub files: Option<Amount>,
    /// Toolsets: their number, and their files with the Python packages that were fetched for them.
    pub toolsets: Amount,
    /// All other rows: settings, drafts, states, what is remembered.
    pub other: Amount,
}

/// How many there are, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Adds everything up. It reads rows and folders, and no file.
pub async fn usage(store: &impl Store) -> Result<Usage, StoreError> {
    let rows = all_rows(store).await?;
    let files = match read(store, &mut Trees::default(), |trees| stored_files(trees, &rows)).await {
        Ok(files) => Some(Amount { count: files.files, bytes: files.bytes }),
        Err(ReadError::Workspace(_damaged)) => None,
        Err(ReadError::Store(error)) => return Err(error),
    };
    Ok(Usage { files, ..of_rows(&rows) })
}

fn of_rows(rows: &Rows) -> Usage {
    let mut usage = Usage::default();
    let mut toolset_files = BTreeMap::new();
    for (RowRef { table, .. }, stored) in rows {
        let bytes = text_bytes(stored);
        match table {
            Table::Chats => usage.chats.add(1, bytes),
            Table::Messages | Table::ToolCalls => usage.chats.add(0, bytes),
            Table::Toolsets => usage.toolsets.add(1, bytes),
            Table::ToolsetFiles => {
                let name = stored.fields.get("sha256").and_then(Value::as_str).unwrap_or_default();
                let size = stored.fields.get("size").and_then(Value::as_u64).unwrap_or_default();
                toolset_files.insert(name, size);
            }
            Table::PythonPackages => {
                usage.toolsets.add(0, bytes);
                for wheel in stored.fields.get("wheels").and_then(Value::as_array).into_iter().flatten() {
                    let name = wheel.get("sha256").and_then(Value::as_str).unwrap_or_default();
                    toolset_files.insert(name, wheel.get("size").and_then(Value::as_u64).unwrap_or_default());
                }
            }
            Table::Packages
            | Table::Tools
            | Table::ToolRenderConfigs
            | Table::ToolOverrides
            | Table::ToolsetMcpServers
            | Table::McpSeen => usage.toolsets.add(0, bytes),
            Table::Settings
            | Table::Drafts
            | Table::Positions
            | Table::WorkspaceManifests
            | Table::NodeHeads
            | Table::SavedToolsets
            | Table::Kv
            | Table::Pins
            | Table::Grants
            | Table::Approvals
            | Table::ToolMetrics => usage.other.add(1, bytes),
        }
    }
    usage.toolsets.bytes += toolset_files.values().sum::<u64>();
    usage
}

impl Amount {
    fn add(&mut self, count: u64, bytes: u64) {
        self.count += count;
        self.bytes += bytes;
    }
}

fn text_bytes(stored: &StoredRow) -> u64 {
    serde_json::to_string(&stored.fields).map_or(0, |text| text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::at_once::at_once;
    use crate::upkeep::sample::{Device, MANIFEST};

    /// R311
    #[test]
    fn every_kind_is_counted_and_equal_content_once() {
        let device = Device::new();
        device.chat_with(&[("a.txt", "four"), ("b.txt", "four")]);
        device.chat_with(&[("c.txt", "four"), ("d.txt", "sixsix")]);
        device.ask("POST", "/local/toolsets/import", MANIFEST.as_bytes());
        let usage = at_once(usage(&device.store)).expect("memory does not fail");
        assert_eq!(usage.files, Some(Amount { count: 2, bytes: 10 }));
        assert_eq!((usage.chats.count, usage.toolsets.count), (2, 1));
        assert!(usage.toolsets.bytes >= MANIFEST.len() as u64 && usage.chats.bytes > 0 && usage.other.bytes > 0);
    }
}
