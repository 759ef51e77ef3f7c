//! All saved toolsets with what is equipped, and what can be done with them. Nothing is stored here: whoever has the shelf keeps it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::MOST_TOOLS;
use super::file::{self, FileShape};
use super::toolset_manager::{check_name, check_tools, shown};
use super::{Discovery, Imported, Resolution, SavedError, Staleness, budget_warning};
use crate::mcp::same_reference;
use crate::record::{Note, SavedToolset, ToolNotes, ToolReference};
use crate::time::Timestamp;

/// Most characters of a description, a version or a note.
const MOST_TEXT: usize = 2_000;
/// Most notes of one tool.
const MOST_NOTES: usize = 20;

/// What a model is offered, or another program that asks the hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The tools that it works with.
    #[default]
    Working,
    /// Those that manage saved toolsets, and no others.
    Configuring,
}

/// The saved toolsets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shelf {
    /// By name.
    pub toolsets: BTreeMap<String, SavedToolset>,
    /// The one that is equipped.
    pub equipped: Option<String>,
    /// What is offered.
    pub mode: Mode,
}

/// A saved toolset to be built, or to be changed to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewToolset {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// A label.
    pub version: Option<String>,
    /// Its tools; each may be named in one way (R133).
    pub tools: Vec<ToolReference>,
}

impl Shelf {
    /// The toolset of a name.
    pub fn get(&self, name: &str) -> Result<&SavedToolset, SavedError> {
        self.toolsets.get(name).ok_or_else(|| SavedError::NotFound(name.chars().take(80).collect()))
    }

    /// What the equipped one comes to. One that is not there any more has no tools: what was a limit does not open by being lost.
    #[must_use]
    pub fn resolve_equipped(&self, discovery: &Discovery) -> Option<Resolution> {
        let name = self.equipped.as_deref()?;
        Some(match self.get(name) {
            Ok(toolset) => Resolution::of(toolset, discovery),
            Err(error) => Resolution { errors: vec![error.to_string()], ..Resolution::default() },
        })
    }

    /// Builds a toolset (R132–R135). Every tool has to be there, and is kept under both of its names.
    pub fn build(
        &mut self,
        new: NewToolset,
        discovery: &Discovery,
        now: Timestamp,
    ) -> Result<&SavedToolset, SavedError> {
        check_name(&new.name)?;
        if self.toolsets.contains_key(&new.name) {
            return Err(SavedError::Exists(new.name));
        }
        check_texts(&new)?;
        let tools = both_names(&new.tools, discovery)?;
        let toolset = SavedToolset {
            name: new.name.clone(),
            description: new.description,
            version: new.version,
            created_at: now,
            modified_at: now,
            tools,
            notes: Vec::new(),
            allow_stale_refs: false,
        };
        Ok(self.toolsets.entry(new.name).or_insert(toolset))
    }

    /// Changes what a toolset is for and what is in it. A tool that it has already, and that is not there just now, may stay as it is.
    pub fn edit(
        &mut self,
        new: NewToolset,
        discovery: &Discovery,
        now: Timestamp,
    ) -> Result<&SavedToolset, SavedError> {
        check_texts(&new)?;
        let before = self.get(&new.name)?.clone();
        let (kept, fresh): (Vec<_>, Vec<_>) = new.tools.into_iter().partition(|tool| before.tools.contains(tool));
        check_tools(&[kept.clone(), fresh.clone()].concat())?;
        let mut tools = kept;
        if !fresh.is_empty() {
            tools.extend(both_names(&fresh, discovery)?);
        }
        let notes = before.notes.iter().filter(|notes| tools.iter().any(|tool| is_same(tool, &notes.tool))).cloned();
        let after = SavedToolset {
            description: new.description,
            version: new.version,
            notes: notes.collect(),
            tools,
            modified_at: now,
            ..before
        };
        self.toolsets.insert(new.name.clone(), after);
        self.get(&new.name)
    }

