//! All tools of the device, held ready to be searched (R253).
//!
//! Reading thousands of tools takes longer than looking through them. The shelf keeps them, and looks before each search only whether
//! anything about toolsets has changed: every change of a tool is another package, a switch or an offer, and those rows are few.

use std::cell::RefCell;
use std::rc::Rc;

use super::{EffectiveTool, InstalledToolset, Surroundings, ToolsetList};
use crate::exa::EXA_BASE_URL_KEY;
use crate::palette::{Findable, Hit, Index};
use crate::record::{RowKey, RowRef, Table};
use crate::store::{Lookup, Rows, Store, StoreError};
use crate::sync::Stamp;
use crate::time::Timestamp;

/// The tables in whose rows everything about tools shows, themselves or by a package's name.
type Seen = Vec<(RowKey, Option<Stamp>)>;

/// The tools, or nothing yet.
#[derive(Debug, Default)]
pub struct ToolShelf(RefCell<Option<Rc<Shelved>>>);

/// The tools as they were at one moment.
#[derive(Debug)]
pub struct Shelved {
    seen: Seen,
    toolsets: Vec<InstalledToolset>,
    /// The toolset and the tool in it, for each entry of the index.
    places: Vec<Place>,
    index: Index,
}

#[derive(Clone, Debug)]
struct Place {
    id: String,
    toolset: usize,
    tool: usize,
    changed: Timestamp,
    /// Whether it is switched on, and its toolset too.
    is_on: bool,
}

impl ToolShelf {
    /// The tools as they are now.
    pub async fn now(&self, store: &impl Store) -> Result<Rc<Shelved>, StoreError> {
        let seen = seen(store).await?;
        let kept = self.0.borrow().clone().filter(|kept| kept.seen == seen);
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let made = Rc::new(Shelved::load(store, seen).await?);
        self.0.replace(Some(Rc::clone(&made)));
        Ok(made)
    }
}

async fn seen(store: &impl Store) -> Result<Seen, StoreError> {
    let switches = ["builtin_enabled", "builtin-exa-web-search_enabled", EXA_BASE_URL_KEY];
    let switches = switches.map(|key| RowRef { table: Table::Kv, key: RowKey::one(key) });
    let found = store
        .look_up([
            Lookup::All(Table::Toolsets),
            Lookup::All(Table::ToolOverrides),
            Lookup::All(Table::ToolsetMcpServers),
            Lookup::All(Table::McpSeen),
            Lookup::All(Table::Pins),
            Lookup::Row(&switches[0]),
            Lookup::Row(&switches[1]),
            Lookup::Row(&switches[2]),
        ])
        .await?;
    let stamped = |rows: Rows| rows.into_iter().map(|(key, row)| (key, row.stamp().cloned()));
    Ok(found.into_iter().flat_map(stamped).collect())
}

impl Shelved {
    async fn load(store: &impl Store, seen: Seen) -> Result<Self, StoreError> {
        let toolsets = ToolsetList::load(store).await?.toolsets;
        let (mut places, mut findable) = (Vec::new(), Vec::new());
        for (toolset, installed) in toolsets.iter().enumerate() {
            for (tool, declared) in installed.all_tools().enumerate() {
                let chosen = installed.overrides.get(&declared.tool_id.selection_name());
                let enabled = chosen.and_then(|chosen| chosen.enabled).unwrap_or(declared.enabled);
                places.push(Place {
                    id: declared.tool_id.to_string(),
                    toolset,
                    tool,
                    changed: declared.modified_at,
                    is_on: enabled && installed.toolset.enabled,
                });
                let name = chosen.and_then(|chosen| chosen.name_override.as_deref());
                let description = chosen.and_then(|chosen| chosen.description_override.as_deref());
                findable.push(Findable {
                    slug: &declared.slug,
                    name: name.unwrap_or(&declared.name),
                    group: &installed.toolset.name,
                    description: description.unwrap_or(&declared.description),
                    category: declared.category.as_deref().unwrap_or_default(),
                    tags: &declared.tags,
                    recent: i64::try_from(declared.modified_at.as_millis()).unwrap_or(i64::MAX),
                });
            }
        }
        let index = Index::of(&findable);
        drop(findable);
        Ok(Self { seen, toolsets, places, index })
    }

    /// The tools that match, the best first; those that are switched off only where they are wanted (R254).
    #[must_use]
    pub fn find(&self, query: &str, include_disabled: bool) -> Vec<Hit> {
        let mut hits = self.index.find(query);
        hits.retain(|hit| include_disabled || self.places[hit.at].is_on);
        hits
    }

    /// The tool of a hit, as it is here and now.
    #[must_use]
    pub fn tool(&self, hit: &Hit, surroundings: &Surroundings) -> EffectiveTool<'_> {
        let Place { toolset, tool, .. } = self.places[hit.at].clone();
        let installed = &self.toolsets[toolset];
        match installed.tools.get(tool) {
            Some(stored) => installed.stored_in_effect(surroundings, stored),
            None => installed.tools_in_effect(surroundings).swap_remove(tool),
        }
    }

    /// What names the tool of a hit.
    #[must_use]
    pub fn id(&self, hit: &Hit) -> &str {
        &self.places[hit.at].id
    }

    /// When the tool of a hit last changed.
    #[must_use]
    pub fn changed(&self, hit: &Hit) -> Timestamp {
        self.places[hit.at].changed
    }
}
