//! Which tools a chat may use: chosen toolset by toolset and tool by tool, kept with the chat, and handed on to the next one.
//!
//! What is chosen is kept as it was chosen: a toolset that cannot be used for a while, or is gone for a while, comes back as it was. What
//! counts and what is sent is only what can be used now (R176).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{EffectiveTool, InstalledToolset, Surroundings, ToolId, ToolsetId, Unavailable};

/// Under this key of localStorage the last selection is kept for the next chat (R173).
pub const LAST_SELECTION_KEY: &str = "satchel-last-toolset-selection";

/// The tools that are chosen, by toolset (R172).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(BTreeMap<String, BTreeSet<String>>);

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

impl Selection {
    /// What a chat has chosen. A chat in which nothing was ever chosen has nothing.
    #[must_use]
    pub fn of_chat(enabled_tools: Option<&BTreeMap<String, Vec<String>>>) -> Self {
        let sets = enabled_tools.into_iter().flatten();
        Self(sets.map(|(toolset, tools)| (toolset.clone(), tools.iter().cloned().collect())).collect()).tidy()
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
        self.0.iter().map(|(toolset, tools)| (toolset.clone(), tools.iter().cloned().collect())).collect()
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
        let named = |tools: &BTreeSet<String>| tools.contains(key) || tools.contains(&tool.selection_name());
        self.0.get(toolset.as_str()).is_some_and(named)
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
        let was_chosen = tools.remove(&tool.key) | tools.remove(&tool.id.selection_name());
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
        self.0.insert(toolset.as_str().to_owned(), keys.into_iter().collect());
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

impl Offered {
    fn and(self, tool: &SelectableTool) -> Self {
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

    fn usable(&self) -> impl Iterator<Item = &SelectableTool> {
        let whole = self.unavailable.is_none();
        self.tools.iter().filter(move |tool| whole && tool.unavailable.is_none())
    }
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
mod tests {
    use super::super::sample::{Device, MIXED, PYTHON};
    use super::*;

    fn toolset(id: &str, tools: &[(&str, Option<Unavailable>)], unavailable: Option<Unavailable>) -> SelectableToolset {
        let tool = |(name, reason): &(&str, Option<Unavailable>)| SelectableTool {
            id: ToolId::parse(&format!("{id}:{name}")).expect("is a tool id"),
            key: (*name).to_owned(),
            name: (*name).to_owned(),
            tokens: 10,
            unavailable: reason.clone().or_else(|| unavailable.clone()),
        };
        SelectableToolset {
            id: ToolsetId::parse(id).expect("is a name"),
            name: id.to_uppercase(),
            tools: tools.iter().map(tool).collect(),
            unavailable,
        }
    }

    fn three() -> SelectableToolset {
        toolset("mine", &[("one", None), ("two", None), ("off", Some(Unavailable::DisabledInSettings))], None)
    }

    fn chosen(selection: &Selection) -> String {
        selection.to_last()
    }

    /// R169, R170, R171, R175: the box of the toolset follows its tools, and they follow it.
    #[test]
    fn the_box_of_a_toolset_has_three_states() {
        let toolset = three();
        let none = Selection::default();
        assert_eq!(none.checkbox(&toolset), Checkbox::Unchecked);
        let one = none.clone().toggle_tool(&toolset.id, &toolset.tools[1]);
        assert_eq!((one.checkbox(&toolset), chosen(&one).as_str()), (Checkbox::Indeterminate, r#"{"mine":["two"]}"#));
        assert_eq!(one.clone().toggle_toolset(&toolset), none);
        let all = none.clone().toggle_toolset(&toolset);
        assert_eq!((all.checkbox(&toolset), chosen(&all).as_str()), (Checkbox::Checked, r#"{"mine":["one","two"]}"#));
        assert_eq!(all.clone().toggle_toolset(&toolset), none);
        assert!(all.has_changes(&one) && !all.has_changes(&all.clone()));
        assert!(all.is_toolset_enabled(&toolset) && !none.is_toolset_enabled(&toolset));
        assert!(one.is_tool_enabled(&toolset.id, &toolset.tools[1]));
        assert_eq!(one.clone().toggle_tool(&toolset.id, &toolset.tools[1]), none);
        assert_eq!(none.clone().toggle_tool(&toolset.id, &toolset.tools[2]), none);
    }

    /// R165, R166: rows and badge count what can be used.
    #[test]
    fn rows_and_badge_count() {
        let away = toolset("away", &[("x", None)], Some(Unavailable::NeedsServer));
        let toolsets = [three(), away];
        let selection =
            Selection::of_last(Some(r#"{"mine": ["one", "off", "gone"], "away": ["x"], "removed": ["y"]}"#));
        assert_eq!(selection.count(&toolsets[0]), SelectedCount { enabled: 1, total: 3 });
        assert_eq!(selection.count(&toolsets[1]), SelectedCount { enabled: 0, total: 1 });
        assert_eq!(selection.offered(&toolsets), Offered { tools: 1, tokens: 10 });
        assert_eq!(Selection::default().offered(&toolsets), Offered::default());
    }

    /// R176, R312: what is chosen and cannot be used is told, and costs nothing.
    #[test]
    fn what_is_not_sent_is_told() {
        let away = toolset("away", &[("x", None), ("y", None)], Some(Unavailable::NeedsServer));
        let selection = Selection::of_last(Some(r#"{"mine": ["one", "off"], "away": ["x"]}"#));
        assert_eq!((selection.unsent(&three()), selection.unsent(&away)), (1, 1));
        assert_eq!(selection.offered_of(&three()), Offered { tools: 1, tokens: 10 });
        assert_eq!(selection.offered_of(&away), Offered::default());
        assert_eq!((three().tokens(), away.tokens()), (30, 20));
    }

    /// R172: what two tabs choose of different toolsets is kept of both.
    #[test]
    fn a_change_is_kept_toolset_by_toolset() {
        let stored = Selection::of_last(Some(r#"{"mine": ["one"], "other": ["x"]}"#));
        let shown = Selection::of_last(Some(r#"{"mine": ["one", "two"]}"#));
        let taken = |toolset: &str| {
            let toolset = ToolsetId::parse(toolset).expect("is a name");
            chosen(&stored.clone().taking(&toolset, &shown))
        };
        assert_eq!(taken("mine"), r#"{"mine":["one","two"],"other":["x"]}"#);
        assert_eq!(taken("other"), r#"{"mine":["one"]}"#);
    }

    /// I9: as the page is told it.
    #[test]
    fn as_sent() {
        let reason = Unavailable::SecretsMissing(vec!["KEY".into()]);
        insta::assert_json_snapshot!(toolset("away", &[("x", None)], Some(reason)), @r#"
        {
          "id": "away",
          "name": "AWAY",
          "tools": [
            {
              "id": "away:x",
              "key": "x",
              "name": "x",
              "tokens": 10,
              "unavailable": {
                "secrets_missing": [
                  "KEY"
                ]
              }
            }
          ],
          "unavailable": {
            "secrets_missing": [
              "KEY"
            ]
          }
        }
        "#);
    }

    /// R176: a tool that is chosen and cannot be used is not sent, and is there again when it can be used again.
    #[test]
    fn only_what_can_be_used_is_sent() {
        let selection = Selection::of_last(Some(r#"{"mine": ["two", "one", "off"], "away": ["x"]}"#));
        let sent = |toolsets: &[SelectableToolset]| {
            selection.usable(toolsets).map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        let away = |reason| toolset("away", &[("x", None)], reason);
        assert_eq!(sent(&[three(), away(Some(Unavailable::DisabledInSettings))]), "mine:one mine:two");
        assert_eq!(sent(&[three(), away(None)]), "mine:one mine:two away:x");
    }

    /// R172, R173: kept with the chat, and for the next one.
    #[test]
    fn a_selection_is_kept() {
        let stored = BTreeMap::from([("mine".to_owned(), vec!["one".to_owned()]), ("none".to_owned(), vec![])]);
        let selection = Selection::of_chat(Some(&stored));
        assert_eq!(selection.to_chat(), BTreeMap::from([("mine".to_owned(), vec!["one".to_owned()])]));
        assert_eq!(Selection::of_last(Some(&selection.to_last())), selection);
        for nothing in [None, Some("null"), Some("{\"mine\": 1}"), Some("{")] {
            assert_eq!(Selection::of_last(nothing), Selection::default());
        }
        assert_eq!(Selection::of_chat(None), Selection::default());
    }

    /// R176, R181: what is sent is what is chosen and can be used, as it is in effect.
    #[test]
    fn what_is_installed_can_be_chosen() {
        let device = Device::with(MIXED);
        device.install(PYTHON);
        let toolsets = device.list().toolsets;
        let selection = Selection::of_last(Some(
            r#"{"builtin": ["read_file"], "mixed": ["local", "call"], "python-only": ["first"]}"#,
        ));
        let check = |surroundings: &Surroundings, rows: [&str; 3], expected: &[&str]| {
            let selectable: Vec<SelectableToolset> =
                toolsets.iter().map(|installed| SelectableToolset::of(installed, surroundings, &|_| 1)).collect();
            let row = |toolset: &SelectableToolset| {
                let SelectedCount { enabled, total } = selection.count(toolset);
                let reason = toolset.unavailable.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
                format!("{} ({enabled}/{total}){reason}", toolset.name)
            };
            assert_eq!(selectable.iter().map(row).collect::<Vec<_>>(), rows);
            let sent = selection.tools_in_effect(&toolsets, surroundings);
            let ids: Vec<String> = sent.iter().map(|tool| tool.declared.tool_id.to_string()).collect();
            assert_eq!(ids, expected);
            assert_eq!(selection.usable(&selectable).map(ToString::to_string).collect::<Vec<_>>(), ids);
        };
        let alone = Surroundings::default();
        let built_in = "Built-in tools (1/11)";
        let unkeyed = "Mixed (0/2), API key not configured";
        check(&alone, [built_in, unkeyed, "Python only (1/2)"], &["read_file", "python-only:first"]);
        let keyed = Surroundings { secrets: ["TOKEN".to_owned()].into(), ..alone };
        let sent = ["read_file", "mixed:local", "python-only:first"];
        check(&keyed, [built_in, "Mixed (1/2)", "Python only (1/2)"], &sent);
    }

    /// C08
    #[test]
    fn tools_of_servers_are_told_apart() {
        let name = |id: &str| ToolId::parse(id).expect("is a tool id").selection_name();
        assert_eq!(
            [name("write_file"), name("mine:one"), name("mcp:a~b:list:all")],
            ["write_file", "one", "b:list:all"]
        );
    }
}
