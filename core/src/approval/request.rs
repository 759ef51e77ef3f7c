//! What the user is asked, and what an answer means.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Definition;
use crate::catalog::{EffectiveTool, ToolId, ToolsetId};
use crate::digest::BlobId;
use crate::record::Toolset;

/// What the user is shown: the tool, and exactly what it would be called with (R307).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The tool.
    pub tool_id: ToolId,
    /// Its name, as it is shown everywhere.
    pub tool_name: String,
    /// What it says it does.
    pub description: String,
    /// Its toolset.
    pub toolset_id: ToolsetId,
    /// That toolset's name.
    pub toolset_name: String,
    /// The arguments, whole.
    pub arguments: Value,
    /// The schema of the arguments, for editing them; none where only Python knows it.
    pub input_schema: Option<Value>,
    /// What the tool says about itself.
    pub hints: Hints,
    /// Which button is ready to be pressed.
    pub default: DefaultButton,
    /// The definition that is asked for.
    pub definition_hash: BlobId,
}

/// What a tool says about itself; none where it says nothing. Never a permission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
}

/// Which button is ready to be pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultButton {
    /// Allow once.
    Once,
    /// Deny.
    Deny,
}

/// What the user answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Yes or no, and for how long.
    pub verdict: Verdict,
    /// Other arguments than those that were shown; they are checked again.
    #[serde(default)]
    pub arguments: Option<Value>,
    /// The definition that was shown. If the tool is another one by now, the answer counts for nothing.
    pub definition_hash: BlobId,
}

/// Yes or no, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Verdict {
    /// This call.
    Once,
    /// This tool in this chat, as long as it stays what it is.
    Chat,
    /// This tool anywhere, as long as it stays what it is.
    Always,
    /// Not this call.
    Deny {
        /// Why, for the model.
        #[serde(default)]
        reason: Option<String>,
    },
}

/// That a call was denied, as the model and the record are told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the user did not allow this call{}", .0.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
pub struct Denied(pub Option<String>);

impl Hints {
    /// The button they make ready. A tool that says nothing may destroy something, by the defaults of MCP's annotations.
    #[must_use]
    pub fn default_button(self) -> DefaultButton {
        let read_only = self.read_only.unwrap_or(false);
        if read_only || !self.destructive.unwrap_or(true) { DefaultButton::Once } else { DefaultButton::Deny }
    }
}

impl ApprovalRequest {
    /// What to ask about a call of a tool.
    #[must_use]
    pub fn of(toolset: &Toolset, tool: &EffectiveTool<'_>, definition: &Definition, arguments: Value) -> Self {
        // A tool of a package has no place for hints; those of servers bring them along.
        let hints = tool.seen.map(|seen| seen.hints).unwrap_or_default();
        Self {
            tool_id: tool.declared.tool_id.clone(),
            tool_name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            toolset_id: toolset.id.clone(),
            toolset_name: toolset.name.clone(),
            arguments,
            input_schema: tool.declared.input_schema.clone(),
            hints,
            default: hints.default_button(),
            definition_hash: definition.hash,
        }
    }
}
