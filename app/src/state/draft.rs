//! What stands in a composer. It outlives the page it was typed on and the tab.

use leptos::prelude::{Get, GetUntracked, GetValue, RwSignal, Set, SetValue, StoredValue, Update as _, expect_context};
use satchel_core::ids::ChatId;
use satchel_core::store::StoreError;

use super::{NoticeKind, Notices, Storage};
use crate::browser::spawn::spawn;
use crate::work::drafts;
use crate::work::store::AppStore;

/// Where the composer of a chat that has not begun keeps its draft.
const NEW: &str = "composer/new";

/// The context of the composer's draft.
#[derive(Clone, Copy)]
pub(crate) struct ComposerDraft {
    text: RwSignal<String>,
    place: StoredValue<String>,
    saving: StoredValue<bool>,
    storage: Storage,
    notices: Notices,
}

impl ComposerDraft {
    /// The text as it was left.
    pub(crate) async fn load(store: AppStore) -> Result<String, StoreError> {
        drafts::load(store, NEW).await
    }

    /// The draft of a new chat, which starts with this text.
    pub(crate) fn new(text: String, storage: Storage, notices: Notices) -> Self {
        Self::at(NEW.into(), text, storage, notices)
    }

    /// The draft in an open chat, read as soon as it can be.
    pub(crate) fn of_chat(chat: &ChatId, storage: Storage, notices: Notices) -> Self {
        let place = format!("composer/{chat}");
        let draft = Self::at(place.clone(), String::new(), storage, notices);
        spawn(async move {
            // A draft that cannot be read is not worth a notice in every chat; typing over it says what is wrong.
            let kept = drafts::load(storage.store(), &place).await.unwrap_or_default();
            draft.text.try_update(|text| {
                if text.is_empty() {
                    *text = kept;
                }
            });
        });
        draft
    }

    fn at(place: String, text: String, storage: Storage, notices: Notices) -> Self {
        let (text, place) = (RwSignal::new(text), StoredValue::new(place));
        Self { text, place, saving: StoredValue::new(false), storage, notices }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// What stands there.
    pub(crate) fn text(self) -> String {
        self.text.get()
    }

    /// Takes what stands there out of sight, to be said. It stays kept until it is known whether it was.
    pub(crate) fn hand_over(self) -> Handed {
        let (text, place) = (self.text.get_untracked(), self.place.get_value());
        self.text.set(String::new());
        Handed { draft: self, place, text }
    }

    /// Takes what was typed, and saves it. One save is under way at a time, and the last words are always saved: a fast
    /// typist costs no more writes than the store can take.
    pub(crate) fn type_text(self, text: String) {
        self.text.set(text);
        if self.saving.get_value() {
            return;
        }
        self.saving.set_value(true);
        let place = self.place.get_value();
        spawn(async move {
            // The draft of a chat goes with its page, and then there is nothing more to save.
            while let Some(text) = self.text.try_get_untracked() {
                if let Err(error) = drafts::save(self.storage.store(), &place, &text).await {
                    let words = format!(
                        "What you typed is not saved as a draft: {error}. It stays here while this tab is open."
                    );
                    self.notices.show(NoticeKind::Warning, words);
                    break;
                }
                if self.text.try_get_untracked().is_none_or(|now| now == text) {
                    break;
                }
            }
            self.saving.try_set_value(false);
        });
    }
}

/// What was taken out of a composer to be said.
pub(crate) struct Handed {
    draft: ComposerDraft,
    place: String,
    text: String,
}

impl Handed {
    /// What is to be said.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// It was said: what is kept from now on is what stands in the composer.
    pub(crate) fn was_said(self) {
        let Self { draft, place, .. } = self;
        match draft.text.try_get_untracked() {
            Some(now) => draft.type_text(now),
            // The composer went with its page.
            None => spawn(async move {
                // A draft that stays is said to be one; the message is there twice, and nothing is lost.
                drafts::save(draft.storage.store(), &place, "").await.ok();
            }),
        }
    }

    /// It was not said: it stands in the composer again, before what was typed meanwhile.
    pub(crate) fn was_not_said(self) {
        let Self { draft, text, .. } = self;
        let Some(now) = draft.text.try_get_untracked() else { return };
        draft.type_text(if now.is_empty() { text } else { format!("{text}\n{now}") });
    }
}
