//! What the app has to tell the user: notices that are seen, and words for screen readers only.

use leptos::prelude::{Callback, GetValue, RwSignal, Set, StoredValue, Update, UpdateValue, With, expect_context};

/// How grave a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoticeKind {
    /// Good to know.
    Info,
    /// Something asked for was done.
    Success,
    /// Something is not as it should be, and the app goes on.
    Warning,
    /// Something asked for was not done. Stays until the user puts it away.
    Error,
}

/// What the user can do about a notice.
#[derive(Clone, Copy)]
pub(crate) struct NoticeAction {
    /// What the button says.
    pub(crate) label: &'static str,
    /// What it does. The notice goes away first.
    pub(crate) run: Callback<()>,
}

/// One notice.
#[derive(Clone)]
pub(crate) struct Notice {
    /// Tells notices apart.
    pub(crate) id: u32,
    /// How grave it is.
    pub(crate) kind: NoticeKind,
    /// What happened and what can be done, in whole sentences.
    pub(crate) text: String,
    /// A button, where there is something to do.
    pub(crate) action: Option<NoticeAction>,
}

/// The context of notices.
#[derive(Clone, Copy)]
pub(crate) struct Notices {
    list: RwSignal<Vec<Notice>>,
    next_id: StoredValue<u32>,
    spoken: RwSignal<String>,
}

impl Notices {
    /// No notices.
    pub(crate) fn new() -> Self {
        Self { list: RwSignal::default(), next_id: StoredValue::new(0), spoken: RwSignal::default() }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// The notices on the screen, oldest first.
    pub(crate) fn list(self) -> RwSignal<Vec<Notice>> {
        self.list
    }

    /// What screen readers were told last.
    pub(crate) fn spoken(self) -> RwSignal<String> {
        self.spoken
    }

    /// Shows a notice. The same words are not shown twice at a time.
    pub(crate) fn show(self, kind: NoticeKind, text: impl Into<String>) {
        self.add(kind, text.into(), None);
    }

    /// Shows a notice with a button.
    pub(crate) fn offer(self, kind: NoticeKind, text: impl Into<String>, action: NoticeAction) {
        self.add(kind, text.into(), Some(action));
    }

    /// Takes a notice away.
    pub(crate) fn dismiss(self, id: u32) {
        self.list.update(|list| list.retain(|notice| notice.id != id));
    }

    /// Tells screen readers, politely, what is already plain to see.
    pub(crate) fn announce(self, words: impl Into<String>) {
        self.spoken.set(words.into());
    }

    fn add(self, kind: NoticeKind, text: String, action: Option<NoticeAction>) {
        if self.list.with(|list| list.iter().any(|shown| shown.text == text)) {
            return;
        }
        let id = self.next_id.get_value();
        self.next_id.update_value(|next| *next += 1);
        self.list.update(|list| list.push(Notice { id, kind, text, action }));
    }
}