    /// Takes the tools of a toolset for what they are now: each that goes by its name gets the reference it has now, so that it is strict
    /// and whole again. Whoever does this has seen what changed.
    pub fn renew(&mut self, name: &str, discovery: &Discovery, now: Timestamp) -> Result<&SavedToolset, SavedError> {
        let mut toolset = self.get(name)?.clone();
        for reference in &mut toolset.tools {
            let found = discovery.resolve_tool_reference(reference, Staleness::Allowed);
            if let Some(tool) = found.tool {
                let renewed = ToolReference::new(Some(tool.namespaced_name), Some(tool.ref_id))?;
                for notes in toolset.notes.iter_mut().filter(|notes| is_same(&notes.tool, reference)) {
                    notes.tool = renewed.clone();
                }
                *reference = renewed;
            }
        }
        toolset.modified_at = now;
        self.toolsets.insert(name.to_owned(), toolset);
        self.get(name)
    }

    /// Allows references that fit only half, or forbids them again (R151).
    pub fn allow_stale_refs(&mut self, name: &str, allowed: bool) -> Result<(), SavedError> {
        let toolset = SavedToolset { allow_stale_refs: allowed, ..self.get(name)?.clone() };
        self.toolsets.insert(name.to_owned(), toolset);
        Ok(())
    }

    /// Equips a toolset, and leaves configuration mode (R137). What it comes to is told, with what has to be said about it (R155).
    pub fn equip(&mut self, name: &str, discovery: &Discovery) -> Result<Resolution, SavedError> {
        let mut resolution = Resolution::of(self.get(name)?, discovery);
        for tool in &resolution.tools {
            if let Some(reason) = &tool.unavailable {
                resolution.warnings.push(format!("{} cannot be used now: {reason}", tool.namespaced_name));
            }
        }
        resolution.warnings.extend(budget_warning(resolution.tokens(), None));
        self.equipped = Some(name.to_owned());
        self.mode = Mode::Working;
        Ok(resolution)
    }

    /// Unequips what is equipped; its name, if anything was (R138).
    pub fn unequip(&mut self) -> Option<String> {
        self.equipped.take()
    }

    /// Deletes a toolset; an equipped one is unequipped first (R139).
    pub fn delete(&mut self, name: &str) -> Result<SavedToolset, SavedError> {
        self.get(name)?;
        if self.equipped.as_deref() == Some(name) {
            self.unequip();
        }
        self.toolsets.remove(name).ok_or_else(|| SavedError::NotFound(name.to_owned()))
    }

    /// Adds notes about a tool of the equipped toolset. A note of a name that is there replaces it.
    pub fn annotate(
        &mut self,
        tool: &ToolReference,
        notes: Vec<Note>,
        now: Timestamp,
    ) -> Result<ToolNotes, SavedError> {
        let name = self.equipped.clone().ok_or(SavedError::NothingEquipped)?;
        self.annotate_in(&name, tool, notes, now)
    }

    /// Adds notes about a tool of a toolset.
    pub fn annotate_in(
        &mut self,
        name: &str,
        tool: &ToolReference,
        notes: Vec<Note>,
        now: Timestamp,
    ) -> Result<ToolNotes, SavedError> {
        let mut toolset = self.get(name)?.clone();
        let own = toolset.tools.iter().find(|own| is_same(own, tool)).cloned();
        let own = own.ok_or_else(|| SavedError::NotInIt(shown(tool)))?;
        let at = toolset.notes.iter().position(|known| is_same(&known.tool, &own)).unwrap_or_else(|| {
            toolset.notes.push(ToolNotes { tool: own.clone(), notes: Vec::new() });
            toolset.notes.len() - 1
        });
        let known = &mut toolset.notes[at];
        for note in notes {
            if note.note.chars().count() > MOST_TEXT || note.name.chars().count() > MOST_TEXT {
                return Err(SavedError::TooLong { what: "a note", most: MOST_TEXT });
            }
            known.notes.retain(|other| other.name != note.name);
            if !note.note.trim().is_empty() {
                known.notes.push(note);
            }
        }
        if known.notes.len() > MOST_NOTES {
            return Err(SavedError::Arguments(format!("a tool has at most {MOST_NOTES} notes")));
        }
        let told = known.clone();
        toolset.notes.retain(|known| !known.notes.is_empty());
        toolset.modified_at = now;
        self.toolsets.insert(name.to_owned(), toolset);
        Ok(told)
    }

