//! One row as a line.
//!
//! A row goes with its stamps, so that it can be merged elsewhere. Its fields are in the order of their names, since stores keep them in
//! different ones; what is inside a field stays as it is. A state of files has them by path, in place of the trees.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::BlobId;
use crate::record::{
    Approval, Chat, Draft, Grant, KeptValue, McpSeen, Message, NodeHead, Package, Pin, Position, PythonPackages,
    Record, RowKey, SavedToolset, Setting, Table, Tool, ToolCall, ToolMetrics, ToolOverride, ToolRenderConfig, Toolset,
    ToolsetFile, ToolsetMcpServer, WorkspaceManifest,
};
use crate::store::StoredRow;
use crate::sync::Stamp;

/// A row with what the format adds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) key: RowKey,
    pub(super) stored: StoredRow,
    /// The files of a state by path; none where it cannot be read any more, and of every other row.
    pub(super) files: Option<BTreeMap<String, BlobId>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    key: RowKey,
    fields: Map<String, Value>,
    stamps: BTreeMap<String, Stamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deleted: Option<Stamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    files: Option<BTreeMap<String, BlobId>>,
}

impl Line {
    /// Adds it to a text, with the end of the line.
    pub(super) fn write(self, into: &mut Vec<u8>) {
        let StoredRow { fields, stamps, deleted } = self.stored;
        let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
        fields.sort_by(|one, other| one.0.cmp(&other.0));
        let written =
            Written { key: self.key, fields: fields.into_iter().collect(), stamps, deleted, files: self.files };
        serde_json::to_writer(&mut *into, &written).expect("rows can be written as JSON");
        into.push(b'\n');
    }

    /// Reads one, and sees that it is a row of its table and has the key that it says.
    pub(super) fn read(table: Table, text: &[u8]) -> Result<Self, String> {
        let Written { key, fields, stamps, deleted, files } =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let stored = StoredRow { fields, stamps, deleted };
        if let Some(field) = stored.fields.keys().find(|field| !stored.stamps.contains_key(*field)) {
            return Err(format!("the field {field:?} has no stamp"));
        }
        if let Some(field) = stored.stamps.keys().find(|field| !stored.fields.contains_key(*field)) {
            return Err(format!("there is a stamp and no field {field:?}"));
        }
        if !stored.is_alive() {
            return Err("it was deleted".into());
        }
        if files.is_some() && table != Table::WorkspaceManifests {
            return Err("it has files, and only states of files do".into());
        }
        let named = key_of(table, &stored).map_err(|error| error.to_string())?;
        if named != key {
            return Err(format!("it is kept under {key} and names itself {named}"));
        }
        Ok(Self { key, stored, files })
    }
}

/// The key that a row has by what is in it; fails where it does not fit the type of its table.
pub(super) fn key_of(table: Table, stored: &StoredRow) -> Result<RowKey, serde_json::Error> {
    fn of<R: Record + DeserializeOwned>(stored: &StoredRow) -> Result<RowKey, serde_json::Error> {
        serde_json::from_value::<R>(Value::Object(stored.fields.clone())).map(|record| record.key())
    }
    match table {
        Table::Settings => of::<Setting>(stored),
        Table::Drafts => of::<Draft>(stored),
        Table::Positions => of::<Position>(stored),
        Table::Toolsets => of::<Toolset>(stored),
        Table::Packages => of::<Package>(stored),
        Table::ToolsetFiles => of::<ToolsetFile>(stored),
        Table::Tools => of::<Tool>(stored),
        Table::ToolRenderConfigs => of::<ToolRenderConfig>(stored),
        Table::ToolOverrides => of::<ToolOverride>(stored),
        Table::ToolsetMcpServers => of::<ToolsetMcpServer>(stored),
        Table::Chats => of::<Chat>(stored),
        Table::Messages => of::<Message>(stored),
        Table::ToolCalls => of::<ToolCall>(stored),
        Table::WorkspaceManifests => of::<WorkspaceManifest>(stored),
        Table::NodeHeads => of::<NodeHead>(stored),
        Table::SavedToolsets => of::<SavedToolset>(stored),
        Table::Kv => of::<KeptValue>(stored),
        Table::Pins => of::<Pin>(stored),
        Table::Grants => of::<Grant>(stored),
        Table::Approvals => of::<Approval>(stored),
        Table::ToolMetrics => of::<ToolMetrics>(stored),
        Table::PythonPackages => of::<PythonPackages>(stored),
        Table::McpSeen => of::<McpSeen>(stored),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ids::DeviceId;
    use crate::time::Timestamp;

    fn line() -> Line {
        let device = DeviceId::parse("0198c5a4-7c1e-7000-8000-0000000000d1").expect("is a UUID");
        let stamp = Stamp::first(Timestamp::from_millis(1), device);
        let fields = json!({"value": {"b": 1, "a": 2}, "key": "theme"});
        let stored = StoredRow {
            fields: fields.as_object().expect("is an object").clone(),
            stamps: ["key", "value"].map(|field| (field.to_owned(), stamp.clone())).into(),
            deleted: None,
        };
        Line { key: RowKey::one("theme"), stored, files: None }
    }

    /// I9
    #[test]
    fn a_row_as_it_is_written() {
        let mut text = Vec::new();
        line().write(&mut text);
        insta::assert_snapshot!(String::from_utf8_lossy(&text), @r#"{"key":["theme"],"fields":{"key":"theme","value":{"b":1,"a":2}},"stamps":{"key":"000000000001-00000000-0198c5a4-7c1e-7000-8000-0000000000d1","value":"000000000001-00000000-0198c5a4-7c1e-7000-8000-0000000000d1"}}"#);
        assert_eq!(Line::read(Table::Settings, text.trim_ascii_end()).expect("is read"), line());
    }

    #[test]
    fn what_is_no_row_of_its_table_says_why() {
        let check = |change: fn(&mut Value), expected: &str| {
            let mut text = Vec::new();
            line().write(&mut text);
            let mut value: Value = serde_json::from_slice(&text).expect("is JSON");
            change(&mut value);
            let refused = Line::read(Table::Settings, value.to_string().as_bytes()).expect_err("is refused");
            assert_eq!(refused, expected);
        };
        check(|row| row["key"] = json!(["other"]), "it is kept under other and names itself theme");
        check(|row| row["fields"]["more"] = json!(1), "the field \"more\" has no stamp");
        check(
            |row| row["deleted"] = json!("ffffffffffff-00000000-0198c5a4-7c1e-7000-8000-0000000000d1"),
            "it was deleted",
        );
        check(|row| row["files"] = json!({}), "it has files, and only states of files do");
    }
}
