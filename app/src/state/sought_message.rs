//! The message that somebody looks for. Its conversation draws it, however far it is from what can be seen.

use leptos::prelude::{RwSignal, Set as _, With as _, expect_context};
use satchel_core::ids::MessageId;

/// The context of the message that is looked for.
#[derive(Clone, Copy)]
pub(crate) struct SoughtMessage(RwSignal<Option<MessageId>>);

impl SoughtMessage {
    /// None.
    pub(crate) fn none() -> Self {
        Self(RwSignal::new(None))
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Looks for one, or for none.
    pub(crate) fn seek(self, message: Option<MessageId>) {
        self.0.set(message);
    }

    /// Where it stands among the messages of a conversation, for as long as it is looked for.
    pub(crate) fn position(self, messages: &[MessageId]) -> Option<usize> {
        self.0.with(|sought| messages.iter().position(|message| Some(message) == sought.as_ref()))
    }
}
