//! Which tools the chat that is open offers its model, and what that comes to (R163–R176). A chat that has not begun has what was chosen
//! last.
//!
//! Here is only what the badge of a composer needs, which is there from the start; choosing is in [`choosing`], and comes with the popover.

pub(crate) mod choosing;

use std::collections::VecDeque;

use leptos::prelude::{
    Effect, Get as _, GetUntracked as _, GetValue as _, Memo, RwSignal, Set as _, StoredValue, UpdateValue as _,
    WithValue as _, expect_context,
};
use satchel_core::catalog::{Offered, Selection, ToolsetId};
use satchel_core::saved::LastEquipped;

use super::{Chats, Found, Notices, OpenedChat, Storage, Toolsets};
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::work::selection::{self, Chosen};
use crate::work::tools;

/// Whether the popover of a composer's wrench is open.
#[derive(Clone, Copy)]
pub(crate) struct Wrench {
    open: RwSignal<bool>,
}

/// The context of the selection.
#[derive(Clone, Copy)]
pub(crate) struct ToolSelection {
    /// What the next chat begins with.
    last: RwSignal<Chosen>,
    /// The saved toolset that it begins with instead.
    next: RwSignal<Option<LastEquipped>>,
    /// The saved toolset that limits what can be chosen.
    equipped: Memo<Option<String>>,
    /// The tools of it that were seen: others that come to it are chosen.
    known: Memo<Option<Chosen>>,
    /// What the chat that is open has chosen, as it is stored; nothing while that is being read.
    stored: Memo<Option<Chosen>>,
    /// What was chosen here in a chat, until it is read back from there.
    own: RwSignal<Option<(String, Chosen)>>,
    /// What is still to be stored, in the order in which it was chosen.
    unsaved: StoredValue<VecDeque<Unsaved>>,
    /// What a model is offered.
    offered: RwSignal<Offered>,
    /// Counts the counts, so that a slow one is known to be old.
    counts: StoredValue<u32>,
    opened: OpenedChat,
    chats: Chats,
    storage: Storage,
    notices: Notices,
}

/// A change that is not stored yet.
struct Unsaved {
    chat: String,
    toolset: ToolsetId,
    selection: Selection,
    /// The tools of the toolset that were to be seen, by the names they have in it.
    seen: Vec<String>,
}

impl Wrench {
    /// A closed one.
    pub(crate) fn closed() -> Self {
        Self { open: RwSignal::new(false) }
    }

    /// The context given by the composer.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Whether it is open.
    pub(crate) fn is_open(self) -> bool {
        self.open.get()
    }

    /// Opens or closes it, as its button asks.
    pub(crate) fn toggle(self) {
        self.open.set(!self.open.get_untracked());
    }

    /// Closes it.
    pub(crate) fn close(self) {
        self.open.set(false);
    }
}

impl ToolSelection {
    /// Follows the chat that is open, for as long as the page lives.
    pub(crate) fn follow(opened: OpenedChat) -> Self {
        let last = RwSignal::new(selection::last().unwrap_or_default());
        selection::on_last_change(move || last.set(selection::last().unwrap_or_default()));
        let next = RwSignal::new(None::<LastEquipped>);
        let equipped = Memo::new(move |_| match opened.found() {
            Found::NotWanted => next.get().map(|next| next.name),
            Found::Here(open) => open.chat.equipped.map(|equipped| equipped.name),
            Found::Reading | Found::NotHere | Found::Unreadable(_) => None,
        });
        let known = Memo::new(move |_| match opened.found() {
            Found::NotWanted => next.get().and_then(|next| next.known),
            Found::Here(open) => open.chat.equipped.and_then(|equipped| equipped.known),
            Found::Reading | Found::NotHere | Found::Unreadable(_) => None,
        });
        let stored = Memo::new(move |_| match opened.found() {
            Found::NotWanted => Some(next.get().map_or_else(|| last.get(), |next| next.enabled_tools)),
            Found::Here(open) => Some(open.chat.enabled_tools.unwrap_or_default()),
            Found::Reading | Found::NotHere | Found::Unreadable(_) => None,
        });
        let this = Self {
            last,
            next,
            equipped,
            known,
            stored,
            own: RwSignal::new(None),
            unsaved: StoredValue::new(VecDeque::new()),
            offered: RwSignal::new(Offered::default()),
            counts: StoredValue::new(0),
            opened,
            chats: Chats::expect(),
            storage: Storage::expect(),
            notices: Notices::expect(),
        };
        let toolsets = Toolsets::expect();
        Effect::new(move |_| {
            toolsets.changes();
            spawn(async move { next.set(selection::equipped_next(&this.storage.store()).await) });
        });
        Effect::new(move |_| {
            toolsets.changes();
            equipped.get();
            known.get();
            if let Some(stored) = stored.get().filter(|_| this.unsaved.with_value(VecDeque::is_empty)) {
                this.own.set(None);
                this.count(stored);
            }
        });
        this
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What the next chat begins with has another version of a tool in the place of the one before. Chats that are there were changed with it.
    pub(crate) fn tool_replaced(self, toolset: &str, before: &str, after: &str) {
        let Ok(toolset) = ToolsetId::parse(toolset) else { return };
        let (before, after) = (tools::name_within(before), tools::name_within(after));
        let last = Selection::of_chat(Some(&self.last.get_untracked()));
        if let Some(moved) = last.with_tool_moved(&toolset, before, after) {
            selection::keep_last(&moved);
            self.last.set(moved.to_chat());
        }
    }

    /// The saved toolset that limits what can be chosen.
    pub(crate) fn equipped(self) -> Option<String> {
        self.equipped.get()
    }

    /// What a model is offered: what is chosen and can be used.
    pub(crate) fn offered(self) -> Offered {
        self.offered.get()
    }

    /// Has the worker count what is chosen, once the page has nothing better to do.
    fn count(self, chosen: Chosen) {
        let mine = self.next_count();
        if chosen.is_empty() && self.equipped.get_untracked().is_none() {
            self.offered.set(Offered::default());
            return;
        }
        page::when_idle(move || {
            spawn(async move {
                // What cannot be counted, because nothing is kept here, is offered to nobody either.
                let (equipped, known) = (self.equipped.get_untracked(), self.known.get_untracked());
                let offered = selection::count(&self.storage.store(), chosen, equipped, known).await;
                let offered = offered.unwrap_or_default();
                if self.counts.get_value() == mine {
                    self.offered.set(offered);
                }
            });
        });
    }

    fn next_count(self) -> u32 {
        self.counts.update_value(|counts| *counts += 1);
        self.counts.get_value()
    }
}
