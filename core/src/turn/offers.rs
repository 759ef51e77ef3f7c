//! What a model may call in a turn, under which name, and what may run beside what.

use serde_json::{Value, json};

use crate::catalog::{EffectiveTool, Restored, ToolId, WireNames};
use crate::model::{ToolDefinition, tokens_of_tool};
use crate::record::{Tool, ToolKind};
use crate::saved::Management;

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The tool.
    pub tool: ToolId,
    /// What it does.
    pub description: String,
    /// The schema of its arguments; none where it is not known.
    pub parameters: Option<Value>,
    /// What it may run beside.
    pub lane: Lane,
}

/// What a call may run beside (C35).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// It works on the chat's files, so that it waits for the others that do, in call order.
    Files,
    /// It may run beside anything.
    Free,
}

/// The tools of a turn, named for the model (R181, R182).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offers {
    offers: Vec<Offer>,
    names: WireNames,
    /// What manages saved toolsets, each under its own name.
    management: Vec<(Management, ToolId)>,
}

impl Offer {
    /// The offer of a tool of a package. `described` is the schema that its function has told, where the manifest has none (C34).
    #[must_use]
    pub fn of(tool: &EffectiveTool<'_>, described: Option<&Value>) -> Self {
        let lane = match tool.declared.kind {
            ToolKind::Python | ToolKind::Builtin => Lane::Files,
            ToolKind::Http | ToolKind::Mcp => Lane::Free,
        };
        Self {
            tool: tool.declared.tool_id.clone(),
            description: tool.description.to_owned(),
            parameters: tool.declared.input_schema.as_ref().or(described).cloned(),
            lane,
        }
    }
}

impl Offers {
    /// Names tools, in the order in which they are sent.
    #[must_use]
    pub fn of(offers: Vec<Offer>) -> Self {
        let names = WireNames::of(offers.iter().map(|offer| offer.tool.clone()));
        Self { offers, names, management: Vec::new() }
    }

    /// With tools that manage saved toolsets beside them (R142).
    #[must_use]
    pub fn with_management(self, tools: impl IntoIterator<Item = Management>) -> Self {
        Self { management: tools.into_iter().map(|tool| (tool, tool.id())).collect(), ..self }
    }

    /// Offers tools that are in effect. `described` gives what a function has told of its arguments, where its manifest says nothing.
    #[must_use]
    pub fn in_effect(tools: &[EffectiveTool<'_>], described: &dyn Fn(&Tool) -> Option<Value>) -> Self {
        let offer = |tool: &EffectiveTool<'_>| {
            let told = if tool.declared.input_schema.is_none() { described(tool.declared) } else { None };
            Offer::of(tool, told.as_ref())
        };
        Self::of(tools.iter().map(offer).collect())
    }

    /// The tools as they are sent.
    #[must_use]
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        let definition = |offer: &Offer| ToolDefinition {
            name: self.names.name(&offer.tool).expect("every tool was named").to_owned(),
            description: offer.description.clone(),
            parameters: parameters(offer.parameters.as_ref()),
        };
        let management = self.management.iter().map(|(tool, _)| tool.definition());
        self.offers.iter().map(definition).chain(management).collect()
    }

    /// What all of them cost, as estimated (R312).
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.definitions().iter().map(tokens_of_tool).sum()
    }

    /// What a name in an answer stands for.
    pub(super) fn restore(&self, name: &str) -> Restored<'_> {
        let named = name.trim().trim_start_matches("functions.");
        match self.management.iter().find(|(tool, _)| tool.name().eq_ignore_ascii_case(named)) {
            Some((_, id)) => Restored::Offered(id),
            None => self.names.restore(name),
        }
    }

    pub(super) fn lane(&self, tool: &ToolId) -> Lane {
        self.offers.iter().find(|offer| offer.tool == *tool).map_or(Lane::Files, |offer| offer.lane)
    }

    /// Their names, for a model that has made one up.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let management = self.management.iter().map(|(tool, _)| tool.name());
        self.offers.iter().filter_map(|offer| self.names.name(&offer.tool)).chain(management)
    }
}

/// A schema that every provider takes: an object, with properties.
fn parameters(schema: Option<&Value>) -> Value {
    let mut schema = match schema {
        Some(Value::Object(schema)) => schema.clone(),
        Some(_) | None => serde_json::Map::new(),
    };
    schema.entry("type").or_insert_with(|| "object".into());
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".into(), json!({}));
    }
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R181, R182
    #[test]
    fn tools_are_sent_with_a_schema_that_every_provider_takes() {
        let check = |schema: Option<Value>, expected: Value| assert_eq!(parameters(schema.as_ref()), expected);
        check(None, json!({"type": "object", "properties": {}}));
        check(Some(json!(true)), json!({"type": "object", "properties": {}}));
        check(Some(json!({"required": []})), json!({"required": [], "type": "object", "properties": {}}));
        let whole = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
        check(Some(whole.clone()), whole);
    }
}
