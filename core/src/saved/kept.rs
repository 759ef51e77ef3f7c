//! The shelf of a device: its toolsets are rows, what is equipped belongs to a chat (C16), and each operation is one commit.
//!
//! Equipping from a chat limits that chat and remembers what it had chosen before; it is also what the next chat begins with. Without a
//! chat, only that is said.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::discovery::selection_of;
use super::{Discovery, Mode, Resolution, Shelf};
use crate::catalog::{Selection, Surroundings, ToolId, ToolsetId, ToolsetList};
use crate::record::{Chat, Equipped, KeptValue, RowKey, RowRef, SavedToolset, ToolNotes};
use crate::store::{self, Commit, Store, StoreError};

/// Under this key of `kv` it is remembered what the next chat begins with.
pub const LAST_EQUIPPED_KEY: &str = "last_equipped";

/// What the next chat begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastEquipped {
    /// The saved toolset.
    pub name: String,
    /// Its tools, as a chat chooses them.
    #[serde(rename = "enabledTools")]
    pub enabled_tools: BTreeMap<String, Vec<String>>,
    /// Those of its tools that were seen ([`Equipped::known`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<BTreeMap<String, Vec<String>>>,
}

/// The shelf as it was read, to be changed and stored.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The shelf, which operations change.
    pub shelf: Shelf,
    /// The tools that are known.
    pub discovery: Discovery,
    before: Shelf,
    chat: Option<Chat>,
}

/// What limits the tools of a chat (R137).
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The saved toolset.
    pub name: String,
    /// What it comes to now.
    pub resolution: Resolution,
    tools: BTreeSet<ToolId>,
    notes: BTreeMap<ToolId, ToolNotes>,
}

impl Kept {
    /// Reads the shelf, as it is for a chat, or for the next one. A toolset that cannot be read is not on it.
    pub async fn load(store: &impl Store, surroundings: &Surroundings, chat: Option<Chat>) -> Result<Self, StoreError> {
        let toolsets = ToolsetList::load(store).await?.toolsets;
        let discovery = Discovery::of_toolsets(&toolsets, surroundings);
        let saved = store::list::<SavedToolset>(store).await?.into_iter().flatten();
        let (equipped, mode) = match &chat {
            Some(chat) => (chat.equipped.as_ref().map(|equipped| equipped.name.clone()), mode_of(chat)),
            None => (LastEquipped::load(store).await?.map(|last| last.name), Mode::Working),
        };
        let shelf = Shelf { toolsets: saved.map(|one| (one.name.clone(), one)).collect(), equipped, mode };
        Ok(Self { before: shelf.clone(), shelf, discovery, chat })
    }

    /// What makes the shelf in the store the one that it is here.
    pub async fn commit(&self, store: &impl Store) -> Result<Commit, StoreError> {
        let mut commit = Commit::default();
        for (name, toolset) in &self.shelf.toolsets {
            commit = match self.before.toolsets.get(name) {
                Some(before) if before == toolset => commit,
                Some(before) => commit.change(before, toolset),
                None => commit.expect(RowRef::of(toolset), None).put(toolset),
            };
        }
        let gone: Vec<&SavedToolset> =
            self.before.toolsets.values().filter(|before| !self.shelf.toolsets.contains_key(&before.name)).collect();
        for before in &gone {
            commit = commit.delete(RowRef::of(*before));
        }
        let chat = self.chat.as_ref().map(|chat| self.chat_after(chat));
        if let (Some(before), Some(after)) = (&self.chat, &chat) {
            commit = if before == after { commit } else { commit.change(before, after) };
        }
        commit = self.commit_last(store, &gone, commit).await?;
        if gone.is_empty() {
            return Ok(commit);
        }
        // Whoever else has one equipped that goes is unequipped first (R139).
        for other in store::list::<Chat>(store).await?.into_iter().flatten() {
            let is_own = self.chat.as_ref().is_some_and(|chat| chat.id == other.id);
            let has =
                other.equipped.as_ref().is_some_and(|equipped| gone.iter().any(|gone| gone.name == equipped.name));
            if has && !is_own {
                commit = commit.change(&other, &unequipped(&other));
            }
        }
        Ok(commit)
    }

