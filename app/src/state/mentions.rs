//! Whether a file is being named in the composer, and the keys that the list of files wants. What is in the list is its own affair: it
//! arrives with the first at sign.

use leptos::ev::KeyboardEvent;
use leptos::prelude::{
    Callable as _, Callback, Get as _, GetUntracked as _, Memo, RwSignal, Set as _, Update as _, expect_context,
};

use super::ComposerDraft;

/// The context of a composer's mentions.
#[derive(Clone, Copy)]
pub(crate) struct Mentions {
    draft: ComposerDraft,
    /// Counts the moves of the caret.
    moves: RwSignal<u32>,
    /// The list, while it is here.
    listed: RwSignal<Option<Listed>>,
}

/// What the composer knows of the list.
#[derive(Clone, Copy)]
pub(crate) struct Listed {
    /// Takes a key, by its name, and says whether it was one of the list's.
    pub(crate) keys: Callback<String, bool>,
    /// The row that the keys are on; none while there is nothing to choose from.
    pub(crate) active: Memo<Option<String>>,
}

/// The id of the list.
pub(crate) const LIST: &str = "mention-list";

impl Mentions {
    /// Those of a composer.
    pub(crate) fn of(draft: ComposerDraft) -> Self {
        Self { draft, moves: RwSignal::new(0), listed: RwSignal::new(None) }
    }

    /// The context given by the composer.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Whether the list has to be at hand.
    pub(crate) fn may_be_written(self) -> bool {
        self.draft.text().contains('@')
    }

    /// The composer.
    pub(crate) fn draft(self) -> ComposerDraft {
        self.draft
    }

    /// Moves whenever the caret may have.
    pub(crate) fn moves(self) -> u32 {
        self.moves.get()
    }

    /// Something was typed, or the caret was put elsewhere.
    pub(crate) fn hear(self) {
        self.moves.update(|moves| *moves += 1);
    }

    /// Whether the list takes a key.
    pub(crate) fn takes(self, event: &KeyboardEvent) -> bool {
        let is_plain = !event.is_composing() && !event.shift_key() && !event.ctrl_key() && !event.meta_key();
        is_plain && self.listed.get_untracked().is_some_and(|listed| listed.keys.run(event.key()))
    }

    /// The list is here, and takes keys.
    pub(crate) fn are_in(self, list: Listed) {
        self.listed.set(Some(list));
    }

    /// The list is gone.
    pub(crate) fn are_in_no_list(self) {
        self.listed.try_set(None);
    }

    /// The row that the keys are on.
    pub(crate) fn active(self) -> Option<String> {
        self.listed.get().and_then(|listed| listed.active.try_get().flatten())
    }

    /// The list, while there is something to choose from.
    pub(crate) fn controls(self) -> Option<&'static str> {
        self.active().map(|_| LIST)
    }
}
