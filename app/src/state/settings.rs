//! The settings in force, and the one way to change them.

use leptos::prelude::{GetUntracked, RwSignal, Set, Signal, With, expect_context};
use satchel_core::settings::{EnterKey, ExportReminder, LimitName, SettingChange, Settings, TextSize, Theme};

use super::{NoticeAction, NoticeKind, Notices, Storage};
use crate::browser::page;
use crate::browser::spawn::spawn;
use crate::work;

/// The context of settings.
#[derive(Clone, Copy)]
pub(crate) struct CurrentSettings {
    current: RwSignal<Settings>,
    storage: Storage,
    notices: Notices,
}

impl CurrentSettings {
    /// Puts the settings in force.
    pub(crate) fn new(settings: Settings, storage: Storage, notices: Notices) -> Self {
        show(&settings);
        Self { current: RwSignal::new(settings), storage, notices }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Light, dark, or as the system is.
    pub(crate) fn theme(self) -> Signal<Theme> {
        Signal::derive(move || self.current.with(|settings| settings.theme))
    }

    /// How large text is.
    pub(crate) fn text_size(self) -> Signal<TextSize> {
        Signal::derive(move || self.current.with(|settings| settings.text_size))
    }

    /// What the Enter key does in the composer.
    pub(crate) fn enter_key(self) -> Signal<EnterKey> {
        Signal::derive(move || self.current.with(|settings| settings.enter_key))
    }

    /// Whether models are not offered the way into configuration mode.
    pub(crate) fn hide_configuration_mode(self) -> Signal<bool> {
        Signal::derive(move || self.current.with(|settings| settings.hide_configuration_mode))
    }

    /// When a reminder to export comes.
    pub(crate) fn export_reminder(self) -> Signal<ExportReminder> {
        Signal::derive(move || self.current.with(|settings| settings.export_reminder))
    }

    /// How many rounds of tool calls one answer may take; none where the usual number holds.
    pub(crate) fn max_tool_iterations(self) -> Signal<Option<u32>> {
        Signal::derive(move || self.current.with(|settings| settings.max_tool_iterations))
    }

    /// How large one thing may be.
    pub(crate) fn limit(self, limit: LimitName) -> Signal<u64> {
        Signal::derive(move || self.current.with(|settings| settings.limits.get(limit)))
    }

    /// Makes a change at once and saves it; when it cannot be saved, it is taken back and the user is told. `words` say
    /// the change, for screen readers.
    pub(crate) fn change(self, change: SettingChange, words: &'static str) {
        let before = self.current.get_untracked();
        let after = before.clone().with(change);
        if after == before {
            return;
        }
        self.set(after.clone());
        self.notices.announce(words);
        spawn(async move {
            let Err(error) = work::settings::save(self.storage.store(), change).await else { return };
            // A later change may be in force by now; it is not this one's to undo.
            if self.current.get_untracked() == after {
                self.set(before);
            }
            let text = format!("The setting was not saved: {error}. It is unchanged.");
            if error.can_retry() {
                let run = leptos::prelude::Callback::new(move |()| self.change(change, words));
                self.notices.offer(NoticeKind::Error, text, NoticeAction { label: "Try again", run });
            } else {
                self.notices.show(NoticeKind::Error, text);
            }
        });
    }

    /// Takes over what another device has set.
    pub(crate) fn read_again(self) {
        spawn(async move {
            // What cannot be read now is as it was; the next start says why.
            if let Ok(settings) = work::settings::all(&self.storage.store()).await {
                self.set(settings);
            }
        });
    }

    fn set(self, settings: Settings) {
        show(&settings);
        self.current.set(settings);
    }
}

fn show(settings: &Settings) {
    page::set_theme(settings.theme);
    page::set_text_size(settings.text_size);
}
