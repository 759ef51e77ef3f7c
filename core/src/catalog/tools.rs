//! Tools as they are in effect: what their package declares, what overrides change about it, and whether they can be used.

use super::{InstalledToolset, Surroundings, ToolsetId, Unavailable};
use crate::mcp::SeenTool;
use crate::pins::{NEVER_USED, PinStanding};
use crate::record::{Tool, ToolRenderConfig};
use crate::render::Declared;

/// A tool of an installed toolset, as it is here and now.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveTool<'a> {
    /// The toolset it is in.
    pub toolset: &'a ToolsetId,
    /// The tool as its package declares it, or as its MCP server offers it.
    pub declared: &'a Tool,
    /// Its display name; the model still sees its id (R113).
    pub name: &'a str,
    /// What it does, for the user and the model (R114).
    pub description: &'a str,
    /// Whether it asks before it runs (R115).
    pub requires_confirmation: bool,
    /// Its own switch, which keeps its value while the toolset is off (C54).
    pub enabled: bool,
    /// How its result is shown (C18).
    pub renderer: Option<Declared>,
    /// Why it cannot be used now.
    pub unavailable: Option<Unavailable>,
    /// Whether it is what it was when it was first used (C14).
    pub pin: &'a PinStanding,
    /// For a tool of an MCP server: what is known of it beside that.
    pub seen: Option<&'a SeenTool>,
}

impl InstalledToolset {
    /// The tools of this toolset: those that are stored, in its author's order, then those that its MCP servers offered when they were
    /// last connected (R104, R122). Where a server is away, its tools are there and say so.
    #[must_use]
    pub fn tools_in_effect(&self, surroundings: &Surroundings) -> Vec<EffectiveTool<'_>> {
        let whole = surroundings.unavailable(self);
        let effective = |tool| {
            let mut tool = self.in_effect(tool);
            let switched_off = (!tool.enabled).then_some(Unavailable::DisabledInSettings);
            let of_kind = || surroundings.unavailable_tool(tool.declared);
            tool.unavailable = whole.clone().or(switched_off).or_else(|| of_pin(tool.pin)).or_else(of_kind);
            tool
        };
        let stored = self.tools.iter().map(effective);
        let offered = self.servers.iter().flat_map(|server| {
            let away = surroundings.unavailable_server(server);
            let seen = self.seen.iter().find(|seen| seen.server == server.server_id);
            let tools = seen.into_iter().flat_map(|seen| &seen.tools);
            let whole = &whole;
            tools.map(move |seen| {
                let mut tool = self.in_effect(&seen.tool);
                let switched_off = (!tool.enabled).then_some(Unavailable::DisabledInSettings);
                tool.unavailable =
                    whole.clone().or(switched_off).or_else(|| of_pin(&seen.pin)).or_else(|| away.clone());
                (tool.seen, tool.pin) = (Some(seen), &seen.pin);
                tool
            })
        });
        stored.chain(offered).collect()
    }

    /// One of the tools that are stored, by its place among them.
    #[must_use]
    pub fn stored_in_effect<'a>(&'a self, surroundings: &Surroundings, tool: &'a Tool) -> EffectiveTool<'a> {
        let mut found = self.in_effect(tool);
        let switched_off = (!found.enabled).then_some(Unavailable::DisabledInSettings);
        let whole = surroundings.unavailable(self);
        found.unavailable = whole.or(switched_off).or_else(|| surroundings.unavailable_tool(tool));
        found
    }

    /// The tools of this toolset, in the order of [`InstalledToolset::tools_in_effect`].
    pub fn all_tools(&self) -> impl Iterator<Item = &Tool> {
        let offered = self.servers.iter().flat_map(|server| {
            let seen = self.seen.iter().find(|seen| seen.server == server.server_id);
            seen.into_iter().flat_map(|seen| &seen.tools).map(|seen| &seen.tool)
        });
        self.tools.iter().chain(offered)
    }

    fn in_effect<'a>(&'a self, tool: &'a Tool) -> EffectiveTool<'a> {
        let chosen = self.overrides.get(&tool.tool_id.selection_name());
        let configs: Vec<ToolRenderConfig> =
            self.render_configs.iter().filter(|config| config.tool_id == tool.tool_id).cloned().collect();
        let requires = chosen.and_then(|chosen| chosen.requires_confirmation);
        EffectiveTool {
            toolset: &self.toolset.id,
            declared: tool,
            name: chosen.and_then(|chosen| chosen.name_override.as_deref()).unwrap_or(&tool.name),
            description: chosen.and_then(|chosen| chosen.description_override.as_deref()).unwrap_or(&tool.description),
            requires_confirmation: requires.unwrap_or(tool.requires_confirmation),
            enabled: chosen.and_then(|chosen| chosen.enabled).unwrap_or(tool.enabled),
            renderer: Declared::effective(&configs, chosen),
            unavailable: None,
            pin: self.pins.get(&tool.tool_id).unwrap_or(&NEVER_USED),
            seen: None,
        }
    }
}

/// Why a tool cannot be used that is not what it was.
fn of_pin(pin: &PinStanding) -> Option<Unavailable> {
    match pin {
        PinStanding::New | PinStanding::Same => None,
        PinStanding::Changed(_) => Some(Unavailable::Changed),
        PinStanding::Unreadable => Some(Unavailable::PinDamaged),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Device, MIXED, PYTHON};
    use super::*;
    use crate::record::{RendererKind, ToolOverride};
    use crate::store::Commit;

    fn told(installed: &InstalledToolset, surroundings: &Surroundings) -> Vec<(String, Option<String>)> {
        let tools = installed.tools_in_effect(surroundings);
        let told = |tool: EffectiveTool<'_>| {
            (tool.declared.tool_id.to_string(), tool.unavailable.map(|reason| reason.to_string()))
        };
        tools.into_iter().map(told).collect()
    }

    /// R112, R113, R114, R115, R116: each field of an override is in effect, in this toolset only.
    #[test]
    fn overrides_are_in_effect() {
        let device = Device::with(PYTHON);
        let one = ToolOverride {
            toolset_id: ToolsetId::parse("python-only").expect("is a name"),
            tool_id: "second".into(),
            renderer: Some(RendererKind::Document),
            renderer_config: Some(serde_json::json!({"content": "$return"})),
            name_override: Some("Mine".into()),
            description_override: Some("Does what I say".into()),
            requires_confirmation: Some(true),
            enabled: Some(false),
        };
        device.apply(Commit::default().put(&one));
        let installed = device.only();
        let tools = installed.tools_in_effect(&Surroundings::default());
        let seen = (tools[0].name, tools[0].description, tools[0].requires_confirmation, tools[0].enabled);
        assert_eq!(seen, ("Mine", "Does what I say", true, false));
        assert_eq!(tools[0].renderer.as_ref().map(|found| found.renderer), Some(RendererKind::Document));
        assert_eq!(tools[0].unavailable, Some(Unavailable::DisabledInSettings));
        let other = (tools[1].name, tools[1].requires_confirmation, tools[1].enabled, &tools[1].unavailable);
        assert_eq!(other, ("first", false, true, &None));
    }

    /// The author's order, and one reason a tool.
    #[test]
    fn each_tool_has_its_own_reason() {
        let keyed = Surroundings { secrets: ["TOKEN".to_owned()].into(), ..Surroundings::default() };
        let expected = [("mixed:local", None), ("mixed:call", Some("Needs a Satchel server"))];
        let expected = expected.map(|(id, reason)| (id.to_owned(), reason.map(str::to_owned)));
        assert_eq!(told(&Device::with(MIXED).only(), &keyed), expected);
    }
}