    /// Generates a toolset of all that can be used now, to be edited then (R157); of more than there may be in one, the first.
    pub fn generate(&mut self, name: &str, discovery: &Discovery, now: Timestamp) -> Result<&SavedToolset, SavedError> {
        let usable = discovery.tools().iter().filter(|tool| tool.unavailable.is_none()).take(MOST_TOOLS);
        let reference = |tool: &super::DiscoveredTool| ToolReference::new(Some(tool.namespaced_name.clone()), None);
        let tools = usable.map(reference).collect::<Result<Vec<_>, _>>()?;
        let description = Some("What could be used when this was generated".to_owned());
        self.build(NewToolset { name: name.to_owned(), description, version: None, tools }, discovery, now)
    }

    /// Puts what was read from a file on the shelf (R154). One whose name is taken is left out, unless it is to replace the other.
    pub fn import(&mut self, text: &str, replace: bool, now: Timestamp) -> Result<Imported, SavedError> {
        let mut imported = Imported::read(text, now)?;
        let mut taken = Vec::new();
        for toolset in std::mem::take(&mut imported.toolsets) {
            match self.toolsets.contains_key(&toolset.name) && !replace {
                true => imported
                    .remarks
                    .push(format!("{:?} was not imported: there is already one of that name", toolset.name)),
                false => {
                    self.toolsets.insert(toolset.name.clone(), toolset.clone());
                    taken.push(toolset);
                }
            }
        }
        imported.toolsets = taken;
        Ok(imported)
    }

    /// The file of one toolset, or of all (R158).
    pub fn export(&self, name: Option<&str>, shape: FileShape) -> Result<String, SavedError> {
        Ok(match name {
            Some(name) => file::write([self.get(name)?], None, shape),
            None => file::write(self.toolsets.values(), self.equipped.as_deref(), shape),
        })
    }
}

impl SavedToolset {
    /// With another tool in the place of one, and what is noted about it; nothing where it does not have that one, or only half of it fits:
    /// what is doubtful stays so.
    #[must_use]
    pub(crate) fn with_reference_moved(
        &self,
        before: &ToolReference,
        after: &ToolReference,
        now: Timestamp,
    ) -> Option<Self> {
        let fits = |own: &ToolReference| {
            let name = own.namespaced_name().is_none_or(|name| Some(name) == before.namespaced_name());
            let id = own.ref_id().is_none_or(|id| before.ref_id().is_some_and(|before| same_reference(id, before)));
            name && id
        };
        if !self.tools.iter().any(fits) {
            return None;
        }
        let moved = |own: &ToolReference| if fits(own) { after.clone() } else { own.clone() };
        let notes = |own: &ToolNotes| ToolNotes { tool: moved(&own.tool), notes: own.notes.clone() };
        let (tools, notes) = (self.tools.iter().map(moved).collect(), self.notes.iter().map(notes).collect());
        Some(Self { tools, notes, modified_at: now, ..self.clone() })
    }
}

/// The references under both names, once each.
fn both_names(tools: &[ToolReference], discovery: &Discovery) -> Result<Vec<ToolReference>, SavedError> {
    check_tools(tools)?;
    let (mut found, mut unknown): (Vec<ToolReference>, Vec<String>) = (Vec::new(), Vec::new());
    for reference in tools {
        let resolved = discovery.resolve_tool_reference(reference, Staleness::Strict);
        match resolved.tool {
            Some(tool) => {
                let both = ToolReference::new(Some(tool.namespaced_name), Some(tool.ref_id))?;
                if !found.contains(&both) {
                    found.push(both);
                }
            }
            None if resolved.errors.is_empty() => unknown.push(format!("Tool not found: {}", shown(reference))),
            None => unknown.extend(resolved.errors),
        }
    }
    if unknown.is_empty() { Ok(found) } else { Err(SavedError::Unknown(unknown)) }
}

fn check_texts(new: &NewToolset) -> Result<(), SavedError> {
    let is_long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.chars().count() > MOST_TEXT);
    match (is_long(&new.description), is_long(&new.version)) {
        (true, _) => Err(SavedError::TooLong { what: "the description", most: MOST_TEXT }),
        (_, true) => Err(SavedError::TooLong { what: "the version", most: MOST_TEXT }),
        (false, false) => Ok(()),
    }
}

/// Whether two references are of one tool: by the name where both have one, otherwise by the hash.
pub(super) fn is_same(one: &ToolReference, other: &ToolReference) -> bool {
    match (one.namespaced_name(), other.namespaced_name()) {
        (Some(one), Some(other)) => one == other,
        _ => one.ref_id().zip(other.ref_id()).is_some_and(|(one, other)| same_reference(one, other)),
    }
}
