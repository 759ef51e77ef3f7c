//! Choosing: what there is to choose from, and what was just chosen. Made by the popover that shows it.

use std::sync::Arc;

use leptos::prelude::{
    Get as _, GetUntracked as _, Memo, RwSignal, Set as _, UpdateValue as _, With as _, WithValue as _, expect_context,
    untrack,
};
use satchel_core::catalog::{SelectableTool, SelectableToolset, Selection, ToolsetId};
use satchel_core::saved::LastEquipped;

use super::{ToolSelection, Unsaved};
use crate::browser::spawn::spawn;
use crate::state::{NoticeKind, Toolsets, latest};
use crate::work::selection;

/// What is known of what there is to choose from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Selectable {
    /// It was asked for.
    Asked,
    /// It is known.
    Known(Arc<Vec<SelectableToolset>>),
    /// It could not be read.
    Unknown(String),
}

/// The context of the popover.
#[derive(Clone, Copy)]
pub(crate) struct Choosing {
    listed: RwSignal<Selectable>,
    chosen: Memo<Selection>,
    of: ToolSelection,
}

/// What is chosen.
struct Chosen {
    selection: Selection,
    /// Whether it was just chosen here, and is still being stored.
    is_own: bool,
}

impl Choosing {
    /// Reads what there is to choose from, now and whenever a toolset has changed, for as long as its owner lives.
    pub(crate) fn follow() -> Self {
        let (of, toolsets) = (ToolSelection::expect(), Toolsets::expect());
        let listed = RwSignal::new(Selectable::Asked);
        let chosen = Memo::new(move |_| {
            let Chosen { selection: stored, is_own } = of.chosen();
            listed.with(|listed| match listed {
                // What was just chosen here is all of it.
                Selectable::Known(toolsets) if !is_own => {
                    let usable = toolsets.iter().flat_map(SelectableToolset::usable).map(|tool| &tool.id);
                    stored.following(of.known.get().as_ref(), usable)
                }
                Selectable::Known(_) | Selectable::Asked | Selectable::Unknown(_) => stored,
            })
        });
        let this = Self { listed, chosen, of };
        let ask = move || {
            toolsets.changes();
            let equipped = of.equipped();
            async move { selection::list(&of.storage.store(), equipped).await }
        };
        latest::follow(ask, move |read| {
            this.listed.set(match read {
                Ok(toolsets) => Selectable::Known(Arc::new(toolsets)),
                Err(error) => Selectable::Unknown(error.to_string()),
            });
        });
        this
    }

    /// The context given by the popover.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What is known of what there is to choose from.
    pub(crate) fn listed(self) -> Selectable {
        self.listed.get()
    }

    /// One of the toolsets, for as long as it is there.
    pub(crate) fn toolset(self, id: &ToolsetId) -> Option<SelectableToolset> {
        self.listed.with(|listed| match listed {
            Selectable::Known(toolsets) => toolsets.iter().find(|toolset| toolset.id == *id).cloned(),
            Selectable::Asked | Selectable::Unknown(_) => None,
        })
    }

    /// Looks at what is chosen.
    pub(crate) fn with<T>(self, look: impl FnOnce(&Selection) -> T) -> T {
        self.chosen.with(look)
    }

    /// Takes a tool in, or out.
    pub(crate) fn toggle_tool(self, toolset: &ToolsetId, tool: &SelectableTool) {
        self.take(toolset, self.now().toggle_tool(toolset, tool));
    }

    /// Takes all of a toolset in; or all of it out, if any of it is in.
    pub(crate) fn toggle_toolset(self, toolset: &SelectableToolset) {
        self.take(&toolset.id, self.now().toggle_toolset(toolset));
    }

    fn now(self) -> Selection {
        untrack(move || self.chosen.get())
    }

    fn take(self, toolset: &ToolsetId, after: Selection) {
        if let Selectable::Known(toolsets) = self.listed.get_untracked() {
            self.of.next_count();
            self.of.offered.set(after.offered(&toolsets));
        }
        let shown = untrack(|| self.toolset(toolset));
        let seen = shown.iter().flat_map(SelectableToolset::usable).map(|tool| tool.id.selection_name()).collect();
        self.of.choose(toolset.clone(), after, seen);
    }
}

impl ToolSelection {
    /// What is chosen, what was just chosen here included.
    fn chosen(self) -> Chosen {
        let chat = self.opened.wanted();
        let own = self.own.get().filter(|(of, _)| Some(of) == chat.as_ref()).map(|(_, chosen)| chosen);
        let is_own = own.is_some();
        Chosen { selection: Selection::of_chat(own.or_else(|| self.stored.get()).as_ref()), is_own }
    }

    /// Takes a choice of one toolset: for the next chat at once, and into the chat that is open.
    fn choose(self, toolset: ToolsetId, selection: Selection, seen: Vec<String>) {
        let chosen = selection.to_chat();
        let next = self.next.get_untracked().filter(|_| self.opened.wanted_untracked().is_none());
        if let Some(next) = next {
            return self.choose_next(next.choose_seen(&toolset, &selection, &seen));
        }
        // What is chosen within a saved toolset is no choice for chats without it.
        if self.equipped.get_untracked().is_none() {
            selection::keep_last(&selection);
            self.last.set(chosen.clone());
        }
        if let Some(chat) = self.opened.wanted_untracked() {
            let is_saving = self.unsaved.try_update_value(|unsaved| {
                unsaved.push_back(Unsaved { chat: chat.clone(), toolset, selection, seen });
                unsaved.len() > 1
            });
            self.own.set(Some((chat, chosen)));
            if is_saving == Some(false) {
                spawn(self.save());
            }
        }
    }

    /// Takes a choice within the saved toolset that the next chat begins with.
    fn choose_next(self, next: LastEquipped) {
        self.next.set(Some(next.clone()));
        spawn(async move {
            if let Err(error) = selection::keep_next(&self.storage.store(), &next).await {
                self.notices.show(NoticeKind::Error, format!("Your choice was not saved: {error}."));
            }
        });
    }

    /// Stores what was chosen, one choice after the other.
    async fn save(self) {
        let first = || self.unsaved.with_value(|unsaved| unsaved.front().map(Unsaved::parts));
        while let Some((chat, toolset, wanted, seen)) = first() {
            let saved = selection::choose(&self.storage.store(), &chat, &toolset, &wanted, &seen).await;
            self.unsaved.update_value(|unsaved| drop(unsaved.pop_front()));
            if let Err(error) = saved {
                self.own.set(None);
                self.count(untrack(move || self.stored.get()).unwrap_or_default());
                self.notices.show(NoticeKind::Error, format!("Your choice was not saved: {error}."));
            }
        }
        self.chats.changed().await;
    }
}

impl Unsaved {
    fn parts(&self) -> (String, ToolsetId, Selection, Vec<String>) {
        (self.chat.clone(), self.toolset.clone(), self.selection.clone(), self.seen.clone())
    }
}
