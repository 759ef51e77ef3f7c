//! A tool that a package declares.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PackageId, Record, RowKey, Table};
use crate::catalog::{ToolId, ToolsetId};
use crate::ids::Uid;
use crate::time::Timestamp;

/// A row of `tools`. Tools of MCP servers have none: they are asked for at run time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The package that declares it.
    pub package: PackageId,
    /// Its whole id.
    pub tool_id: ToolId,
    /// Its toolset; none for a built-in.
    pub toolset_id: Option<ToolsetId>,
    /// Its second name (C02).
    pub uid: Uid,
    /// What the bundle interface calls it.
    pub slug: String,
    /// Its version, an opaque label (C04).
    pub version: String,
    /// Its display name.
    pub name: String,
    /// What it does, as the model is told.
    pub description: String,
    /// Its group.
    pub category: Option<String>,
    /// The JSON schema of its arguments; none where Python says it (C34).
    pub input_schema: Option<Value>,
    /// The JSON schema of its result.
    pub output_schema: Option<Value>,
    /// Whether it asks before it runs.
    pub requires_confirmation: bool,
    /// Whether it is on unless the user says otherwise; the user's switch is an override.
    pub enabled: bool,
    /// How it runs.
    #[serde(rename = "type")]
    pub kind: ToolKind,
    /// For Python `module:function`; for a function compiled into the app its name, where that is not the tool's.
    pub entrypoint: Option<String>,
    /// For HTTP: what to call.
    pub http: Option<Value>,
    /// How long it may run.
    pub timeout_seconds: Option<u32>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When it was first made here.
    pub created_at: Timestamp,
    /// When it last changed.
    pub modified_at: Timestamp,
}

/// How a tool runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// A function compiled into the app.
    #[serde(alias = "go")]
    Builtin,
    /// Python, in the cage.
    Python,
    /// A request to a host.
    Http,
    /// A call of an MCP server, by way of the Satchel server. Never in a row (R105).
    Mcp,
}

impl Record for Tool {
    const TABLE: Table = Table::Tools;

    fn key(&self) -> RowKey {
        RowKey::of([&self.package.to_string(), &self.tool_id.to_string()])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R007, R008
    #[test]
    fn as_stored() {
        let tool = Tool {
            package: PackageId::of(b"contents"),
            tool_id: ToolId::parse("my-toolset:analyze_data").expect("is a tool id"),
            toolset_id: Some(ToolsetId::parse("my-toolset").expect("is a name")),
            uid: Uid::parse("0198c5a4-7c1e-7000-8000-0000000000a2").expect("is a UUID"),
            slug: "analyze-data".into(),
            version: "1.0.0".into(),
            name: "Analyze Data".into(),
            description: "Counts rows".into(),
            category: Some("analysis".into()),
            input_schema: Some(json!({"type": "object"})),
            output_schema: None,
            requires_confirmation: false,
            enabled: true,
            kind: ToolKind::Python,
            entrypoint: Some("tools.analyze:run".into()),
            http: None,
            timeout_seconds: Some(30),
            tags: vec!["tables".into()],
            created_at: Timestamp::from_millis(1_000),
            modified_at: Timestamp::from_millis(2_000),
        };
        insta::assert_json_snapshot!(tool, @r#"
        {
          "package": "d1b2a59fbea7e20077af9f91b27e95e865061b270be03ff539ab3b73587882e8",
          "tool_id": "my-toolset:analyze_data",
          "toolset_id": "my-toolset",
          "uid": "0198c5a4-7c1e-7000-8000-0000000000a2",
          "slug": "analyze-data",
          "version": "1.0.0",
          "name": "Analyze Data",
          "description": "Counts rows",
          "category": "analysis",
          "input_schema": {
            "type": "object"
          },
          "output_schema": null,
          "requires_confirmation": false,
          "enabled": true,
          "type": "python",
          "entrypoint": "tools.analyze:run",
          "http": null,
          "timeout_seconds": 30,
          "tags": [
            "tables"
          ],
          "created_at": "1970-01-01T00:00:01.000Z",
          "modified_at": "1970-01-01T00:00:02.000Z"
        }
        "#);
    }

    /// R019: `go` is read as `builtin`.
    #[test]
    fn every_kind_has_its_word() {
        let kinds = [ToolKind::Builtin, ToolKind::Python, ToolKind::Http, ToolKind::Mcp];
        assert_eq!(serde_json::to_value(kinds).expect("serialises"), json!(["builtin", "python", "http", "mcp"]));
        assert_eq!(serde_json::from_value::<ToolKind>(json!("go")).expect("is read"), ToolKind::Builtin);
    }
}