    /// What the next chat begins with, after this.
    async fn commit_last(
        &self,
        store: &impl Store,
        gone: &[&SavedToolset],
        commit: Commit,
    ) -> Result<Commit, StoreError> {
        let row = RowRef::to::<KeptValue>(RowKey::one(LAST_EQUIPPED_KEY));
        let is_moved = self.shelf.equipped != self.before.equipped;
        Ok(match &self.shelf.equipped {
            Some(name) if is_moved => {
                let enabled_tools = self.enabled_tools();
                let last = LastEquipped { name: name.clone(), known: Some(enabled_tools.clone()), enabled_tools };
                let value = serde_json::to_value(last).expect("texts always serialise");
                commit.put(&KeptValue { key: LAST_EQUIPPED_KEY.into(), value })
            }
            None if is_moved => commit.delete(row),
            Some(_) | None => {
                let last = LastEquipped::load(store).await?;
                match last.is_some_and(|last| gone.iter().any(|gone| gone.name == last.name)) {
                    true => commit.delete(row),
                    false => commit,
                }
            }
        })
    }

    fn chat_after(&self, chat: &Chat) -> Chat {
        let chat = match (&self.shelf.equipped, &self.before.equipped) {
            (now, before) if now == before => chat.clone(),
            (Some(name), _) => {
                let before = match &chat.equipped {
                    // From one to the other: what was chosen before the first comes back at the end.
                    Some(equipped) => equipped.before.clone(),
                    None => chat.enabled_tools.clone(),
                };
                let enabled_tools = Some(self.enabled_tools());
                let equipped = Some(Equipped { name: name.clone(), before, known: enabled_tools.clone() });
                Chat { equipped, enabled_tools, ..chat.clone() }
            }
            (None, _) => unequipped(chat),
        };
        Chat { configuring: self.shelf.mode == Mode::Configuring, ..chat }
    }

    /// The tools of what is equipped, as a chat chooses them.
    fn enabled_tools(&self) -> BTreeMap<String, Vec<String>> {
        let resolution = self.shelf.resolve_equipped(&self.discovery).unwrap_or_default();
        selection_of(&resolution.tools).to_chat()
    }
}

impl LastEquipped {
    /// Reads it; what cannot be read is as if nothing had been equipped.
    pub async fn load(store: &impl Store) -> Result<Option<Self>, StoreError> {
        let row = RowRef::to::<KeptValue>(RowKey::one(LAST_EQUIPPED_KEY));
        let stored = store.row(&row).await?;
        let kept = stored.and_then(|stored| stored.record::<KeptValue>(&row).ok());
        Ok(kept.and_then(|kept| Self::read(kept.value)))
    }

    /// Reads the value of its row.
    #[must_use]
    pub fn read(value: Value) -> Option<Self> {
        serde_json::from_value(value).ok()
    }
}

impl Ceiling {
    /// What limits a chat that has this saved toolset equipped.
    pub async fn load(store: &impl Store, name: &str, discovery: &Discovery) -> Result<Self, StoreError> {
        let found = match store::get::<SavedToolset>(store, RowKey::one(name)).await {
            Ok(found) => found,
            // A limit that cannot be read lets nothing through.
            Err(StoreError::Unreadable { .. }) => None,
            Err(error) => return Err(error),
        };
        let resolution = match &found {
            Some(toolset) => Resolution::of(toolset, discovery),
            None => {
                let error = format!("the saved toolset {name:?} no longer exists; unequip it");
                Resolution { errors: vec![error], ..Resolution::default() }
            }
        };
        let notes_of = |tool: &super::DiscoveredTool| {
            let notes = found.iter().flat_map(|toolset| &toolset.notes).find(|notes| {
                let by_name = notes.tool.namespaced_name() == Some(tool.namespaced_name.as_str());
                by_name || notes.tool.ref_id().is_some_and(|id| crate::mcp::same_reference(id, &tool.ref_id))
            });
            notes.map(|notes| (tool.id.clone(), notes.clone()))
        };
        Ok(Self {
            name: name.to_owned(),
            notes: resolution.tools.iter().filter_map(notes_of).collect(),
            tools: resolution.tools.iter().map(|tool| tool.id.clone()).collect(),
            resolution,
        })
    }

