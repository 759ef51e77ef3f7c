//! Which tools a chat may use: chosen toolset by toolset and tool by tool, kept with the chat, and handed on to the next one.
//!
//! What is chosen is kept as it was chosen: a toolset that cannot be used for a while, or is gone for a while, comes back as it was. What
//! counts and what is sent is only what can be used now (R176).

mod selectable;

use std::collections::{BTreeMap, BTreeSet};

pub use selectable::{Checkbox, Offered, SelectableTool, SelectableToolset, SelectedCount};

use super::{EffectiveTool, InstalledToolset, Surroundings, ToolId, ToolsetId, own_name};
use crate::order;

/// Under this key of localStorage the last selection is kept for the next chat (R173).
pub const LAST_SELECTION_KEY: &str = "satchel-last-toolset-selection";

/// The tools that are chosen, by toolset (R172).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(BTreeMap<String, BTreeSet<String>>);

impl Selection {
    /// What a chat has chosen. A chat in which nothing was ever chosen has nothing. Ids of old are read, and kept as those of today (C09).
    #[must_use]
    pub fn of_chat(enabled_tools: Option<&BTreeMap<String, Vec<String>>>) -> Self {
        let names = |(toolset, tools): (&String, &Vec<String>)| {
            (toolset.clone(), order::set_of(tools.iter().map(|tool| own_name(toolset, tool).to_owned())))
        };
        Self(order::map_of(enabled_tools.into_iter().flatten().map(names))).tidy()
    }

    /// What a new chat begins with: the last selection, as it was kept (R173). What cannot be read chooses nothing.
    #[must_use]
    pub fn of_last(kept: Option<&str>) -> Self {
        let read = kept.and_then(|text| serde_json::from_str::<BTreeMap<String, Vec<String>>>(text).ok());
        Self::of_chat(read.as_ref())
    }

    /// How it is kept with the chat (R172).
    #[must_use]
    pub fn to_chat(&self) -> BTreeMap<String, Vec<String>> {
        order::map_of(self.0.iter().map(|(toolset, tools)| (toolset.clone(), tools.iter().cloned().collect())))
    }

    /// How it is kept for the next chat (R173).
    #[must_use]
    pub fn to_last(&self) -> String {
        serde_json::to_string(&self.to_chat()).expect("texts always serialise")
    }

    /// Whether a tool is chosen, usable or not.
    #[must_use]
    pub fn is_tool_enabled(&self, toolset: &ToolsetId, tool: &SelectableTool) -> bool {
        self.has(toolset, &tool.id, &tool.key)
    }

    /// Whether a tool is chosen by its key, or by the name that it has with its server's before it.
    fn has(&self, toolset: &ToolsetId, tool: &ToolId, key: &str) -> bool {
        let is_named = |tools: &BTreeSet<String>| names(toolset, tool, key).iter().any(|name| tools.contains(name));
        self.0.get(toolset.as_str()).is_some_and(is_named)
    }

    /// Whether any tool of a toolset is chosen that can be used.
    #[must_use]
    pub fn is_toolset_enabled(&self, toolset: &SelectableToolset) -> bool {
        self.count(toolset).enabled > 0
    }

    /// How many tools of a toolset are chosen.
    #[must_use]
    pub fn count(&self, toolset: &SelectableToolset) -> SelectedCount {
        let enabled = toolset.usable().filter(|tool| self.is_tool_enabled(&toolset.id, tool)).count();
        SelectedCount { enabled, total: toolset.tools.len() }
    }

    /// What is chosen of a toolset and cannot be used, so that it is not sent (R176).
    #[must_use]
    pub fn unsent(&self, toolset: &SelectableToolset) -> usize {
        let chosen = toolset.tools.iter().filter(|tool| self.is_tool_enabled(&toolset.id, tool)).count();
        chosen - self.count(toolset).enabled
    }

    /// What a model is offered of a toolset.
    #[must_use]
    pub fn offered_of(&self, toolset: &SelectableToolset) -> Offered {
        let chosen = toolset.usable().filter(|tool| self.is_tool_enabled(&toolset.id, tool));
        chosen.fold(Offered::default(), Offered::and)
    }

    /// What a model is offered over all toolsets.
    #[must_use]
    pub fn offered(&self, toolsets: &[SelectableToolset]) -> Offered {
        let each = toolsets.iter().map(|toolset| self.offered_of(toolset));
        each.fold(Offered::default(), |all, one| Offered {
            tools: all.tools + one.tools,
            tokens: all.tokens + one.tokens,
        })
    }

    /// How the box of a toolset looks.
    #[must_use]
    pub fn checkbox(&self, toolset: &SelectableToolset) -> Checkbox {
        match (self.count(toolset).enabled, toolset.usable().count()) {
            (0, _) => Checkbox::Unchecked,
            (enabled, usable) if enabled == usable => Checkbox::Checked,
            _ => Checkbox::Indeterminate,
        }
    }

    /// After a click on the box of a tool. One that cannot be used can be taken out, and not put in.
    #[must_use]
    pub fn toggle_tool(mut self, toolset: &ToolsetId, tool: &SelectableTool) -> Self {
        let tools = self.0.entry(toolset.as_str().to_owned()).or_default();
        let before = tools.len();
        for name in names(toolset, &tool.id, &tool.key) {
            tools.remove(&name);
        }
        let was_chosen = tools.len() < before;
        if !was_chosen && tool.unavailable.is_none() {
            tools.insert(tool.key.clone());
        }
        self.tidy()
    }

