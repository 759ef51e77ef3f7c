//! Which rows an export has.

use std::collections::BTreeSet;

use serde_json::Value;

use super::layout::tables;
use super::line::key_of;
use super::{Kind, PackError};
use crate::catalog::{ToolId, ToolsetId};
use crate::ids::ChatId;
use crate::record::{RowKey, RowRef, Table};
use crate::store::{Lookup, Store, StoredRow};
use crate::workspace::Rows;

/// How much is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// One chat.
    Chat(ChatId),
    /// Everything.
    All,
}

impl Extent {
    /// What comes of it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Chat(_) => Kind::Chat,
            Self::All => Kind::All,
        }
    }
}

/// The rows of an export, and those that belong in it and cannot be read.
pub(super) struct Gathered {
    pub(super) rows: Rows,
    pub(super) left_out: Vec<RowRef>,
}

const TABLES: [Table; 16] = [
    Table::Settings,
    Table::Toolsets,
    Table::Packages,
    Table::ToolsetFiles,
    Table::Tools,
    Table::ToolRenderConfigs,
    Table::ToolOverrides,
    Table::ToolsetMcpServers,
    Table::Chats,
    Table::Messages,
    Table::ToolCalls,
    Table::WorkspaceManifests,
    Table::NodeHeads,
    Table::SavedToolsets,
    Table::Kv,
    Table::Pins,
];

/// Reads the rows, all as they are at one moment. Chats that were deleted and can still be brought back are not exported: to their
/// user they are gone.
pub(super) async fn gather(store: &impl Store, extent: &Extent) -> Result<Gathered, PackError> {
    let chat_row = match extent {
        Extent::Chat(chat) => Some(RowRef { table: Table::Chats, key: RowKey::one(chat.as_str()) }),
        Extent::All => None,
    };
    let wanted = TABLES.map(|table| match (&chat_row, table) {
        (Some(chat), Table::Chats) => Lookup::Row(chat),
        (Some(chat), Table::Messages | Table::ToolCalls | Table::WorkspaceManifests | Table::NodeHeads) => {
            Lookup::Where(table, "chat_id", &chat.key.parts()[0])
        }
        _ => Lookup::All(table),
    });
    let mut rows = Rows::new();
    for (table, found) in TABLES.into_iter().zip(store.look_up(wanted).await?) {
        if tables(extent.kind()).any(|known| known == table) {
            rows.extend(found.into_iter().map(|(key, stored)| (RowRef { table, key }, stored)));
        }
    }
    let mut left_out = Vec::new();
    rows.retain(|row, stored| {
        let is_read = key_of(row.table, stored).is_ok_and(|key| key == row.key);
        if !is_read {
            left_out.push(row.clone());
        }
        is_read
    });
    keep_living_chats(&mut rows);
    if let Extent::Chat(chat) = extent {
        if !rows.keys().any(|row| row.table == Table::Chats) {
            return Err(PackError::NoChat(chat.clone()));
        }
        let used = toolsets_used(&rows);
        keep_toolsets(&mut rows, &used);
    }
    keep_whole_heads(&mut rows, &mut left_out);
    for (_, stored) in rows.iter_mut().filter(|(row, _)| row.table == Table::ToolsetMcpServers) {
        // An export connects to nothing where it is imported: the user switches a server on there.
        stored.fields.insert("enabled".into(), false.into());
    }
    Ok(Gathered { rows, left_out })
}

fn keep_living_chats(rows: &mut Rows) {
    let is_deleted = |stored: &StoredRow| stored.fields.get("soft_deleted_at").is_some_and(|at| !at.is_null());
    let living: BTreeSet<String> = rows
        .iter()
        .filter(|(row, stored)| row.table == Table::Chats && !is_deleted(stored))
        .map(|(row, _)| row.key.to_string())
        .collect();
    rows.retain(|row, stored| match row.table {
        Table::Chats => living.contains(&row.key.to_string()),
        Table::Messages | Table::ToolCalls | Table::WorkspaceManifests | Table::NodeHeads => {
            text_of(stored, "chat_id").is_some_and(|chat| living.contains(chat))
        }
        _ => true,
    });
}

/// The toolsets whose tools a chat has called or chosen.
fn toolsets_used(rows: &Rows) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (row, stored) in rows {
        if row.table == Table::ToolCalls {
            let tool = text_of(stored, "tool_id").and_then(|id| ToolId::parse(id).ok());
            used.extend(tool.and_then(|tool| toolset_of(&tool)).map(|toolset| toolset.to_string()));
        }
        if row.table == Table::Chats {
            let chosen = stored.fields.get("enabledTools").and_then(Value::as_object);
            used.extend(chosen.into_iter().flat_map(|chosen| chosen.keys().cloned()));
        }
    }
    used
}

/// The toolset that a tool is of; none for what is built in.
pub(super) fn toolset_of(tool: &ToolId) -> Option<ToolsetId> {
    match tool {
        ToolId::BuiltIn(_) => None,
        ToolId::Toolset(toolset, _) => Some(toolset.clone()),
        ToolId::Mcp(server, _) => Some(server.toolset.clone()),
    }
}

/// Leaves those toolsets, each with its active package, and with the others that made calls of the chat: they can be verified only with those.
fn keep_toolsets(rows: &mut Rows, used: &BTreeSet<String>) {
    let names_one = |row: &RowRef| match row.table {
        Table::Toolsets => used.contains(&row.key.to_string()),
        table => table == Table::ToolCalls,
    };
    let packages: BTreeSet<String> = rows
        .iter()
        .filter(|(row, _)| names_one(row))
        .filter_map(|(_, stored)| text_of(stored, "package").map(str::to_owned))
        .collect();
    rows.retain(|row, stored| match row.table {
        Table::Toolsets => used.contains(&row.key.to_string()),
        Table::ToolsetMcpServers => text_of(stored, "toolset_id").is_some_and(|toolset| used.contains(toolset)),
        Table::Packages | Table::ToolsetFiles | Table::Tools | Table::ToolRenderConfigs => {
            text_of(stored, "package").is_some_and(|package| packages.contains(package))
        }
        _ => true,
    });
}

/// Takes out what names a row that is not there: it would be refused where it is imported.
fn keep_whole_heads(rows: &mut Rows, left_out: &mut Vec<RowRef>) {
    let keys_of = |table: Table| -> BTreeSet<String> {
        rows.keys().filter(|row| row.table == table).map(|row| row.key.to_string()).collect()
    };
    let (manifests, packages) = (keys_of(Table::WorkspaceManifests), keys_of(Table::Packages));
    rows.retain(|row, stored| {
        let is_whole = match row.table {
            Table::NodeHeads => text_of(stored, "manifest_id").is_some_and(|id| manifests.contains(id)),
            Table::Toolsets | Table::ToolsetFiles | Table::Tools | Table::ToolRenderConfigs => {
                text_of(stored, "package").is_some_and(|package| packages.contains(package))
            }
            _ => true,
        };
        if !is_whole {
            left_out.push(row.clone());
        }
        is_whole
    });
}

pub(super) fn text_of<'r>(stored: &'r StoredRow, field: &str) -> Option<&'r str> {
    stored.fields.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Scope;

    #[test]
    fn every_table_that_leaves_the_device_is_read() {
        let synced: Vec<Table> = Table::ALL.into_iter().filter(|table| table.scope() == Scope::Synced).collect();
        assert_eq!(synced, TABLES);
    }
}
