//! What can be chosen from: toolsets and their tools as they are here and now, and how what is chosen of them is counted and drawn.

use serde::{Deserialize, Serialize};

use crate::catalog::{EffectiveTool, InstalledToolset, Surroundings, ToolId, ToolsetId, Unavailable};

/// A toolset to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectableToolset {
    /// Its id.
    pub id: ToolsetId,
    /// Its name.
    pub name: String,
    /// Its tools, in its author's order.
    pub tools: Vec<SelectableTool>,
    /// Why it cannot be used now.
    pub unavailable: Option<Unavailable>,
}

/// A tool to choose.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SelectableTool {
    /// Its id.
    pub id: ToolId,
    /// What a selection calls it within its toolset (C66).
    pub key: String,
    /// Its name.
    pub name: String,
    /// What its definition costs in every request that offers it, as estimated (R312).
    pub tokens: u64,
    /// Why it cannot be used now, its toolset's reason included.
    pub unavailable: Option<Unavailable>,
}

/// How a toolset's own box looks (R169).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkbox {
    /// All that can be used is chosen.
    Checked,
    /// Nothing is.
    Unchecked,
    /// Something is.
    Indeterminate,
}

/// How many tools of a toolset are chosen (R165).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedCount {
    /// Those that are chosen and can be used.
    pub enabled: usize,
    /// All it has.
    pub total: usize,
}

/// What a model is offered by a selection, and what that costs in every request (R166, R312).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// How many tools.
    pub tools: usize,
    /// How many tokens their definitions take, as estimated.
    pub tokens: u64,
}

impl Offered {
    pub(super) fn and(self, tool: &SelectableTool) -> Self {
        Self { tools: self.tools + 1, tokens: self.tokens + tool.tokens }
    }
}

impl SelectableToolset {
    /// An installed toolset, as it can be chosen from here and now. `tokens` says what a tool costs.
    #[must_use]
    pub fn of(
        installed: &InstalledToolset,
        surroundings: &Surroundings,
        tokens: &dyn Fn(&EffectiveTool<'_>) -> u64,
    ) -> Self {
        let tool = |tool: EffectiveTool<'_>| SelectableTool {
            id: tool.declared.tool_id.clone(),
            key: installed.selection_key(&tool.declared.tool_id),
            name: tool.name.to_owned(),
            tokens: tokens(&tool),
            unavailable: tool.unavailable,
        };
        Self {
            id: installed.toolset.id.clone(),
            name: installed.toolset.name.clone(),
            tools: installed.tools_in_effect(surroundings).into_iter().map(tool).collect(),
            unavailable: surroundings.unavailable(installed),
        }
    }

    /// What all of it would cost in every request (R312).
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tools.iter().map(|tool| tool.tokens).sum()
    }

    /// Those of its tools that can be used now.
    pub fn usable(&self) -> impl Iterator<Item = &SelectableTool> {
        let whole = self.unavailable.is_none();
        self.tools.iter().filter(move |tool| whole && tool.unavailable.is_none())
    }
}
