//! The answers that are coming, each in its chat, and how the last one of a chat ended.

use std::collections::BTreeMap;
use std::time::Duration;

use leptos::prelude::{RwSignal, Set as _, Update as _, With as _, WithUntracked as _, expect_context, untrack};
use satchel_core::ids::{ChatId, MessageId};
use satchel_core::model::ChosenModel;

use super::Models;
use crate::browser::clock;
use crate::browser::spawn::spawn;
use crate::work::answering::{self, AnswerOrder, Answered, AnsweringEvent, AnsweringNews};
use crate::work::local_api;

/// How long those who tell their models are waited for, and how often they are looked at.
const PATIENCE: Duration = Duration::from_secs(10);
const MOMENT: Duration = Duration::from_millis(50);

/// The context of answers.
#[derive(Clone, Copy)]
pub(crate) struct Answers {
    coming: RwSignal<BTreeMap<ChatId, Coming>>,
    ended: RwSignal<BTreeMap<ChatId, Ended>>,
}

/// An answer that is coming.
#[derive(Clone, PartialEq)]
pub(crate) struct Coming {
    /// What it answers.
    pub(crate) below: MessageId,
    /// The message it will be; none while tools run, or before the model was asked.
    pub(crate) message: Option<MessageId>,
    /// What has come of it.
    pub(crate) text: RwSignal<String>,
    /// What the model thought meanwhile.
    pub(crate) reasoning: RwSignal<String>,
    /// The names of the calls it asks for so far.
    pub(crate) calls: RwSignal<Vec<String>>,
    /// Whether another tab has it answered, so that it cannot be stopped here.
    pub(crate) is_elsewhere: bool,
}

/// How an answer ended that has something to be said about it.
#[derive(Clone, PartialEq)]
pub(crate) struct Ended {
    /// What was to be answered.
    pub(crate) below: MessageId,
    /// How.
    pub(crate) answered: Answered,
}

impl Coming {
    fn below(below: MessageId, message: Option<MessageId>) -> Self {
        let (text, reasoning, calls) = (RwSignal::default(), RwSignal::default(), RwSignal::default());
        Self { below, message, text, reasoning, calls, is_elsewhere: false }
    }
}

impl Answers {
    /// Nothing is answered.
    pub(crate) fn none() -> Self {
        Self { coming: RwSignal::default(), ended: RwSignal::default() }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// The answer that is coming in a chat.
    pub(crate) fn coming(self, chat: &ChatId) -> Option<Coming> {
        self.coming.with(|coming| coming.get(chat).cloned())
    }

    /// The same, for a handler that only looks.
    pub(crate) fn is_coming_untracked(self, chat: &ChatId) -> bool {
        self.coming.with_untracked(|coming| coming.contains_key(chat))
    }

    /// What has to be said about the last answer of a chat.
    pub(crate) fn ended(self, chat: &ChatId) -> Option<Ended> {
        self.ended.with(|ended| ended.get(chat).cloned())
    }

    /// Has a message answered by the model that is chosen for its chat. Where none is, nothing happens.
    pub(crate) fn ask(self, models: Models, chat: ChatId, below: MessageId) {
        spawn(async move {
            // Who has just opened the app may be faster than those who tell their models.
            let patience = clock::monotonic() + PATIENCE;
            while untrack(|| models.chosen().is_none() && !models.is_empty()) && clock::monotonic() < patience {
                clock::wait(MOMENT).await;
            }
            if let Some(chosen) = untrack(|| models.chosen()) {
                self.ask_model(chosen, chat, below);
            }
        });
    }

    fn ask_model(self, chosen: ChosenModel, chat: ChatId, below: MessageId) {
        if self.is_coming_untracked(&chat) {
            return;
        }
        let order = AnswerOrder {
            chat: chat.clone(),
            below: below.clone(),
            model: chosen.choice,
            format: chosen.format,
            context_tokens: chosen.context_tokens,
            sees_images: chosen.sees_images,
            prices: chosen.prices,
            capabilities: local_api::capabilities(),
        };
        self.ended.update(|ended| drop(ended.remove(&chat)));
        self.coming.update(|coming| drop(coming.insert(chat.clone(), Coming::below(below.clone(), None))));
        spawn(async move {
            let answered = answering::answer(&order).await;
            let answered = answered.unwrap_or_else(|error| Answered::failed(error.to_string()));
            self.coming.update(|coming| drop(coming.remove(&chat)));
            if answered.words.is_some() {
                self.ended.update(|ended| drop(ended.insert(chat, Ended { below, answered })));
            }
        });
    }

    /// Stops the answer of a chat.
    pub(crate) fn stop(self, chat: ChatId) {
        spawn(answering::stop(chat));
    }

    /// Follows what the worker tells.
    pub(crate) fn hear(self, AnsweringNews { chat, event }: AnsweringNews) {
        match event {
            AnsweringEvent::Asked { below, message } => self.coming.update(|coming| {
                coming.insert(chat, Coming::below(below, Some(message)));
            }),
            AnsweringEvent::More { text, reasoning, calls } => {
                let coming = self.coming.with_untracked(|coming| coming.get(&chat).cloned());
                let Some(coming) = coming else { return };
                if !text.is_empty() {
                    coming.text.update(|all| all.push_str(&text));
                }
                if !reasoning.is_empty() {
                    coming.reasoning.update(|all| all.push_str(&reasoning));
                }
                coming.calls.set(calls);
            }
            AnsweringEvent::Elsewhere { below, message, text, reasoning, calls } => {
                let known = self.coming.with_untracked(|coming| coming.get(&chat).cloned());
                let known = known.filter(|known| known.message.as_ref() == Some(&message));
                let coming = known.unwrap_or_else(|| {
                    let coming = Coming { is_elsewhere: true, ..Coming::below(below, Some(message)) };
                    self.coming.update(|all| drop(all.insert(chat, coming.clone())));
                    coming
                });
                coming.text.set(text);
                coming.reasoning.set(reasoning);
                coming.calls.set(calls);
            }
            AnsweringEvent::Over => self.coming.update(|coming| drop(coming.remove(&chat))),
        }
    }
}
