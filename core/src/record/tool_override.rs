//! What a user has changed about a tool. It outlives every version of the toolset.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Record, RendererKind, RowKey, Table};
use crate::catalog::ToolsetId;

/// A row of `tool_overrides`; a field that is not set leaves the tool as it is declared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolOverride {
    /// The toolset, in which alone it holds.
    pub toolset_id: ToolsetId,
    /// The tool within the toolset: its name, or `{server}:{tool}` for one of an MCP server.
    pub tool_id: String,
    /// Another renderer.
    pub renderer: Option<RendererKind>,
    /// That renderer's configuration.
    pub renderer_config: Option<Value>,
    /// Another display name; the model still sees the tool's own.
    pub name_override: Option<String>,
    /// Another description, for the user and the model.
    pub description_override: Option<String>,
    /// Whether it asks before it runs.
    pub requires_confirmation: Option<bool>,
    /// Whether it is offered at all.
    pub enabled: Option<bool>,
}

impl ToolOverride {
    /// One that changes nothing.
    #[must_use]
    pub fn unset(toolset_id: ToolsetId, tool_id: String) -> Self {
        Self {
            toolset_id,
            tool_id,
            renderer: None,
            renderer_config: None,
            name_override: None,
            description_override: None,
            requires_confirmation: None,
            enabled: None,
        }
    }
}

impl Record for ToolOverride {
    const TABLE: Table = Table::ToolOverrides;

    fn key(&self) -> RowKey {
        RowKey::of([self.toolset_id.as_str(), &self.tool_id])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn unset() -> ToolOverride {
        ToolOverride::unset(ToolsetId::parse("my-toolset").expect("is a name"), "my-mcp-server:search".into())
    }

    /// R011
    #[test]
    fn as_stored() {
        let set = ToolOverride {
            renderer: Some(RendererKind::Code),
            renderer_config: Some(json!({"content": "$return"})),
            name_override: Some("Web Search".into()),
            requires_confirmation: Some(false),
            ..unset()
        };
        insta::assert_json_snapshot!(set, @r#"
        {
          "toolset_id": "my-toolset",
          "tool_id": "my-mcp-server:search",
          "renderer": "code",
          "renderer_config": {
            "content": "$return"
          },
          "name_override": "Web Search",
          "description_override": null,
          "requires_confirmation": false,
          "enabled": null
        }
        "#);
    }

    /// R011: each field may be unset.
    #[test]
    fn fields_may_be_missing() {
        let row = json!({"toolset_id": "my-toolset", "tool_id": "my-mcp-server:search"});
        assert_eq!(serde_json::from_value::<ToolOverride>(row).expect("is read"), unset());
        let built_in = json!({"toolset_id": "builtin", "tool_id": "read_file"});
        let expected = ToolOverride::unset(ToolsetId::builtin(), "read_file".into());
        assert_eq!(serde_json::from_value::<ToolOverride>(built_in).expect("is read"), expected);
    }
}