    /// What a chat has chosen within it, with what has come to it since: its references are followed where it is used (R137).
    #[must_use]
    pub fn followed(&self, chosen: Selection, known: Option<&BTreeMap<String, Vec<String>>>) -> Selection {
        chosen.following(known, self.tools.iter())
    }

    /// Whether a tool may be used.
    #[must_use]
    pub fn allows(&self, tool: &ToolId) -> bool {
        self.tools.contains(tool)
    }

    /// What a tool does, with what the user or a model has noted about it.
    #[must_use]
    pub fn described(&self, tool: &ToolId, description: &str) -> String {
        let Some(notes) = self.notes.get(tool) else { return description.to_owned() };
        noted(description, notes)
    }
}

/// A description with notes below it.
#[must_use]
pub(crate) fn noted(description: &str, notes: &ToolNotes) -> String {
    let lines: Vec<String> = notes.notes.iter().map(|note| format!("- {}: {}", note.name, note.note)).collect();
    format!("{description}\n\nNotes:\n{}", lines.join("\n"))
}

/// A chat with these tools of one toolset chosen, of those that were to be seen, by the names that they have in their toolset. Within a saved
/// toolset, what was to be seen and is not chosen stays out.
#[must_use]
pub fn choose_seen(chat: &Chat, toolset: &ToolsetId, wanted: &Selection, seen: &[String]) -> Chat {
    let chosen = Selection::of_chat(chat.enabled_tools.as_ref()).taking(toolset, wanted);
    let known = |known: &BTreeMap<String, Vec<String>>| {
        Selection::of_chat(Some(known)).with_tools(toolset, seen.iter().cloned()).to_chat()
    };
    let equipped = chat.equipped.as_ref().map(|equipped| Equipped {
        name: equipped.name.clone(),
        before: equipped.before.clone(),
        known: equipped.known.as_ref().map(known),
    });
    Chat { enabled_tools: Some(chosen.to_chat()), equipped, ..chat.clone() }
}

impl LastEquipped {
    /// The same choice for the next chat.
    #[must_use]
    pub fn choose_seen(self, toolset: &ToolsetId, wanted: &Selection, seen: &[String]) -> Self {
        let known = self
            .known
            .map(|known| Selection::of_chat(Some(&known)).with_tools(toolset, seen.iter().cloned()).to_chat());
        let chosen = Selection::of_chat(Some(&self.enabled_tools)).taking(toolset, wanted);
        Self { name: self.name, enabled_tools: chosen.to_chat(), known }
    }
}

/// Has a chat that begins have what is equipped for the next one (C16); what it had chosen comes back when that is unequipped.
pub async fn begin_equipped(store: &impl Store, chat: Chat) -> Result<Chat, StoreError> {
    let Some(LastEquipped { name, enabled_tools, known }) = LastEquipped::load(store).await? else { return Ok(chat) };
    let equipped = Some(Equipped { name, before: chat.enabled_tools.clone(), known });
    Ok(Chat { equipped, enabled_tools: Some(enabled_tools), ..chat })
}

/// Whether a model is offered the way into configuration mode: unless the user has switched it off, with the first tool that it is offered,
/// and without any once something is saved. A chat that has nothing to do with tools sends none: there are models that refuse them.
pub async fn is_entry_offered(store: &impl Store, has_tools: bool) -> Result<bool, StoreError> {
    let rows = store::list::<crate::record::Setting>(store).await?.into_iter().flatten();
    if crate::settings::Settings::read(rows).0.hide_configuration_mode {
        return Ok(false);
    }
    Ok(has_tools || !store::list::<SavedToolset>(store).await?.is_empty())
}

fn mode_of(chat: &Chat) -> Mode {
    if chat.configuring { Mode::Configuring } else { Mode::Working }
}

fn unequipped(chat: &Chat) -> Chat {
    let before = chat.equipped.as_ref().and_then(|equipped| equipped.before.clone());
    Chat { equipped: None, enabled_tools: before, ..chat.clone() }
}
