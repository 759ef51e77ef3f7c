//! The answers that are coming, each in its chat, and how the last one of a chat ended.

use std::time::Duration;

use leptos::prelude::{GetUntracked as _, RwSignal, Set as _, Update as _, With as _, expect_context, untrack};
use satchel_core::conversation::MessageTree;
use satchel_core::few::Few;
use satchel_core::ids::{ChatId, MessageId};
use satchel_core::model::ChosenModel;

use super::{Models, NoticeKind, Notices};
use crate::browser::clock;
use crate::browser::spawn::spawn;
use crate::work::answering::{self, AnswerOrder, Answered, AnsweringEvent, AnsweringNews};
use crate::work::local_api;

/// How long those who tell their models are waited for, and how often they are looked at.
const PATIENCE: Duration = Duration::from_secs(10);
const MOMENT: Duration = Duration::from_millis(50);
/// So long it is not worth a word.
const UNSAID: Duration = Duration::from_millis(300);
/// How many paragraphs stay where screen readers find them.
const READ_OUT: usize = 40;

/// The context of answers.
#[derive(Clone, Copy)]
pub(crate) struct Answers {
    coming: RwSignal<Few<ChatId, Drawn>>,
    ended: RwSignal<Few<ChatId, Ended>>,
    /// What is read out of the answer in the open chat, each with its number.
    read_out: RwSignal<Vec<(u32, String)>>,
}

/// An answer that is coming, or has come and is not seen in the chat yet.
#[derive(Clone, PartialEq)]
pub(crate) struct Coming {
    /// What it answers.
    pub(crate) below: MessageId,
    /// The message it will be; none before the model was asked. While tools run it is that which asked for them, which is stored then.
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

/// An answer on the screen.
struct Drawn {
    coming: Coming,
    /// Whether it has ended, so that it is only drawn until the chat has been read again.
    is_over: bool,
}

/// How an answer ended that has something to be said about it.
#[derive(Clone, PartialEq)]
pub(crate) struct Ended {
    /// What was to be answered.
    pub(crate) below: MessageId,
    /// What there is to say, a sentence without its full stop.
    pub(crate) words: String,
    /// Whether that is bad news.
    pub(crate) is_failure: bool,
}

impl Coming {
    fn below(below: MessageId, message: Option<MessageId>) -> Self {
        let (text, reasoning, calls) = (RwSignal::default(), RwSignal::default(), RwSignal::default());
        Self { below, message, text, reasoning, calls, is_elsewhere: false }
    }

    /// Whether what came is stored, so that it is drawn as the message it is.
    pub(crate) fn is_stored(&self, tree: &MessageTree) -> bool {
        self.message.as_ref().is_some_and(|id| tree.message(id).is_some())
    }
}

impl Answers {
    /// Nothing is answered.
    pub(crate) fn none() -> Self {
        Self { coming: RwSignal::default(), ended: RwSignal::default(), read_out: RwSignal::default() }
    }

    /// The context given by the app.
    pub(crate) fn expect() -> Self {
        expect_context()
    }

    /// The answer that is coming in a chat, its tools included.
    pub(crate) fn coming(self, chat: &ChatId) -> Option<Coming> {
        self.coming.with(|all| all.get(chat).filter(|drawn| !drawn.is_over).map(|drawn| drawn.coming.clone()))
    }

    /// The same, or one that has just ended and may not be among the messages yet.
    pub(crate) fn drawn(self, chat: &ChatId) -> Option<Coming> {
        self.coming.with(|all| all.get(chat).map(|drawn| drawn.coming.clone()))
    }

    fn draw(self, chat: ChatId, coming: Coming) {
        self.coming.update(|all| drop(all.insert(chat, Drawn { coming, is_over: false })));
    }

    /// Whether a chat is being answered, for a handler that only looks.
    pub(crate) fn is_coming_untracked(self, chat: &ChatId) -> bool {
        untrack(|| self.coming(chat).is_some())
    }

    /// Whether nothing can be said or asked in a chat because its answer is still coming. The user is then told so.
    pub(crate) fn is_in_the_way(self, chat: &ChatId, notices: Notices) -> bool {
        let is_coming = self.is_coming_untracked(chat);
        if is_coming {
            notices.show(
                NoticeKind::Warning,
                "The answer is still coming. Send your message when it is done, or stop it.",
            );
        }
        is_coming
    }

