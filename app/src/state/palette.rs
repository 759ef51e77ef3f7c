//! Whether the palette of a composer is open, and what was typed to open it. What is in the palette is its own affair.

use leptos::prelude::{Get as _, GetUntracked as _, RwSignal, Set as _, expect_context, untrack};
use satchel_core::palette::called_for;

use super::{ComposerDraft, OpenedChat, SuggestedCall};

/// The context of a composer's palette.
#[derive(Clone, Copy)]
pub(crate) struct Palette {
    open: RwSignal<bool>,
    /// Put away by the user, who goes on writing a message that begins with a plus.
    put_away: RwSignal<bool>,
    /// Opened by a plus that was typed.
    is_typed: RwSignal<bool>,
    draft: ComposerDraft,
}

impl Palette {
    /// A closed one; open where a call is offered in this chat.
    pub(crate) fn of(draft: ComposerDraft) -> Self {
        let chat = OpenedChat::expect().wanted_untracked();
        let is_offered = chat.is_some_and(|chat| SuggestedCall::expect().is_for(&chat));
        Self { open: RwSignal::new(is_offered), put_away: RwSignal::new(false), is_typed: RwSignal::new(false), draft }
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
        self.is_typed.set(false);
        self.open.set(!self.open.get_untracked());
    }

    /// Hears what stands in the composer after a keystroke: a plus at the beginning opens it.
    pub(crate) fn hear(self, text: &str) {
        if called_for(text).is_none() {
            self.put_away.set(false);
        } else if !self.put_away.get_untracked() {
            self.is_typed.set(true);
            self.open.set(true);
        }
    }

    /// Takes what follows the plus out of the composer, to be looked for.
    pub(crate) fn take_query(self) -> String {
        let text = untrack(|| self.draft.text());
        match called_for(&text).filter(|_| self.is_typed.get_untracked()) {
            Some(query) => {
                self.draft.type_text(String::new());
                query.to_owned()
            }
            None => String::new(),
        }
    }

    /// Closes it. What was typed into the composer goes back there, so that a message may begin with a plus too.
    pub(crate) fn put_away(self, query: &str) {
        let is_empty = untrack(|| self.draft.text()).is_empty();
        if is_empty && self.is_typed.get_untracked() {
            self.put_away.set(true);
            self.draft.type_text(format!("+{query}"));
        }
        self.open.set(false);
    }

    /// Closes it, done.
    pub(crate) fn close(self) {
        self.open.set(false);
    }
}
