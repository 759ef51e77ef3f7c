//! What stands in the composer of a new chat. It outlives the page it was typed on and the tab.

use leptos::prelude::{Get, GetUntracked, GetValue, RwSignal, Set, SetValue, StoredValue, expect_context};
use satchel_core::store::StoreError;

use super::{NoticeKind, Notices, Storage};
use crate::browser::spawn::spawn;
use crate::work::drafts;
use crate::work::store::AppStore;

const PLACE: &str = "composer/new";

/// The context of the composer's draft.
#[derive(Clone, Copy)]
pub(crate) struct ComposerDraft {
    text: RwSignal<String>,
    saving: StoredValue<bool>,
    storage: Storage,
    notices: Notices,
}

impl ComposerDraft {
    /// The text as it was left.
    pub(crate) async fn load(store: AppStore) -> Result<String, StoreError> {
        drafts::load(store, PLACE).await
    }

    /// A draft that starts with this text.
    pub(crate) fn new(text: String, storage: Storage, notices: Notices) -> Self {
        Self { text: RwSignal::new(text), saving: StoredValue::new(false), storage, notices }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What stands there.
    pub(crate) fn text(self) -> String {
        self.text.get()
    }

    /// Takes what was typed, and saves it. One save is under way at a time, and the last words are always saved: a fast
    /// typist costs no more writes than the store can take.
    pub(crate) fn type_text(self, text: String) {
        self.text.set(text);
        if self.saving.get_value() {
            return;
        }
        self.saving.set_value(true);
        spawn(async move {
            loop {
                let text = self.text.get_untracked();
                if let Err(error) = drafts::save(self.storage.store(), PLACE, &text).await {
                    let words = format!(
                        "What you typed is not saved as a draft: {error}. It stays here while this tab is open."
                    );
                    self.notices.show(NoticeKind::Warning, words);
                    break;
                }
                if self.text.get_untracked() == text {
                    break;
                }
            }
            self.saving.set_value(false);
        });
    }
}