    /// What has to be said about the last answer of a chat.
    pub(crate) fn ended(self, chat: &ChatId) -> Option<Ended> {
        self.ended.with(|ended| ended.get(chat).cloned())
    }

    /// Has a message answered by the model that is chosen for its chat. Where there is no model at all, nothing happens.
    pub(crate) fn ask(self, models: Models, chat: ChatId, below: MessageId) {
        spawn(async move {
            // Who has just opened the app may be faster than those who tell their models.
            let (begun, mut is_said) = (clock::monotonic(), false);
            while untrack(|| models.is_awaited_in(&chat)) && clock::monotonic() < begun + PATIENCE {
                if !is_said && clock::monotonic() > begun + UNSAID {
                    is_said = true;
                    let who = untrack(|| models.awaited_in_words(&chat));
                    let words = format!("waiting for {who} to list its models");
                    self.end(chat.clone(), Ended { below: below.clone(), words, is_failure: false });
                }
                clock::wait(MOMENT).await;
            }
            self.ended.update(|ended| drop(ended.remove(&chat)));
            match untrack(|| models.chosen_of(&chat)) {
                Some(chosen) => self.ask_model(chosen, chat, below),
                None if untrack(|| models.is_empty()) => {}
                None => {
                    let words = "the list of models did not arrive in time; choose a model, then press Answer";
                    self.end(chat, Ended { below, words: words.into(), is_failure: true });
                }
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
        self.draw(chat.clone(), Coming::below(below.clone(), None));
        spawn(async move {
            let answered = answering::answer(&order).await;
            let answered = answered.unwrap_or_else(|error| Answered::failed(error.to_string()));
            self.coming.update(|all| {
                // What is stored is drawn from here until the chat has been read again: nothing flickers.
                let is_last =
                    |drawn: &&mut Drawn| drawn.coming.message.is_some() && drawn.coming.message == answered.after;
                match all.get_mut(&chat).filter(is_last) {
                    Some(drawn) => drawn.is_over = true,
                    None => drop(all.remove(&chat)),
                }
            });
            if let Some(words) = answered.words {
                self.end(chat, Ended { below, words, is_failure: answered.is_failure });
            }
        });
    }

    fn end(self, chat: ChatId, ended: Ended) {
        self.ended.update(|all| drop(all.insert(chat, ended)));
    }

    /// Stops the answer of a chat.
    pub(crate) fn stop(self, chat: ChatId) {
        spawn(answering::stop(chat));
    }

    /// What is read out of the answer in the open chat.
    pub(crate) fn read_out(self) -> RwSignal<Vec<(u32, String)>> {
        self.read_out
    }

    /// Has a part of the answer read out, once.
    pub(crate) fn say_aloud(self, words: String) {
        if words.trim().is_empty() {
            return;
        }
        self.read_out.update(|all| {
            let number = all.last().map_or(0, |(number, _)| number + 1);
            let surplus = (all.len() + 1).saturating_sub(READ_OUT);
            all.drain(..surplus);
            all.push((number, words));
        });
    }

    /// Follows what the worker tells.
    pub(crate) fn hear(self, AnsweringNews { chat, event }: AnsweringNews) {
        match event {
            AnsweringEvent::Asked { below, message } => self.draw(chat, Coming::below(below, Some(message))),
            AnsweringEvent::More { text, reasoning, calls } => {
                let Some(coming) = untrack(|| self.drawn(&chat)) else { return };
                if !text.is_empty() {
                    coming.text.update(|all| all.push_str(&text));
                }
                if !reasoning.is_empty() {
                    coming.reasoning.update(|all| all.push_str(&reasoning));
                }
                if coming.calls.get_untracked() != calls {
                    coming.calls.set(calls);
                }
            }
            AnsweringEvent::Elsewhere { below, message, text, reasoning, calls } => {
                let known = untrack(|| self.drawn(&chat));
                let known = known.filter(|known| known.message.as_ref() == Some(&message));
                let coming = known.unwrap_or_else(|| {
                    let coming = Coming { is_elsewhere: true, ..Coming::below(below, Some(message)) };
                    self.draw(chat, coming.clone());
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