    /// After a click on the box of a toolset: all that can be used, or nothing where any was chosen (R171).
    #[must_use]
    pub fn toggle_toolset(self, toolset: &SelectableToolset) -> Self {
        let wanted: Vec<String> = match self.is_toolset_enabled(toolset) {
            true => Vec::new(),
            false => toolset.usable().map(|tool| tool.key.clone()).collect(),
        };
        self.set_enabled_tools(&toolset.id, wanted)
    }

    /// With these tools of a toolset, by their keys, and no others.
    #[must_use]
    pub fn set_enabled_tools(mut self, toolset: &ToolsetId, keys: impl IntoIterator<Item = String>) -> Self {
        self.0.insert(toolset.as_str().to_owned(), order::set_of(keys));
        self.tidy()
    }

    /// With what another selection has of one toolset. A change is kept toolset by toolset, so that what was chosen of another one
    /// meanwhile, in another tab, stays.
    #[must_use]
    pub fn taking(mut self, toolset: &ToolsetId, from: &Self) -> Self {
        let chosen = from.0.get(toolset.as_str()).cloned().unwrap_or_default();
        self.0.insert(toolset.as_str().to_owned(), chosen);
        self.tidy()
    }

    /// With these tools of a toolset too.
    #[must_use]
    pub fn with_tools(mut self, toolset: &ToolsetId, keys: impl IntoIterator<Item = String>) -> Self {
        self.0.entry(toolset.as_str().to_owned()).or_default().extend(keys);
        self.tidy()
    }

    /// With those of the `allowed` tools that are not among the `known`, by the names that they have in their toolsets. Where it is not said
    /// what is known, all is.
    #[must_use]
    pub fn following<'a>(
        self,
        known: Option<&BTreeMap<String, Vec<String>>>,
        allowed: impl Iterator<Item = &'a ToolId>,
    ) -> Self {
        let Some(known) = known else { return self };
        let is_new = |tool: &&ToolId| {
            let own = known.get(tool.toolset().as_str());
            !own.is_some_and(|own| own.contains(&tool.selection_name()))
        };
        allowed.filter(is_new).fold(self, |all, tool| all.with_tools(&tool.toolset(), [tool.selection_name()]))
    }

    /// With one tool of a toolset in the place of another; nothing where that other is not chosen.
    #[must_use]
    pub fn with_tool_moved(&self, toolset: &ToolsetId, before: &str, after: &str) -> Option<Self> {
        let mut moved = self.clone();
        let tools = moved.0.get_mut(toolset.as_str())?;
        tools.remove(before).then(|| tools.insert(after.to_owned()))?;
        Some(moved)
    }

    /// Whether nothing at all is chosen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether anything else is chosen than before.
    #[must_use]
    pub fn has_changes(&self, before: &Self) -> bool {
        self != before
    }

    /// The tools that are chosen and can be used, in the order of the list: those that are sent (R176, R181).
    pub fn usable<'a>(&'a self, toolsets: &'a [SelectableToolset]) -> impl Iterator<Item = &'a ToolId> {
        toolsets.iter().flat_map(move |toolset| {
            let chosen = move |tool: &&SelectableTool| self.is_tool_enabled(&toolset.id, tool);
            toolset.usable().filter(chosen).map(|tool| &tool.id)
        })
    }

    /// Those tools as they are in effect, to be offered to a model.
    #[must_use]
    pub fn tools_in_effect<'a>(
        &self,
        toolsets: &'a [InstalledToolset],
        surroundings: &Surroundings,
    ) -> Vec<EffectiveTool<'a>> {
        let mut chosen = Vec::new();
        for installed in toolsets {
            let mut tools = installed.tools_in_effect(surroundings);
            tools.retain(|tool| {
                let (id, toolset) = (&tool.declared.tool_id, &installed.toolset.id);
                tool.unavailable.is_none() && self.has(toolset, id, &installed.selection_key(id))
            });
            chosen.append(&mut tools);
        }
        chosen
    }

    /// A toolset of which nothing is chosen is not kept.
    fn tidy(mut self) -> Self {
        self.0.retain(|_, tools| !tools.is_empty());
        self
    }
}

/// Whatever a selection may call a tool: its key, its name with its server's before it, and its key as one is kept that looks like an id.
fn names(toolset: &ToolsetId, tool: &ToolId, key: &str) -> [String; 3] {
    [key.to_owned(), tool.selection_name(), own_name(toolset.as_str(), key).to_owned()]
}

impl InstalledToolset {
    /// What a selection calls a tool of this toolset (C66): its bare name, or that with its server's before it where another tool of the
    /// toolset is called the same.
    #[must_use]
    pub fn selection_key(&self, tool: &ToolId) -> String {
        match tool {
            ToolId::BuiltIn(name) | ToolId::Toolset(_, name) => name.to_string(),
            ToolId::Mcp(_, name) => match self.all_tools().filter(|other| other.tool_id.name() == name).count() {
                0 | 1 => name.clone(),
                _ => tool.selection_name(),
            },
        }
    }
}

impl ToolId {
    /// The tool's name within its toolset, which no other tool there has: one of a server has the server's name before it, because two
    /// servers of a toolset may have tools of one name (C08). Overrides know it by this.
    #[must_use]
    pub fn selection_name(&self) -> String {
        match self {
            Self::BuiltIn(name) | Self::Toolset(_, name) => name.to_string(),
            Self::Mcp(key, name) => format!("{}:{name}", key.server),
        }
    }
}

#[cfg(test)]
mod tests;
