//! What follows a tool when another version of it comes in its place (R227): whoever has chosen, saved or changed the one before means the
//! tool and not its version, and nothing of that is lost by an edit.
//!
//! Its switch does not follow: the version before is switched off, so that a model is offered one of them. What was approved of it does not
//! follow either, since another definition has to ask again (C14).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::bundle::manifest::Manifest;
use crate::catalog::{InstalledToolset, Selection, ToolsetId, set_tool_enabled};
use crate::record::{Chat, Equipped, KeptValue, SavedToolset, Tool, ToolOverride, ToolReference};
use crate::saved::{LAST_EQUIPPED_KEY, LastEquipped, declared_reference};
use crate::store::{self, Commit, Store, StoreError};
use crate::time::Timestamp;

/// A version of a tool, and the one in its place.
pub(super) struct Replaced {
    /// The one before.
    pub(super) before: Tool,
    /// The id of the new one within its bundle.
    pub(super) after: String,
}

impl Replaced {
    /// What a manifest changes about the one before, said of the new one.
    pub(super) fn declared_override(&self, overrides: &[Value]) -> Option<Value> {
        let is_before =
            |entry: &&Value| entry.get("tool_id").and_then(Value::as_str) == Some(self.before.tool_id.name());
        let mut entry = overrides.iter().find(is_before)?.as_object()?.clone();
        entry.remove("enabled");
        entry.insert("tool_id".into(), self.after.clone().into());
        // One that says nothing but whose it is says nothing.
        (entry.len() > 1).then_some(Value::Object(entry))
    }

    /// Has everything that names the one before name the new one, as the manifest declares it.
    pub(super) async fn follow(
        &self,
        store: &impl Store,
        installed: &InstalledToolset,
        manifest: &Manifest,
        now: Timestamp,
    ) -> Result<Commit, StoreError> {
        let toolset = &installed.toolset.id;
        let mut commit = self.overrides(installed);
        if let Some((before, after)) = self.references(toolset, manifest) {
            for saved in store::list::<SavedToolset>(store).await?.into_iter().flatten() {
                if let Some(moved) = saved.with_reference_moved(&before, &after, now) {
                    commit = commit.change(&saved, &moved);
                }
            }
        }
        for chat in store::list::<Chat>(store).await?.into_iter().flatten() {
            let chosen = |chosen: &Option<Chosen>| chosen.as_ref().map(|chosen| self.chosen(toolset, chosen));
            let equipped = chat.equipped.as_ref().map(|Equipped { name, before, known }| Equipped {
                name: name.clone(),
                before: chosen(before),
                known: chosen(known),
            });
            let moved = Chat { enabled_tools: chosen(&chat.enabled_tools), equipped, ..chat.clone() };
            commit = if moved == chat { commit } else { commit.change(&chat, &moved) };
        }
        if let Some(last) = LastEquipped::load(store).await? {
            let moved = LastEquipped {
                name: last.name.clone(),
                enabled_tools: self.chosen(toolset, &last.enabled_tools),
                known: last.known.as_ref().map(|known| self.chosen(toolset, known)),
            };
            if moved != last {
                let value = serde_json::to_value(moved).expect("texts always serialise");
                commit = commit.put(&KeptValue { key: LAST_EQUIPPED_KEY.into(), value });
            }
        }
        Ok(commit)
    }

    /// The one before is switched off, and what else the user has changed about it holds for the new one.
    fn overrides(&self, installed: &InstalledToolset) -> Commit {
        let name = self.before.tool_id.selection_name();
        let off = set_tool_enabled(installed, &name, false);
        let own = installed.user_overrides.iter().find(|own| own.tool_id == name);
        let own = own.map(|own| ToolOverride { tool_id: self.after.clone(), enabled: None, ..own.clone() });
        let unset = ToolOverride::unset(installed.toolset.id.clone(), self.after.clone());
        match own.filter(|own| *own != unset) {
            Some(own) => off.put(&own),
            None => off,
        }
    }

    fn references(&self, toolset: &ToolsetId, manifest: &Manifest) -> Option<(ToolReference, ToolReference)> {
        let Tool { tool_id, input_schema, output_schema, .. } = &self.before;
        let new = manifest.tools.iter().find(|tool| tool.id.as_str() == self.after)?;
        Some((
            declared_reference(toolset, tool_id.name(), input_schema.as_ref(), output_schema.as_ref()),
            declared_reference(toolset, &self.after, new.input_schema.as_ref(), new.output_schema.as_ref()),
        ))
    }

    fn chosen(&self, toolset: &ToolsetId, chosen: &Chosen) -> Chosen {
        let name = self.before.tool_id.selection_name();
        match Selection::of_chat(Some(chosen)).with_tool_moved(toolset, &name, &self.after) {
            Some(moved) => moved.to_chat(),
            None => chosen.clone(),
        }
    }
}

/// Tools by toolset, as chats choose them.
type Chosen = BTreeMap<String, Vec<String>>;
