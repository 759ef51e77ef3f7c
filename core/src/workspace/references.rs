//! What rows name: other rows and blobs.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::digest::BlobId;
use crate::record::{
    Approval, Chat, Draft, Grant, KeptValue, McpSeen, Message, NodeHead, Package, Pin, Position, PythonPackages,
    RowKey, RowRef, SavedToolset, Setting, Table, Tool, ToolCall, ToolMetrics, ToolOverride, ToolRenderConfig, Toolset,
    ToolsetFile, ToolsetMcpServer, WorkspaceManifest,
};
use crate::store::StoredRow;

/// The rows that make up the history of files.
pub(super) enum State {
    Manifest(WorkspaceManifest),
    Head(NodeHead),
}

/// Whether a row fits the type of its table; gives it back if it is about the history of files.
pub(super) fn read(table: Table, stored: &StoredRow) -> Result<Option<State>, serde_json::Error> {
    fn typed<R: DeserializeOwned>(stored: &StoredRow) -> Result<R, serde_json::Error> {
        serde_json::from_value(Value::Object(stored.fields.clone()))
    }
    fn fits<R: DeserializeOwned>(stored: &StoredRow) -> Result<Option<State>, serde_json::Error> {
        typed::<R>(stored).map(|_fits| None)
    }
    match table {
        Table::WorkspaceManifests => typed(stored).map(State::Manifest).map(Some),
        Table::NodeHeads => typed(stored).map(State::Head).map(Some),
        Table::Settings => fits::<Setting>(stored),
        Table::Drafts => fits::<Draft>(stored),
        Table::Positions => fits::<Position>(stored),
        Table::Toolsets => fits::<Toolset>(stored),
        Table::Packages => fits::<Package>(stored),
        Table::ToolsetFiles => fits::<ToolsetFile>(stored),
        Table::Tools => fits::<Tool>(stored),
        Table::ToolRenderConfigs => fits::<ToolRenderConfig>(stored),
        Table::ToolOverrides => fits::<ToolOverride>(stored),
        Table::ToolsetMcpServers => fits::<ToolsetMcpServer>(stored),
        Table::Chats => fits::<Chat>(stored),
        Table::Messages => fits::<Message>(stored),
        Table::ToolCalls => fits::<ToolCall>(stored),
        Table::SavedToolsets => fits::<SavedToolset>(stored),
        Table::Kv => fits::<KeptValue>(stored),
        Table::Pins => fits::<Pin>(stored),
        Table::Grants => fits::<Grant>(stored),
        Table::Approvals => fits::<Approval>(stored),
        Table::ToolMetrics => fits::<ToolMetrics>(stored),
        Table::PythonPackages => fits::<PythonPackages>(stored),
        Table::McpSeen => fits::<McpSeen>(stored),
    }
}

/// The rows that a row names and that must be there. The manifest of a head is not among them: a head can be moved, so the check
/// has a finding of its own for it. What a user has said about a toolset may outlive the toolset (R030).
pub(super) fn rows(row: &RowRef, stored: &StoredRow) -> Vec<RowRef> {
    let fields: &[(&str, Table)] = match row.table {
        Table::Settings | Table::Drafts | Table::Positions | Table::Packages | Table::Chats => &[],
        Table::ToolOverrides | Table::ToolsetMcpServers | Table::McpSeen | Table::Grants => &[],
        Table::SavedToolsets | Table::Kv | Table::Pins | Table::Approvals | Table::ToolMetrics => &[],
        Table::Toolsets | Table::ToolsetFiles | Table::Tools | Table::ToolRenderConfigs | Table::PythonPackages => {
            &[("package", Table::Packages)]
        }
        Table::Messages => &[("chat_id", Table::Chats), ("parent_id", Table::Messages)],
        Table::ToolCalls => &[
            ("chat_id", Table::Chats),
            ("message_id", Table::Messages),
            ("pre_manifest_id", Table::WorkspaceManifests),
            ("post_manifest_id", Table::WorkspaceManifests),
        ],
        Table::WorkspaceManifests => &[("chat_id", Table::Chats), ("parent_id", Table::WorkspaceManifests)],
        Table::NodeHeads => &[("chat_id", Table::Chats), ("message_id", Table::Messages)],
    };
    let named = fields.iter().filter_map(|(field, table)| {
        let key = stored.fields.get(*field)?.as_str()?;
        let is_top = row.table == Table::NodeHeads && key == "root";
        (!is_top).then(|| RowRef { table: *table, key: RowKey::one(key) })
    });
    named.collect()
}

/// The blobs that a row names and that must be there: whatever it has under `sha256`, and what a call wrote and showed. The arguments and the result of a tool are
/// the tool's own words and may say `sha256` of anything. Trees are not here, see the check's closure.
pub(super) fn blobs(row: &RowRef, stored: &StoredRow) -> BTreeSet<BlobId> {
    let own_words = |field: &str| row.table == Table::ToolCalls && matches!(field, "args" | "result");
    let authors_words = |field: &str| {
        let said = [(Table::Packages, "manifest"), (Table::Pins, "definition"), (Table::McpSeen, "tools")];
        said.contains(&(row.table, field))
    };
    let whole = |field: &str| row.table == Table::ToolCalls && matches!(field, "output" | "displays");
    let mut named = BTreeSet::new();
    for (field, value) in &stored.fields {
        if whole(field) {
            collect("sha256", value, &mut named);
        } else if !own_words(field) && !authors_words(field) {
            collect(field, value, &mut named);
        }
    }
    named
}

fn collect(field: &str, value: &Value, named: &mut BTreeSet<BlobId>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => {
            if field == "sha256" {
                named.extend(BlobId::parse(text));
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(field, value, named)),
        Value::Object(members) => members.iter().for_each(|(field, value)| collect(field, value, named)),
    }
}
