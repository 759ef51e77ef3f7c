//! The hub's side of saved toolsets: what it offers other programs of what the app has published.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::kept::noted;
use super::{Discovery, Management, Mode, Namespace, NewlyFound, Resolution, Shelf, manage};
use crate::bundle::canonical_json;
use crate::catalog::{ToolId, legal};
use crate::mcp::same_reference;
use crate::protocol::{HubChange, HubProvider, HubState, HubTool};
use crate::record::{SavedToolset, ToolNotes};
use crate::time::Timestamp;

/// Longest name of a tool that every client takes.
const NAME_BYTES: usize = 64;

/// A tool that the hub offers.
#[derive(Clone, Debug, PartialEq)]
pub struct HubOffer {
    /// The tool.
    pub id: ToolId,
    /// What other programs call it.
    pub name: String,
    /// What it does, with notes.
    pub description: String,
    /// Its definition, as its provider gives it now.
    pub received: Value,
    /// Who carries it out.
    pub provider: HubProvider,
}

/// What a hub knows at one moment.
#[derive(Clone, Debug)]
pub struct Hub {
    shelf: Shelf,
    discovery: Discovery,
    tools: BTreeMap<ToolId, HubTool>,
    live: BTreeMap<ToolId, Value>,
}

impl HubState {
    /// The shelf: what was published, with what was changed since.
    #[must_use]
    pub fn shelf(&self) -> Shelf {
        let published = self.published.clone().unwrap_or_default();
        let toolsets = published.toolsets.into_iter().map(|toolset| (toolset.name.clone(), toolset)).collect();
        let mut shelf = Shelf { toolsets, equipped: published.equipped, mode: self.mode };
        for change in &self.changes {
            shelf.replay(change);
        }
        shelf
    }
}

impl Shelf {
    /// Does again what was done elsewhere. Whether stale references are allowed is the user's to say, here.
    pub fn replay(&mut self, change: &HubChange) {
        match change {
            HubChange::Put { toolset } => {
                let allow_stale_refs = self.toolsets.get(&toolset.name).is_some_and(|own| own.allow_stale_refs);
                self.toolsets.insert(toolset.name.clone(), SavedToolset { allow_stale_refs, ..toolset.clone() });
            }
            HubChange::Delete { name } => {
                if self.equipped.as_ref() == Some(name) {
                    self.equipped = None;
                }
                self.toolsets.remove(name);
            }
            HubChange::Equip { name } => {
                self.equipped = name.clone().filter(|name| self.toolsets.contains_key(name));
            }
        }
    }

    /// What was changed since, as changes to be done again elsewhere.
    #[must_use]
    fn changes_since(&self, before: &Self) -> Vec<HubChange> {
        let new = self.toolsets.values().filter(|toolset| before.toolsets.get(&toolset.name) != Some(toolset));
        let mut changes: Vec<HubChange> = new.map(|toolset| HubChange::Put { toolset: toolset.clone() }).collect();
        let gone = before.toolsets.keys().filter(|name| !self.toolsets.contains_key(*name));
        changes.extend(gone.map(|name| HubChange::Delete { name: name.clone() }));
        if self.equipped != before.equipped {
            changes.push(HubChange::Equip { name: self.equipped.clone() });
        }
        changes
    }
}

impl Hub {
    /// What a hub knows. `live` gives the definition that a tool has now, or why it cannot be called. A tool that is not what was published
    /// is not offered, whatever else allows it (C14).
    #[must_use]
    pub fn of(state: &HubState, live: &dyn Fn(&HubTool) -> Result<Value, String>) -> Self {
        let tools = state.published.iter().flat_map(|published| published.tools.clone());
        let tools: BTreeMap<ToolId, HubTool> = tools.map(|tool| (tool.id.clone(), tool)).collect();
        let (mut found, mut now) = (Vec::new(), BTreeMap::new());
        for tool in tools.values() {
            let (received, unavailable) = match live(tool) {
                Ok(received) if canonical_json(&received) == canonical_json(&tool.received) => (received, None),
                Ok(received) => (received, Some("Changed since Satchel published it; look at it there".to_owned())),
                Err(reason) => (tool.received.clone(), Some(reason)),
            };
            now.insert(tool.id.clone(), received.clone());
            found.push(NewlyFound {
                id: tool.id.clone(),
                namespace: namespace_of(&tool.id),
                received,
                description: tool.description.clone(),
                unavailable,
            });
        }
        Self { shelf: state.shelf(), discovery: Discovery::of(found), tools, live: now }
    }

    /// The management tools that are offered now. Where nothing is equipped there is nothing to work with, and so it is configured.
    #[must_use]
    pub fn management(&self) -> Vec<Management> {
        Management::offered(self.mode(), true)
    }

    /// What is offered.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match &self.shelf.equipped {
            Some(_) => self.shelf.mode,
            None => Mode::Configuring,
        }
    }

    /// The tools that are offered now: those of the equipped toolset that can be called.
    #[must_use]
    pub fn offers(&self) -> Vec<HubOffer> {
        if self.mode() == Mode::Configuring {
            return Vec::new();
        }
        let resolution: Resolution = self.shelf.resolve_equipped(&self.discovery).unwrap_or_default();
        let equipped = self.shelf.equipped.as_deref().and_then(|name| self.shelf.toolsets.get(name));
        let mut taken: BTreeSet<String> = Management::CONFIGURING.iter().map(|tool| tool.name().to_owned()).collect();
        taken.insert(Management::Enter.name().to_owned());
        let mut offers = Vec::new();
        for tool in resolution.tools.iter().filter(|tool| tool.unavailable.is_none()) {
            let Some(published) = self.tools.get(&tool.id) else { continue };
            let notes = equipped.iter().flat_map(|toolset| &toolset.notes).find(|notes: &&ToolNotes| {
                let by_name = notes.tool.namespaced_name() == Some(tool.namespaced_name.as_str());
                by_name || notes.tool.ref_id().is_some_and(|id| same_reference(id, &tool.ref_id))
            });
            let description =
                notes.map_or_else(|| published.description.clone(), |notes| noted(&published.description, notes));
            offers.push(HubOffer {
                id: tool.id.clone(),
                name: name_of(&tool.namespaced_name, &mut taken),
                description,
                received: self.live.get(&tool.id).cloned().unwrap_or_default(),
                provider: published.provider.clone(),
            });
        }
        offers
    }

    /// Does what a management tool is called for: the answer, what was changed, and what is offered from then on.
    #[must_use]
    pub fn manage(&self, tool: Management, arguments: &Value, now: Timestamp) -> (Value, Vec<HubChange>, Mode) {
        let mut shelf = self.shelf.clone();
        let answer = manage(&mut shelf, &self.discovery, tool, arguments, now);
        let changes = shelf.changes_since(&self.shelf);
        (answer, changes, shelf.mode)
    }
}

/// A name that every client takes and no other tool has.
fn name_of(namespaced_name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain: String = legal(namespaced_name).chars().take(NAME_BYTES).collect();
    let mut name = plain.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        let end = format!("_{number}");
        name = plain.chars().take(NAME_BYTES - end.len()).collect::<String>() + &end;
        number += 1;
    }
    name
}

fn namespace_of(id: &ToolId) -> Namespace {
    match id {
        ToolId::BuiltIn(_) => Namespace::Toolset("builtin".into()),
        ToolId::Toolset(toolset, _) => Namespace::Toolset(toolset.to_string()),
        ToolId::Mcp(key, _) => Namespace::Server(key.toolset.to_string(), key.server.to_string()),
    }
}
