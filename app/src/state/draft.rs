//! What stands in a composer: words, and the files that go along with them. It outlives the page it was written on and the tab.

use leptos::prelude::{
    Get, GetUntracked, GetValue, RwSignal, SetValue, StoredValue, Update as _, With as _, WithValue as _,
    expect_context, on_cleanup,
};
use satchel_core::ids::ChatId;
use satchel_core::record::Attachment;
use satchel_core::store::StoreError;

use super::{NoticeKind, Notices, Storage};
use crate::browser::spawn::spawn;
use crate::work::drafts;
pub(crate) use crate::work::drafts::Written;
use crate::work::store::AppStore;

/// Where the composer of a chat that has not begun keeps its draft.
const NEW: &str = "composer/new";

/// The context of the composer's draft.
#[derive(Clone, Copy)]
pub(crate) struct ComposerDraft {
    text: RwSignal<String>,
    attachments: RwSignal<Vec<Attachment>>,
    place: StoredValue<String>,
    saving: StoredValue<bool>,
    /// What is stored, or is on its way to be a message.
    kept: StoredValue<Written>,
    storage: Storage,
    notices: Notices,
}

impl ComposerDraft {
    /// What was left.
    pub(crate) async fn load(store: AppStore) -> Result<Written, StoreError> {
        drafts::load(store, NEW).await
    }

    /// The draft of a new chat, which starts with this.
    pub(crate) fn new(written: Written, storage: Storage, notices: Notices) -> Self {
        Self::at(NEW.into(), written, storage, notices)
    }

    /// The draft in an open chat, read as soon as it can be.
    pub(crate) fn of_chat(chat: &ChatId, storage: Storage, notices: Notices) -> Self {
        let place = place_of(chat);
        let draft = Self::at(place.clone(), Written::default(), storage, notices);
        spawn(async move {
            // A draft that cannot be read is not worth a notice in every chat; typing over it says what is wrong.
            let kept = drafts::load(storage.store(), &place).await.unwrap_or_default();
            draft.kept.try_set_value(kept.clone());
            draft.text.try_update(|text| {
                if text.is_empty() {
                    *text = kept.text;
                }
            });
            draft.attachments.try_update(|files| {
                let new = kept.attachments.into_iter().filter(|file| files.iter().all(|known| known.path != file.path));
                let new: Vec<Attachment> = new.collect();
                files.splice(0..0, new);
            });
        });
        // Its page goes; a save that is under way may be of less than stands here now.
        on_cleanup(move || draft.flush());
        draft
    }

    fn at(place: String, written: Written, storage: Storage, notices: Notices) -> Self {
        let (place, saving, kept) =
            (StoredValue::new(place), StoredValue::new(false), StoredValue::new(written.clone()));
        let (text, attachments) = (RwSignal::new(written.text), RwSignal::new(written.attachments));
        Self { text, attachments, place, saving, kept, storage, notices }
    }

    /// The context given by the app, or by the composer around.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Whether it is that of a chat.
    pub(crate) fn is_of(self, chat: &ChatId) -> bool {
        self.place.try_get_value().is_some_and(|place| place == place_of(chat))
    }

    /// What stands there.
    pub(crate) fn text(self) -> String {
        self.text.get()
    }

    /// The files that go along.
    pub(crate) fn attachments(self) -> Vec<Attachment> {
        self.attachments.get()
    }

    /// Whether any file goes along.
    pub(crate) fn has_attachments(self) -> bool {
        self.attachments.with(|files| !files.is_empty())
    }

    /// Takes what was typed, and saves it.
    pub(crate) fn type_text(self, text: String) {
        self.text.update(|all| *all = text);
        self.save();
    }

    /// Has files go along. One that was attached before is the newer one from now on.
    pub(crate) fn attach(self, new: Vec<Attachment>) {
        // What went into the workspace alone is nothing that was written.
        if new.is_empty() {
            return;
        }
        self.attachments.update(|files| {
            files.retain(|file| new.iter().all(|one| one.path != file.path));
            files.extend(new);
        });
        self.save();
    }

    /// Leaves a file out. It stays in the workspace.
    pub(crate) fn detach(self, file: &Attachment) {
        self.attachments.update(|files| files.retain(|one| one != file));
        self.save();
    }

    /// Takes out all there is, to be sent. It is kept as a draft until it is stored as a message.
    pub(crate) fn take(self) -> Written {
        let mut written = Written { draft: Some(drafts::row(&self.place.get_value())), ..Written::default() };
        self.text.update(|text| written.text = std::mem::take(text));
        self.attachments.update(|files| written.attachments = std::mem::take(files));
        self.kept.set_value(Written::default());
        written
    }

    /// What was taken is stored elsewhere, and what was written meanwhile is the draft.
    pub(crate) fn sent(self) {
        self.save();
    }

    /// What was taken could not be sent: it stands here again, before whatever was written meanwhile.
    pub(crate) fn give_back(self, written: Written) {
        self.text.try_update(|text| match text.is_empty() {
            true => *text = written.text,
            false => text.insert_str(0, &format!("{}\n", written.text)),
        });
        self.attachments.try_update(|files| drop(files.splice(0..0, written.attachments)));
        self.save();
    }

    /// Hands all there is over to a chat that begins with these files.
    pub(crate) async fn hand_over(self, chat: &ChatId, new: Vec<Attachment>) {
        if new.is_empty() && self.written().is_none_or(|written| written.is_nothing()) {
            return;
        }
        let mut written = self.take();
        written.attachments.extend(new);
        match drafts::save(self.storage.store(), &place_of(chat), &written).await {
            Ok(()) => self.sent(),
            Err(error) => {
                self.give_back(written);
                self.complain(&error);
            }
        }
    }

    /// Saves what stands here. One save is under way at a time, and the last words are always saved: a fast typist costs no more writes
    /// than the store can take.
    fn save(self) {
        if self.saving.try_get_value().unwrap_or(true) {
            return;
        }
        self.saving.set_value(true);
        let place = self.place.get_value();
        spawn(async move {
            // The draft of a chat goes with its page, and then there is nothing more to save.
            while let Some(written) = self.written() {
                if let Err(error) = drafts::save(self.storage.store(), &place, &written).await {
                    self.complain(&error);
                    break;
                }
                self.kept.try_set_value(written.clone());
                if self.written().is_none_or(|now| now == written) {
                    break;
                }
            }
            self.saving.try_set_value(false);
        });
    }

    /// Whether something stands here that is not stored yet.
    pub(crate) fn is_unsaved(self) -> bool {
        self.written().is_some_and(|written| self.kept.with_value(|kept| *kept != written))
    }

    /// Saves what is not stored yet without waiting for its turn: nobody may be here later. What was begun earlier is written earlier.
    pub(crate) fn flush(self) {
        if !self.is_unsaved() {
            return;
        }
        let (Some(written), place) = (self.written(), self.place.get_value()) else { return };
        spawn(async move {
            match drafts::save(self.storage.store(), &place, &written).await {
                Ok(()) => drop(self.kept.try_set_value(written)),
                Err(error) => self.complain(&error),
            }
        });
    }

    fn written(self) -> Option<Written> {
        let (text, attachments) = (self.text.try_get_untracked()?, self.attachments.try_get_untracked()?);
        Some(Written { text, attachments, draft: None })
    }

    fn complain(self, error: &StoreError) {
        let words = format!("What you typed is not saved as a draft: {error}. It stays here while this tab is open.");
        self.notices.show(NoticeKind::Warning, words);
    }
}

fn place_of(chat: &ChatId) -> String {
    format!("composer/{chat}")
}
