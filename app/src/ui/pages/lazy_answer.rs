//! What an assistant says, drawn as the document it is. The code for it arrives with the first answer; until then the words are shown as
//! they are.

use leptos::prelude::*;
use satchel_core::ids::ChatId;
use satchel_core::record::Message;

use super::Pages;
use super::lazy_page::ask;

/// Which answer is drawn.
#[derive(Clone)]
pub(crate) struct AnswerOf(pub(crate) Message);

/// The chat whose answer is coming, or has come to an end that needs a word.
#[derive(Clone)]
pub(crate) struct AnswerIn(pub(crate) ChatId);

/// An answer.
#[component]
pub(crate) fn LazyAnswer(
    /// The message.
    message: Message,
) -> impl IntoView {
    let bring = expect_context::<Pages>().answer;
    let arrived = RwSignal::new_local(None);
    let text = message.content.text();
    provide_context(AnswerOf(message));
    ask(bring, arrived);
    move || match arrived.get() {
        Some(Ok(draw)) => draw(),
        None | Some(Err(_)) if text.is_empty() => ().into_any(),
        None | Some(Err(_)) => view! { <p class="message-text">{text.clone()}</p> }.into_any(),
    }
}

/// The answer that is coming in a chat, and what has to be said about the last one.
#[component]
pub(crate) fn LazyComing(
    /// The chat.
    chat: ChatId,
) -> impl IntoView {
    let bring = expect_context::<Pages>().coming;
    let arrived = RwSignal::new_local(None);
    provide_context(AnswerIn(chat));
    ask(bring, arrived);
    move || {
        match arrived.get() {
        Some(Ok(draw)) => draw(),
        None => ().into_any(),
        Some(Err(_not_arrived)) => {
            view! { <p class="chat-note" role="alert">"The answer is coming in, but the part of the app that shows it could not be loaded. The answer is saved; reload to see it."</p> }
                .into_any()
        }
    }
    }
}
