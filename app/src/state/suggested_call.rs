//! A call that is ready to be made: the palette of its chat opens with the form filled in. Only offered, never made by itself.

use leptos::prelude::{GetUntracked as _, RwSignal, Set as _, WithUntracked as _, expect_context};

/// The context of the call that is offered.
#[derive(Clone, Copy)]
pub(crate) struct SuggestedCall(RwSignal<Option<Suggestion>>);

/// What is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// The chat it is for.
    pub(crate) chat: String,
    /// The tool's whole id.
    pub(crate) tool_id: String,
    /// What it would be called with, as JSON.
    pub(crate) arguments: String,
}

impl SuggestedCall {
    /// None.
    pub(crate) fn none() -> Self {
        Self(RwSignal::new(None))
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Offers a call to who opens its chat next.
    pub(crate) fn offer(self, suggestion: Suggestion) {
        self.0.set(Some(suggestion));
    }

    /// Whether there is one for this chat.
    pub(crate) fn is_for(self, chat: &str) -> bool {
        self.0.with_untracked(|offered| offered.as_ref().is_some_and(|offered| offered.chat == chat))
    }

    /// Takes it: it is offered once.
    pub(crate) fn take(self, chat: &str) -> Option<Suggestion> {
        let offered = self.0.get_untracked().filter(|offered| offered.chat == chat)?;
        self.0.set(None);
        Some(offered)
    }
}
