//! How a tool's result is shown, as its package says.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{PackageId, Record, RowKey, Table};
use crate::catalog::ToolId;

/// A row of `tool_render_configs`; of several, the highest priority wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRenderConfig {
    /// The package.
    pub package: PackageId,
    /// The tool.
    pub tool_id: ToolId,
    /// The renderer.
    pub renderer: RendererKind,
    /// Its configuration, with expressions.
    pub config: Value,
    /// Which of several wins.
    pub priority: u32,
}

/// The renderers that a manifest or an override can name (C19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RendererKind {
    /// Source code, perhaps to be edited.
    Code,
    /// Markdown or plain text.
    #[serde(alias = "markdown")]
    Document,
    /// A page of the toolset with the result put in.
    Html,
    /// A page at an address.
    Frame,
}

impl RendererKind {
    /// All of them, for messages that list what is allowed.
    pub const ALL: [Self; 4] = [Self::Code, Self::Document, Self::Html, Self::Frame];

    /// Its name in manifests and plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Document => "document",
            Self::Html => "html",
            Self::Frame => "frame",
        }
    }

    /// Reads a name, `markdown` included.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = if name == "markdown" { "document" } else { name };
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl Record for ToolRenderConfig {
    const TABLE: Table = Table::ToolRenderConfigs;

    fn key(&self) -> RowKey {
        // Ten digits, so that texts sort as the numbers do.
        RowKey::of([&self.package.to_string(), &self.tool_id.to_string(), &format!("{:010}", self.priority)])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(priority: u32) -> ToolRenderConfig {
        ToolRenderConfig {
            package: PackageId::of(b"contents"),
            tool_id: ToolId::parse("my-toolset:analyze_data").expect("is a tool id"),
            renderer: RendererKind::Html,
            config: json!({"artifact": "artifacts/results.html", "data": "$return"}),
            priority,
        }
    }

    /// R009
    #[test]
    fn as_stored() {
        insta::assert_json_snapshot!(config(0), @r#"
        {
          "package": "d1b2a59fbea7e20077af9f91b27e95e865061b270be03ff539ab3b73587882e8",
          "tool_id": "my-toolset:analyze_data",
          "renderer": "html",
          "config": {
            "artifact": "artifacts/results.html",
            "data": "$return"
          },
          "priority": 0
        }
        "#);
    }

    /// R009: one row for each tool and priority, in order.
    #[test]
    fn keys_sort_by_priority() {
        assert!(config(9).key() < config(10).key());
    }

    /// C19
    #[test]
    fn markdown_is_a_document() {
        assert_eq!(serde_json::from_value::<RendererKind>(json!("markdown")).expect("is read"), RendererKind::Document);
        assert_eq!(RendererKind::parse("markdown"), Some(RendererKind::Document));
        assert_eq!(RendererKind::parse("hologram"), None);
        for kind in RendererKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("serialises"), kind.name());
        }
    }
}
