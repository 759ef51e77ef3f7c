//! The way of files to the message that is being written. The pane of files stores them; the composer shows them as going along.

use leptos::prelude::{Get as _, GetValue as _, RwSignal, Set as _, SetValue as _, StoredValue, expect_context};
use satchel_core::ids::ChatId;
use satchel_core::record::Attachment;

use super::ComposerDraft;

/// The context of attaching.
#[derive(Clone, Copy)]
pub(crate) struct Attaching {
    /// The composer that is on the page.
    composer: StoredValue<Option<ComposerDraft>>,
    /// Whether files are dragged over the page, where they would be taken.
    dragging: RwSignal<bool>,
    /// Whether the files that are picked next are for the message.
    is_picking: StoredValue<bool>,
}

impl Attaching {
    /// Nothing is written yet.
    pub(crate) fn none() -> Self {
        Self { composer: StoredValue::new(None), dragging: RwSignal::new(false), is_picking: StoredValue::new(false) }
    }

    /// The context given by the shell.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// A composer is on the page from now on.
    pub(crate) fn is_written_in(self, draft: ComposerDraft) {
        self.composer.set_value(Some(draft));
    }

    /// The draft of the composer that is on the page.
    pub(crate) fn draft(self) -> Option<ComposerDraft> {
        self.composer.get_value()
    }

    /// Has files go along with what is written in a chat. Where its composer is not on the page any more, they are in the workspace all the
    /// same.
    pub(crate) fn attach(self, chat: &ChatId, files: Vec<Attachment>) {
        if let Some(draft) = self.draft().filter(|draft| draft.is_of(chat)) {
            draft.attach(files);
        }
    }

    /// The files that are picked next are for the message.
    pub(crate) fn begin_picking(self) {
        self.is_picking.set_value(true);
    }

    /// Whether the files that were picked are for the message. It is asked once for each pick.
    pub(crate) fn end_picking(self) -> bool {
        let is_picking = self.is_picking.get_value();
        self.is_picking.set_value(false);
        is_picking
    }

    /// Nothing was picked.
    pub(crate) fn give_up_picking(self) {
        self.is_picking.set_value(false);
    }

    /// Whether files are dragged over the page.
    pub(crate) fn is_dragging(self) -> bool {
        self.dragging.get()
    }

    /// Follows what is dragged.
    pub(crate) fn set_dragging(self, dragging: bool) {
        self.dragging.set(dragging);
    }
}
