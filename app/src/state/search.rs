//! Searching: whether the box is open, what is typed in it, and what was found.

use leptos::prelude::{Effect, Get as _, GetUntracked as _, RwSignal, Set as _, Update as _, expect_context, untrack};
use satchel_core::search::{Found, Query, Wanted};

use super::{Chats, Storage, Toolsets};
use crate::browser::spawn::spawn;
use crate::work::search;

/// The context of the box, as everything sees it.
#[derive(Clone, Copy)]
pub(crate) struct Search {
    open: RwSignal<bool>,
}

impl Search {
    /// A closed one.
    pub(crate) fn closed() -> Self {
        Self { open: RwSignal::new(false) }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// Whether it is open.
    pub(crate) fn is_open(self) -> bool {
        self.open.get()
    }

    /// Opens it.
    pub(crate) fn open(self) {
        self.open.set(true);
    }

    /// Opens or closes it, as its keys ask.
    pub(crate) fn toggle(self) {
        self.open.set(!self.open.get_untracked());
    }

    /// Closes it.
    pub(crate) fn close(self) {
        self.open.set(false);
    }
}

/// What is known of what was looked for.
#[derive(Clone)]
pub(crate) enum Findings {
    /// Nothing is looked for.
    None,
    /// It was asked for, and nothing is known yet.
    Asked,
    /// It was found, for what was typed then.
    Known(Box<Found>),
    /// It cannot be searched.
    Unknown(String),
}

/// What is typed and found, for as long as the box is open.
#[derive(Clone, Copy)]
pub(crate) struct Finding {
    typed: RwSignal<String>,
    wanted: RwSignal<Wanted>,
    findings: RwSignal<Findings>,
    /// Counts what was asked: only the answer to the last question counts.
    asked: RwSignal<u32>,
    /// The last question that was answered.
    answered: RwSignal<u32>,
    storage: Storage,
}

impl Finding {
    /// Begins, and follows what changes meanwhile, in this tab or another.
    pub(crate) fn begin() -> Self {
        let finding = Self {
            typed: RwSignal::new(String::new()),
            wanted: RwSignal::new(Wanted::few()),
            findings: RwSignal::new(Findings::None),
            asked: RwSignal::new(0),
            answered: RwSignal::new(0),
            storage: Storage::expect(),
        };
        let (chats, toolsets) = (Chats::expect(), Toolsets::expect());
        Effect::new(move |_| {
            chats.changes();
            toolsets.changes();
            spawn(async move {
                let followed = search::follow(&finding.storage.store()).await;
                // The box may have been closed meanwhile.
                if finding.typed.try_get_untracked().is_none() {
                    return;
                }
                match followed {
                    Ok(()) => finding.ask(),
                    Err(error) => finding.findings.set(Findings::Unknown(error.to_string())),
                }
            });
        });
        finding
    }

    /// What is typed.
    pub(crate) fn typed(self) -> String {
        self.typed.get()
    }

    /// What is known.
    pub(crate) fn findings(self) -> Findings {
        self.findings.get()
    }

    /// Whether what is known is not the answer to what is typed.
    pub(crate) fn is_busy(self) -> bool {
        self.asked.get() != self.answered.get()
    }

    /// Another text is typed.
    pub(crate) fn look_for(self, text: String) {
        self.typed.set(text);
        self.wanted.set(Wanted::few());
        self.ask();
    }

    /// More of a kind is wanted.
    pub(crate) fn want_more(self, change: impl FnOnce(&mut Wanted)) {
        self.wanted.update(change);
        self.ask();
    }

    fn ask(self) {
        let (typed, wanted) = untrack(|| (self.typed.get(), self.wanted.get()));
        self.asked.update(|asked| *asked += 1);
        let number = self.asked.get_untracked();
        if Query::parse(&typed).is_empty() {
            self.findings.set(Findings::None);
            self.answered.set(number);
            return;
        }
        if matches!(self.findings.get_untracked(), Findings::None) {
            self.findings.set(Findings::Asked);
        }
        spawn(async move {
            let found = search::find(&self.storage.store(), typed, wanted).await;
            if self.asked.try_get_untracked() != Some(number) {
                return;
            }
            self.findings.set(match found {
                Ok(found) => Findings::Known(Box::new(found)),
                Err(error) => Findings::Unknown(error.to_string()),
            });
            self.answered.set(number);
        });
    }
}
