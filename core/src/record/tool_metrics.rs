//! How a tool has been doing on this device. It is counted here, never sent, and could be counted again from the calls.

use serde::{Deserialize, Serialize};

use super::{Record, RowKey, Table};
use crate::catalog::ToolId;
use crate::time::Timestamp;

/// A row of `tool_metrics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolMetrics {
    /// The tool.
    pub tool_id: ToolId,
    /// How often it was called.
    pub calls: u64,
    /// How often that ended in an error.
    pub errors: u64,
    /// How many milliseconds all calls took together.
    pub total_millis: u64,
    /// How many the longest took.
    pub longest_millis: u64,
    /// When it was last called.
    pub last_called_at: Option<Timestamp>,
    /// When it was called within the last minute, for a tool that may be called only so often (R099).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<Timestamp>,
}

impl Record for ToolMetrics {
    const TABLE: Table = Table::ToolMetrics;

    fn key(&self) -> RowKey {
        RowKey::one(self.tool_id.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_stored() {
        let metrics = ToolMetrics {
            tool_id: ToolId::parse("my-toolset:analyze").expect("is a tool id"),
            calls: 3,
            errors: 1,
            total_millis: 450,
            longest_millis: 300,
            last_called_at: Some(Timestamp::from_millis(1_700_000_000_000)),
            recent: Vec::new(),
        };
        insta::assert_json_snapshot!(metrics, @r#"
        {
          "tool_id": "my-toolset:analyze",
          "calls": 3,
          "errors": 1,
          "total_millis": 450,
          "longest_millis": 300,
          "last_called_at": "2023-11-14T22:13:20.000Z"
        }
        "#);
    }
}
